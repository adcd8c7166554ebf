#include "enumeration.hpp"

#include <deque>
#include <iterator>
#include <memory>

#include "extension.hpp"
#include "parallel.hpp"

namespace aglets {

namespace {

/// Patterns of this many edges root the subtrees that threads share out:
/// enough of them to balance, and few enough to grow their embeddings again.
constexpr int subtree_edges = 3;

struct Subtree {
  DfsCode code;
  std::vector<std::int32_t> graphs;
  std::unique_ptr<PatternVisitor> visitor;  // joined before the subtree's own
};

template <class Id>
class Walk {
public:
  Walk(const GraphSet& graphs, const StartCosts& costs, int maxpat)
      : extender_(graphs, costs, maxpat) {}

  void begin(Account& account) {
    account_ = &account;
    extender_.begin_account(account);
    rows_.begin_account();
    for (auto& children : levels_) children.begin_account();
  }

  /// Everything below `code`, whose embeddings are `rows`.
  void below(DfsCode& code, const EmbeddingRows<Id>& rows, PatternVisitor& visitor) {
    account_->check();
    auto& children = level(code.n_edges());
    extender_.extend(code, rows, {}, children);
    for (const auto* child : children.all()) {
      code.push(child->edge, child->to_type);
      if (visitor.visit(code, child->rows.supports(), *account_) && child->rows.size() > 0)
        below(code, child->rows, visitor);
      code.pop();
    }
  }

  /// Visits patterns of up to `subtree_edges` edges; those that may have more
  /// below them become subtrees.
  void trunk(DfsCode& code, const EmbeddingRows<Id>& rows, std::unique_ptr<PatternVisitor>& seen,
             std::vector<Subtree>& subtrees) {
    auto& children = level(code.n_edges());
    extender_.extend(code, rows, {}, children);
    for (const auto* child : children.all()) {
      code.push(child->edge, child->to_type);
      if (seen->visit(code, child->rows.supports(), *account_) && child->rows.size() > 0) {
        if (code.n_edges() < subtree_edges) {
          trunk(code, child->rows, seen, subtrees);
        } else {
          auto next = seen->fresh();
          subtrees.push_back({code, graphs_of(child->rows.supports()), std::move(seen)});
          seen = std::move(next);
        }
      }
      code.pop();
    }
  }

  void subtree(const Subtree& subtree, PatternVisitor& visitor) {
    auto code = subtree.code;
    extender_.regrow(code, subtree.graphs, rows_);
    below(code, rows_, visitor);
  }

  Extender<Id>& extender() { return extender_; }

private:
  static std::vector<std::int32_t> graphs_of(const std::vector<Support>& supports) {
    std::vector<std::int32_t> graphs;
    for (const auto& support : supports) graphs.push_back(support.graph);
    return graphs;
  }

  Children<Id>& level(int depth) {
    while (static_cast<int>(levels_.size()) <= depth) levels_.emplace_back();
    return levels_[depth];
  }

  Account* account_ = nullptr;
  Extender<Id> extender_;
  std::deque<Children<Id>> levels_;
  EmbeddingRows<Id> rows_;
};

/// Visits the patterns of few edges and gathers the subtrees below them.
template <class Id>
void walk_trunk(const StartCosts& costs, Walk<Id>& walk, Account& account,
                std::unique_ptr<PatternVisitor>& seen, std::vector<Subtree>& subtrees) {
  walk.begin(account);
  EmbeddingRows<Id> rows;
  for (std::int32_t type = 0; type < costs.n_types(); ++type) {
    DfsCode code(type);
    walk.extender().root_rows(type, rows);
    if (!rows.supports().empty() && seen->visit(code, rows.supports(), account))
      walk.trunk(code, rows, seen, subtrees);
  }
  account.settle();
}

/// Walks all subtrees. Where limits are passed, visitors are left as a walk of one
/// subtree after the other would have left them.
template <class Id>
void walk_subtrees(const GraphSet& graphs, const StartCosts& costs, int maxpat, int n_threads,
                   Budget& budget, Ledger& ledger, const std::vector<Subtree>& subtrees,
                   std::vector<std::unique_ptr<PatternVisitor>>& visitors) {
  run_tasks(subtrees.size(), n_threads, budget, [&] {
    auto walk = std::make_shared<Walk<Id>>(graphs, costs, maxpat);
    return [&, walk](std::size_t task) {
      ledger.run(task, budget, [&](Account& account) {
        walk->begin(account);
        walk->subtree(subtrees[task], *visitors[task]);
      });
    };
  });
  const auto last = ledger.first_over();
  if (last == subtrees.size()) return;
  const bool is_exact = ledger.is_exact(last);
  for (auto task = is_exact ? last + 1 : last; task < subtrees.size(); ++task)
    visitors[task] = visitors[task]->fresh();
  if (is_exact) ledger.rethrow(last);
  Account account(budget, ledger.spent_before(last));
  Walk<Id> again(graphs, costs, maxpat);
  again.begin(account);
  again.subtree(subtrees[last], *visitors[last]);
  account.settle();
}

template <class Id>
void walk_with(const GraphSet& graphs, const StartCosts& costs, int maxpat, int n_threads,
               Budget& budget, PatternVisitor& visitor) {
  std::vector<Subtree> subtrees;
  std::vector<std::unique_ptr<PatternVisitor>> visitors;  // by subtree
  auto seen = visitor.fresh();
  const auto join = [&] {
    for (std::size_t i = 0; i < subtrees.size(); ++i) {
      visitor.join(*subtrees[i].visitor);
      if (i < visitors.size()) visitor.join(*visitors[i]);
    }
    visitor.join(*seen);
  };
  try {
    Account account(budget, {});
    Walk<Id> walk(graphs, costs, maxpat);
    walk_trunk(costs, walk, account, seen, subtrees);
    for (std::size_t i = 0; i < subtrees.size(); ++i) visitors.push_back(visitor.fresh());
    Ledger ledger(budget.limits(), account.total(), subtrees.size());
    walk_subtrees<Id>(graphs, costs, maxpat, n_threads, budget, ledger, subtrees, visitors);
  } catch (const BudgetExceeded&) {
    join();
    throw;
  }
  join();
}

}  // namespace

void walk_patterns(const GraphSet& graphs, const StartCosts& costs, int maxpat, int n_threads,
                   Budget& budget, PatternVisitor& visitor) {
  with_node_id(graphs, [&]<class Id>() {
    walk_with<Id>(graphs, costs, maxpat, n_threads, budget, visitor);
  });
}

bool CountVisitor::visit(const DfsCode& code, const std::vector<Support>&, Account&) {
  ++counts[{code.n_nodes(), code.n_edges()}];
  return true;
}

std::unique_ptr<PatternVisitor> CountVisitor::fresh() const {
  return std::make_unique<CountVisitor>();
}

void CountVisitor::join(PatternVisitor& other) {
  auto& from = static_cast<CountVisitor&>(other);
  for (const auto& [size, count] : from.counts) counts[size] += count;
}

PatternCounts count_patterns(const GraphSet& graphs, const StartCosts& costs, int maxpat,
                             int n_threads, Budget& budget) {
  CountVisitor visitor;
  bool complete = true;
  try {
    walk_patterns(graphs, costs, maxpat, n_threads, budget, visitor);
  } catch (const BudgetExceeded&) {
    complete = false;
  }
  return {std::move(visitor.counts), complete};
}

bool FrequentVisitor::visit(const DfsCode& code, const std::vector<Support>& supports,
                            Account& account) {
  if (supports.size() < min_support_) return false;
  account.keep(
      0, static_cast<std::int64_t>(sizeof(Found) + code.n_nodes() * sizeof(std::int32_t) +
                                   code.n_edges() * sizeof(CodeEdge) +
                                   supports.size() * (sizeof(std::int32_t) + sizeof(double))));
  auto& pattern = found.emplace_back();
  pattern.types = code.types();
  pattern.edges = code.edges();
  for (const auto& support : supports) {
    pattern.graphs.push_back(support.graph);
    pattern.costs.push_back(support.cost);
  }
  return true;
}

std::unique_ptr<PatternVisitor> FrequentVisitor::fresh() const {
  return std::make_unique<FrequentVisitor>(min_support_);
}

void FrequentVisitor::join(PatternVisitor& other) {
  auto& from = static_cast<FrequentVisitor&>(other);
  found.insert(found.end(), std::make_move_iterator(from.found.begin()),
               std::make_move_iterator(from.found.end()));
}

}  // namespace aglets
