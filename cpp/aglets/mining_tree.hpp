#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "account.hpp"
#include "channel.hpp"
#include "dfs_code.hpp"
#include "embedding.hpp"
#include "graph_set.hpp"
#include "query.hpp"
#include "residuals.hpp"
#include "root_runs.hpp"
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

/// What is remembered of a node's last evaluation in one channel.
struct Evaluation {
  double rho = 0.0;         // for which values were computed; 0 if none
  double value_norm = 0.0;  // |values|_2
  double g = 0.0;           // size of the gradient, see SizedGradient
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

/// A step of growth: these children of a node were made.
struct Growth {
  NodeRef parent;
  bool backward;
  bool forward;
};

/// Numbers of an arena's nodes, supports and root costs at some time.
struct ArenaMark {
  std::size_t n_nodes;
  std::size_t n_supports;
  std::size_t n_runs;
};

/// The mining tree: minimum DFS codes of the connected patterns of a training
/// set, grown on demand and kept. A node keeps (graph, D) for each graph that holds
/// its pattern: D, the minimum cost of an *untrained* graphlet, depends neither on
/// rho nor on labels of graphs, so one tree serves every rho, maxpat, lambda,
/// loss and class; and because training never touches the tree, Theorem 2.1
/// holds below graphlets that were trained, too. Once a channel that counts is
/// asked for, a node also keeps the minimum cost for each image of its root.
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

  /// Sets the residual for the evaluations to come, and makes room for those in
  /// the query's channels. Not while another thread evaluates.
  void prepare(const Query& query);

  const ResidualHistory& history(Divisor divisor) const {
    return histories_[static_cast<std::size_t>(divisor)];
  }
  Evaluation& evaluation(NodeRef ref, std::size_t slot) {
    return arenas_[ref.arena].evaluations[slot][ref.index];
  }

  /// The channel's value of the untrained graphlet in each supporting graph (for
  /// `mean`, the sum, whose residual is divided instead), cached per node for the
  /// rho last asked for. Sets rho and norm of the node's evaluation.
  const double* values(NodeRef ref, const Channel& channel, double rho) {
    auto& arena = arenas_[ref.arena];
    auto& evaluation = arena.evaluations[channel.slot()][ref.index];
    const auto& found = arena.nodes[ref.index];
    if (!channel.counts()) {
      if (evaluation.rho != rho) fill_psi(arena, found, evaluation, rho);
      return arena.psi.data() + found.first_support;
    }
    const auto& table = arena.counts[static_cast<std::size_t>(channel.scale)];
    if (table.keys[ref.index].rho != rho) fill_counts(arena, ref.index, channel.scale, rho);
    evaluation.rho = rho;
    evaluation.value_norm = table.keys[ref.index].norm;
    return table.counts.data() + found.first_support;
  }

  /// Whether nodes keep costs by root image, as channels that count need them.
  bool keeps_roots() const { return keeps_roots_; }
  std::int32_t n_arenas() const { return static_cast<std::int32_t>(arenas_.size()); }
  std::int32_t arena_size(std::int32_t arena) const {
    return static_cast<std::int32_t>(arenas_[arena].nodes.size());
  }

  /// Takes the root costs of all nodes made so far, arena by arena; nodes to come
  /// must then be added with supports by root image.
  void keep_roots(std::vector<RootRuns> roots);

  /// Root costs of one support of a node, ascending, as (cost, images) runs.
  struct RootCosts {
    std::span<const double> costs;
    std::span<const std::int32_t> counts;
  };
  std::vector<RootCosts> root_costs(NodeRef ref) const;

  /// Writes the children of `parent` made by one extension. Only one thread may
  /// write to an arena at a time.
  void add_children(NodeRef parent, std::span<const NewChild> children, bool backward, bool forward,
                    Account& account);

  /// How far the arena has grown in which the children of `root` live.
  ArenaMark mark(NodeRef root) const;

  /// Undoes what was added to the arena of `root` after `mark`: the nodes, and that
  /// the nodes of `grown` have children.
  void shrink_to(const ArenaMark& mark, NodeRef root, std::span<const Growth> grown);

  /// Work of all searches until now.
  std::int64_t work_spent() const { return work_spent_; }
  void add_work(std::int64_t units) { work_spent_ += units; }

  /// One search at a time.
  std::mutex& mutex() { return mutex_; }

private:
  /// Counts of all supports, with the rho for which each node's were computed.
  struct CountTable {
    struct Key {
      double rho = 0.0;
      double norm = 0.0;
    };
    std::vector<Key> keys;       // by node
    std::vector<double> counts;  // by support
  };

  struct Arena {
    NodeRef top;
    std::vector<TreeNode> nodes;
    std::array<std::vector<Evaluation>, Channel::n_slots> evaluations;  // by node
    std::vector<std::int32_t> graphs;
    std::vector<double> costs;
    std::vector<double> psi;
    RootRuns roots;  // empty unless the tree keeps them
    std::array<CountTable, n_count_scales> counts;
  };

  void add_node(Arena& arena, TreeNode node, std::span<const Support> supports);
  void add_supports(Arena& arena, std::span<const Support> supports) const;
  void add_supports_by_root(Arena& arena, std::span<const Support> supports) const;
  void make_room_for_counts(Arena& arena) const;
  std::int64_t bytes_of_nodes(std::int64_t n_nodes, std::int64_t n_supports,
                              std::int64_t n_runs) const;
  void add_roots();
  void fill_psi(Arena& arena, const TreeNode& node, Evaluation& evaluation, double rho) const;
  void fill_counts(Arena& arena, std::int32_t index, CountScale scale, double rho) const;
  ChildRange add_range(NodeRef parent, std::span<const NewChild> children, bool forward);

  std::shared_ptr<const GraphSet> graphs_;
  StartCosts costs_;
  int maxpat_;
  std::int32_t n_roots_ = 0;
  std::vector<Arena> arenas_;
  std::array<ResidualHistory, n_divisors> histories_;
  std::array<bool, Channel::n_slots> has_channel_ = {true};  // which evaluations have room
  std::array<bool, n_count_scales> has_counts_ = {};
  bool keeps_roots_ = false;
  std::int64_t work_spent_ = 0;
  std::mutex mutex_;
};

}  // namespace aglets
