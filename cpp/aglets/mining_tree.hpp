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
};

/// What is remembered of a node's last evaluation.
struct Evaluation {
  double rho = 0.0;       // for which psi is cached; 0 if none
  double psi_norm = 0.0;  // |psi|_2
  double g = 0.0;
  double g_bar = 0.0;
  std::int64_t residual = -1;  // number of the residual with which g was evaluated
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

/// Gradient at another residual, and how far the current one can be from it.
struct RememberedGradient {
  double g;
  double g_bar;
  double slack;
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
  bool is_arena_root(NodeRef ref) const { return node(ref).own_arena >= 0; }
  NodeRef child(NodeRef parent, std::int32_t index) const {
    const auto own = node(parent).own_arena;
    return {own >= 0 ? own : parent.arena, index};
  }
  DfsCode code(NodeRef ref) const;
  std::span<const std::int32_t> support_graphs(NodeRef ref) const;
  std::span<const double> support_costs(NodeRef ref) const;

  /// Sets the residual for the evaluations to come, and notes how far it is from
  /// the last few ones. Not while another thread evaluates.
  void set_residual(std::span<const double> residual);

  /// psi = exp(-rho D) is cached per node for the rho last asked for.
  Gradient gradient(NodeRef ref, double rho);

  /// What is known of the gradient without looking at the supports: both numbers
  /// move by at most |a - a'|_2 |psi|_2 when the residual goes from a' to a.
  /// The slack is infinite if the node was not evaluated for this rho lately.
  RememberedGradient remembered(NodeRef ref, double rho) const;

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
    std::vector<Evaluation> evaluations;  // by node
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
  std::deque<std::vector<double>> residuals_;  // the last few, the current one at the end
  std::vector<double> drift_;                  // distance of each to the current one
  std::int64_t n_residuals_ = 0;               // ever set
  std::mutex mutex_;
};

/// Bytes that one tree node and one of its supports take.
inline constexpr std::int64_t bytes_per_node = sizeof(TreeNode) + sizeof(Evaluation);
inline constexpr std::int64_t bytes_per_support = sizeof(std::int32_t) + 2 * sizeof(double);

}  // namespace aglets
