#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "budget.hpp"
#include "dfs_code.hpp"
#include "embedding.hpp"
#include "graph_set.hpp"
#include "start_costs.hpp"

namespace aglets {

/// Names a tree node: the arena that holds it and its place there.
struct NodeRef {
  std::int32_t arena;
  std::int32_t index;

  std::int64_t id() const { return (static_cast<std::int64_t>(arena) << 32) | index; }
  static NodeRef from_id(std::int64_t id) {
    return {static_cast<std::int32_t>(id >> 32), static_cast<std::int32_t>(id & 0xffffffff)};
  }
};

/// Children of one kind, neighbours in their arena; `first` is negative until
/// they have been made.
struct ChildRange {
  std::int32_t first = -1;
  std::int32_t count = 0;

  bool made() const { return first >= 0; }
};

/// A pattern of the tree: its last DFS edge and its supports. Embeddings are not
/// kept. Backward and forward children are made separately, because a walk with
/// a smaller maxpat never asks for the forward ones of its largest patterns.
struct TreeNode {
  std::int64_t first_support;
  std::int32_t n_supports;
  std::int32_t parent;  // in the same arena; negative for roots and arena tops
  CodeEdge edge;
  std::int32_t to_type;
  std::int16_t n_nodes;
  std::int16_t n_edges;
  ChildRange backward;
  ChildRange forward;
  std::int32_t own_arena;  // for tops of an arena: which one their children live in
  double psi_rho;          // the rho for which the cached psi stand; 0 if none
};

/// A child about to enter the tree.
struct NewChild {
  CodeEdge edge;
  std::int32_t to_type;
  bool barren;  // no embedding of it can grow
  std::span<const Support> supports;
};

/// g = sum_i a_i psi_i of an untrained graphlet and the bound of Theorem 2.1 on
/// |g| of everything below it, with the sums split by the sign of a_i.
struct Gradient {
  double g;
  double g_bar;
};

/// The mining tree: minimum DFS codes of the connected patterns of a training
/// set, grown on demand and kept. A node keeps (graph, D) for each graph that holds
/// its pattern: D, the least cost of an *untrained* graphlet, depends neither on
/// rho nor on labels of graphs, so one tree serves every rho, maxpat, lambda,
/// loss and class; and because training never touches the tree, Theorem 2.1
/// holds below graphlets that were trained, too.
///
/// Arena 0 is the trunk: patterns of up to `trunk_edges` edges. Each of its
/// largest patterns tops an arena of its own, so that threads can grow and search
/// these side by side with no lock and with the same result in any order.
class MiningTree {
public:
  static constexpr int trunk_edges = 3;

  MiningTree(std::shared_ptr<const GraphSet> graphs, const Starts& starts, int maxpat);

  const GraphSet& graphs() const { return *graphs_; }
  const StartCosts& costs() const { return costs_; }
  int maxpat() const { return maxpat_; }
  std::int64_t n_nodes() const;
  std::int64_t n_bytes() const;
  std::int32_t n_roots() const { return n_roots_; }

  const TreeNode& node(NodeRef ref) const { return arenas_[ref.arena].nodes[ref.index]; }
  bool contains(NodeRef ref) const;
  bool tops_arena(NodeRef ref) const { return node(ref).own_arena >= 0; }
  NodeRef child(NodeRef parent, std::int32_t index) const {
    const auto own = node(parent).own_arena;
    return {own >= 0 ? own : parent.arena, index};
  }
  DfsCode code(NodeRef ref) const;
  std::span<const std::int32_t> support_graphs(NodeRef ref) const;
  std::span<const double> support_costs(NodeRef ref) const;

  /// psi = exp(-rho D) is cached per node for the rho last asked for.
  Gradient gradient(NodeRef ref, std::span<const double> residual, double rho);

  /// Writes the children of `parent` made by one extension. Only one thread may
  /// write to an arena at a time.
  void add_children(NodeRef parent, std::span<const NewChild> children, bool backward, bool forward,
                    Budget& budget);

  /// One search at a time.
  std::mutex& mutex() { return mutex_; }

private:
  struct Arena {
    NodeRef top;
    std::vector<TreeNode> nodes;
    std::vector<std::int32_t> graphs;
    std::vector<double> costs;
    std::vector<double> psi;
  };

  void add_node(Arena& arena, TreeNode node, std::span<const Support> supports);
  void add_roots();
  ChildRange add_range(NodeRef parent, std::span<const NewChild> children, bool forward);

  std::shared_ptr<const GraphSet> graphs_;
  StartCosts costs_;
  int maxpat_;
  std::int32_t n_roots_ = 0;
  std::deque<Arena> arenas_;
  std::mutex mutex_;
};

/// Bytes that one tree node and one of its supports take.
inline constexpr std::int64_t bytes_per_node = sizeof(TreeNode);
inline constexpr std::int64_t bytes_per_support = sizeof(std::int32_t) + 2 * sizeof(double);

}  // namespace aglets
