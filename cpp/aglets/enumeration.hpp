#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "account.hpp"
#include "dfs_code.hpp"
#include "embedding.hpp"
#include "graph_set.hpp"
#include "start_costs.hpp"

namespace aglets {

/// What happens at each pattern of a walk through all of them. Visitors are
/// copied per subtree and joined in tree order, so they need no locks.
class PatternVisitor {
public:
  virtual ~PatternVisitor() = default;
  /// Called once per pattern, parents before children; returns whether to go
  /// on below it. What it keeps is charged to the account.
  virtual bool visit(const DfsCode& code, const std::vector<Support>& supports,
                     Account& account) = 0;
  /// An empty visitor of the same kind, for one subtree.
  virtual std::unique_ptr<PatternVisitor> fresh() const = 0;
  /// Takes over what a visitor made by `fresh` has seen.
  virtual void join(PatternVisitor& other) = 0;
};

/// Visits every connected pattern of at most `maxpat` nodes of the graphs once,
/// depth first, holding the embeddings of one branch only. Each support comes
/// with D, the minimum starting cost in that graph. When a budget runs out, the
/// visitor keeps what was met until then; unless it was the clock, that does not
/// depend on the number of threads.
void walk_patterns(const GraphSet& graphs, const StartCosts& costs, int maxpat, int n_threads,
                   Budget& budget, PatternVisitor& visitor);

/// Number of patterns by (nodes, edges).
class CountVisitor final : public PatternVisitor {
public:
  bool visit(const DfsCode& code, const std::vector<Support>& supports, Account& account) override;
  std::unique_ptr<PatternVisitor> fresh() const override;
  void join(PatternVisitor& other) override;

  std::map<std::pair<int, int>, std::int64_t> counts;
};

/// Number of patterns by (nodes, edges): of all, or of those met before the
/// budget ran out.
struct PatternCounts {
  std::map<std::pair<int, int>, std::int64_t> by_size;
  bool complete;
};

PatternCounts count_patterns(const GraphSet& graphs, const StartCosts& costs, int maxpat,
                             int n_threads, Budget& budget);

/// Patterns that at least `min_support` graphs contain.
class FrequentVisitor final : public PatternVisitor {
public:
  struct Found {
    std::vector<std::int32_t> types;
    std::vector<CodeEdge> edges;
    std::vector<std::int32_t> graphs;
    std::vector<double> costs;
  };

  explicit FrequentVisitor(std::size_t min_support) : min_support_(min_support) {}
  bool visit(const DfsCode& code, const std::vector<Support>& supports, Account& account) override;
  std::unique_ptr<PatternVisitor> fresh() const override;
  void join(PatternVisitor& other) override;

  std::vector<Found> found;

private:
  std::size_t min_support_;
};

}  // namespace aglets
