#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "account.hpp"
#include "dfs_code.hpp"
#include "embedding.hpp"
#include "graph_set.hpp"
#include "start_costs.hpp"

namespace aglets {

/// Which edges a pattern is extended by.
struct ExtensionScope {
  bool backward = true;
  bool forward = true;
};

/// A child pattern: the edge that makes it and its embeddings.
template <class Id>
struct Child {
  CodeEdge edge;
  std::int32_t to_type;
  std::size_t rank;  // place among its siblings in DFS code order
  EmbeddingRows<Id> rows;
};

/// The children of one pattern, in DFS code order. Reused from pattern to
/// pattern, so that its memory is asked for once.
template <class Id>
class Children {
public:
  void clear(Account& account);
  void begin_account();
  Child<Id>& add(int n_nodes);
  void sort();
  const std::vector<Child<Id>*>& all() const { return sorted_; }

private:
  std::deque<Child<Id>> pool_;
  std::vector<Child<Id>*> sorted_;
};

/// Rightmost extension (gSpan): grows all embeddings of a pattern by one edge
/// and sorts them into the minimum DFS codes among its children. Each child's
/// minimality is tested once, when its first embedding is met, and embeddings
/// of other codes are never stored. Non-induced: an edge of the graph may be
/// left out. Patterns of `maxpat` nodes keep only the embeddings that can still
/// close a ring. Cost: about the number of embeddings times the length of the
/// rightmost path.
template <class Id>
class Extender {
public:
  /// With `by_root`, supports are distinguished by the image of the root, too.
  Extender(const GraphSet& graphs, const StartCosts& costs, int maxpat, bool by_root = false);

  /// Charges all further work and memory to this account; to be called first.
  void begin_account(Account& account);

  /// Children of the pattern `code` whose embeddings are `rows`. `code` is
  /// changed on the way and comes back as it was.
  void extend(DfsCode& code, const EmbeddingRows<Id>& rows, ExtensionScope scope,
              Children<Id>& children);

  /// The same with one graph's embeddings in memory at a time, for patterns with
  /// very many of them; the children then come without rows.
  void extend_by_graph(DfsCode& code, const std::vector<std::int32_t>& graphs, ExtensionScope scope,
                       Children<Id>& children);

  /// All embeddings of the single node of this type.
  void root_rows(std::int32_t type, EmbeddingRows<Id>& rows);

  /// All embeddings of `code` in these graphs, grown again; false, with some of
  /// them, if there are more than `max_rows`.
  bool regrow(const DfsCode& code, std::span<const std::int32_t> graphs, EmbeddingRows<Id>& rows,
              std::size_t max_rows = SIZE_MAX);

private:
  using Rows = EmbeddingRows<Id>;

  /// A node of the rightmost path from which forward edges may still leave.
  struct Stem {
    int node;
    bool open;         // false once no forward edge from here can be minimum
    std::size_t rank;  // rank of its first forward child
  };

  void extend_rows(const Rows& rows);
  void prepare(DfsCode& code, ExtensionScope scope, Children<Id>& children);
  void extend_support(const Rows& rows, const Support& support, std::uint32_t begin);
  void keep_row(Child<Id>& child, const std::uint64_t* row, std::uint64_t used, double cost,
                int position, std::int32_t node);
  void extend_by_masks(const Rows& rows, const Support& support, std::uint32_t begin);
  void extend_by_lists(const Rows& rows, const Support& support, std::uint32_t begin);
  void touch_backward(const std::uint64_t* row, int to, std::int32_t label, double edge_cost,
                      bool keep);
  void touch_forward(const std::uint64_t* row, std::uint64_t used, Stem& stem, std::int32_t node,
                     std::int32_t label, double edge_cost, bool keep);
  Child<Id>* resolve(std::size_t rank, CodeEdge edge, std::int32_t to_type);
  bool makes_minimum(CodeEdge edge, std::int32_t to_type);
  void close_if_barren(Stem& stem);
  bool can_close_ring(std::int32_t node) const;
  bool may_be_minimum(CodeEdge edge, std::int32_t to_type) const;
  std::int64_t unit_of(std::int32_t graph, std::int64_t root_row) const {
    return by_root_ ? root_row : graph;
  }
  void regrow_from(const DfsCode& code, int step, std::int32_t graph, std::uint64_t used,
                   double cost, Rows& rows);
  void regrow_by_masks(const DfsCode& code, int step, std::uint64_t used, double cost, Rows& rows);

  const GraphSet& graphs_;
  const StartCosts& costs_;
  const int maxpat_;
  const bool by_root_;
  const bool plain_;  // neither edge labels nor edge attributes: masks say all
  Account* account_ = nullptr;

  // The extension under way.
  DfsCode* code_ = nullptr;
  Children<Id>* children_ = nullptr;
  ExtensionScope scope_;
  bool keeps_rows_ = true;
  std::vector<int> path_;          // rightmost path, tip first
  std::vector<int> next_on_path_;  // for a node of the path: the node after it
  std::vector<Stem> stems_;
  std::size_t n_backward_ranks_ = 0;
  std::size_t n_keys_ = 0;  // edge labels times types
  int last_backward_ = -1;
  std::int32_t graph_ = 0;
  std::int64_t base_ = 0;
  std::int64_t unit_ = 0;  // the support under way
  std::size_t stride_ = 0;
  // Child by rank: null if not met yet, `rejected_` if its code is not minimum.
  std::vector<Child<Id>*> slots_;
  std::vector<std::size_t> touched_;
  Child<Id> rejected_{};
  // Where each node of the current large graph stands in the current row.
  struct Place {
    std::uint32_t stamp;
    std::int32_t position;
  };
  std::vector<Place> places_;
  std::uint32_t stamp_ = 0;
  std::vector<std::uint64_t> scratch_;
  Rows graph_rows_;
};

/// Calls `action` with the narrowest type that can number the nodes of the
/// largest graph: `action.template operator()<Id>()`.
template <class Action>
auto with_node_id(const GraphSet& graphs, Action&& action) {
  if (graphs.largest_graph() <= 255) return action.template operator()<std::uint8_t>();
  if (graphs.largest_graph() <= 65535) return action.template operator()<std::uint16_t>();
  return action.template operator()<std::uint32_t>();
}

}  // namespace aglets
