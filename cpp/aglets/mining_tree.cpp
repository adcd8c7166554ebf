#include "mining_tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace aglets {

namespace {

/// Bytes that one tree node and one of its supports take without counts.
constexpr std::int64_t bytes_per_node = sizeof(TreeNode) + sizeof(Evaluation);
constexpr std::int64_t bytes_per_support = sizeof(std::int32_t) + 2 * sizeof(double);

/// Supports by root image of one graph follow each other.
std::int64_t n_different_graphs(std::span<const Support> supports) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < supports.size(); ++i)
    count += i == 0 || supports[i].graph != supports[i - 1].graph;
  return count;
}

}  // namespace

MiningTree::MiningTree(std::shared_ptr<const GraphSet> graphs, const Starts& starts, int maxpat)
    : graphs_(std::move(graphs)), costs_(*graphs_, starts), maxpat_(maxpat) {
  if (maxpat < 1 || maxpat > DfsCode::max_nodes)
    throw std::invalid_argument("maxpat must be from 1 to " + std::to_string(DfsCode::max_nodes));
  add_roots();
}

void MiningTree::add_roots() {
  arenas_.emplace_back();
  arenas_[0].top = {-1, -1};
  for (std::int32_t type = 0; type < costs_.n_types(); ++type) {
    std::vector<Support> supports;
    for (std::int32_t graph = 0; graph < graphs_->size(); ++graph) {
      const auto nodes = graphs_->nodes_with_label(graph, costs_.label_of(type));
      if (nodes.empty()) continue;
      Support support{graph, 0, HUGE_VAL};
      for (const auto node : nodes)
        support.cost = std::min(support.cost, costs_.cost(graphs_->first_node(graph) + node, type));
      supports.push_back(support);
    }
    if (supports.empty()) continue;
    TreeNode root{};
    root.parent = -1;
    root.to_type = type;
    root.n_nodes = 1;
    root.backward = {0, 0};
    root.own_arena = -1;
    add_node(arenas_[0], root, supports);
    ++n_roots_;
  }
}

void MiningTree::add_node(Arena& arena, TreeNode node, std::span<const Support> supports) {
  node.first_support = static_cast<std::int64_t>(arena.graphs.size());
  if (keeps_roots_)
    add_supports_by_root(arena, supports);
  else
    add_supports(arena, supports);
  node.n_supports = static_cast<std::int32_t>(arena.graphs.size() - node.first_support);
  arena.nodes.push_back(node);
  arena.evaluations[0].emplace_back();
  arena.psi.resize(arena.graphs.size());
  if (keeps_roots_) make_room_for_counts(arena);
}

void MiningTree::add_supports(Arena& arena, std::span<const Support> supports) const {
  for (const auto& support : supports) {
    arena.graphs.push_back(support.graph);
    arena.costs.push_back(support.cost);
  }
}

void MiningTree::add_supports_by_root(Arena& arena, std::span<const Support> supports) const {
  std::vector<double> by_root;
  arena.roots.begin_node();
  for (std::size_t begin = 0, end = 0; begin < supports.size(); begin = end) {
    by_root.clear();
    for (; end < supports.size() && supports[end].graph == supports[begin].graph; ++end)
      by_root.push_back(supports[end].cost);
    arena.roots.add_support(by_root);
    arena.graphs.push_back(supports[begin].graph);
    arena.costs.push_back(by_root.front());
  }
}

/// Room for evaluations of all nodes and counts of all supports, in the channels
/// that were asked for.
void MiningTree::make_room_for_counts(Arena& arena) const {
  for (std::size_t slot = 1; slot < Channel::n_slots; ++slot)
    if (has_channel_[slot]) arena.evaluations[slot].resize(arena.nodes.size());
  for (std::size_t scale = 0; scale < n_count_scales; ++scale) {
    if (!has_counts_[scale]) continue;
    arena.counts[scale].keys.resize(arena.nodes.size());
    arena.counts[scale].counts.resize(arena.graphs.size());
  }
}

std::int64_t MiningTree::n_nodes() const {
  std::int64_t total = 0;
  for (const auto& arena : arenas_) total += static_cast<std::int64_t>(arena.nodes.size());
  return total;
}

std::int64_t MiningTree::n_bytes() const {
  std::int64_t total = 0;
  for (const auto& arena : arenas_)
    total += bytes_of_nodes(static_cast<std::int64_t>(arena.nodes.size()),
                            static_cast<std::int64_t>(arena.graphs.size()),
                            static_cast<std::int64_t>(arena.roots.costs.size()));
  return total;
}

bool MiningTree::contains(NodeRef ref) const {
  return ref.arena >= 0 && ref.arena < static_cast<std::int32_t>(arenas_.size()) &&
         ref.index >= 0 && ref.index < static_cast<std::int32_t>(arenas_[ref.arena].nodes.size());
}

DfsCode MiningTree::code(NodeRef ref) const {
  std::vector<const TreeNode*> chain;
  while (ref.arena >= 0) {
    const auto& current = node(ref);
    chain.push_back(&current);
    if (current.parent >= 0)
      ref.index = current.parent;
    else
      ref = arenas_[ref.arena].top;
  }
  DfsCode code(chain.back()->to_type);
  for (auto link = chain.rbegin() + 1; link != chain.rend(); ++link)
    code.push((*link)->edge, (*link)->to_type);
  return code;
}

std::span<const std::int32_t> MiningTree::support_graphs(NodeRef ref) const {
  const auto& found = node(ref);
  return {arenas_[ref.arena].graphs.data() + found.first_support,
          static_cast<std::size_t>(found.n_supports)};
}

std::span<const double> MiningTree::support_costs(NodeRef ref) const {
  const auto& found = node(ref);
  return {arenas_[ref.arena].costs.data() + found.first_support,
          static_cast<std::size_t>(found.n_supports)};
}

void MiningTree::prepare(const Query& query) {
  const auto layout = ResidualLayout::of(query.n_outputs);
  std::array<bool, n_divisors> is_set = {};
  for (const auto& channel : query.channels) {
    has_channel_[channel.slot()] = true;
    if (channel.counts()) has_counts_[static_cast<std::size_t>(channel.scale)] = true;
    const auto divisor = static_cast<std::size_t>(channel.divisor());
    if (is_set[divisor]) continue;
    histories_[divisor].set(laid_out(query, *graphs_, channel.divisor()), layout, query.sharing);
    is_set[divisor] = true;
  }
  for (auto& arena : arenas_) make_room_for_counts(arena);
}

void MiningTree::fill_psi(Arena& arena, const TreeNode& node, Evaluation& evaluation,
                          double rho) const {
  auto* psi = arena.psi.data() + node.first_support;
  const auto* costs = arena.costs.data() + node.first_support;
  double squares = 0.0;
  for (std::int32_t i = 0; i < node.n_supports; ++i) {
    psi[i] = std::exp(-rho * costs[i]);
    squares += psi[i] * psi[i];
  }
  evaluation.rho = rho;
  evaluation.value_norm = std::sqrt(squares);
}

void MiningTree::fill_counts(Arena& arena, std::int32_t index, CountScale scale, double rho) const {
  const auto& node = arena.nodes[index];
  auto& table = arena.counts[static_cast<std::size_t>(scale)];
  auto run = arena.roots.first[index];
  double squares = 0.0;
  for (auto i = node.first_support; i < node.first_support + node.n_supports; ++i) {
    double count = 0.0;
    for (const auto end = run + arena.roots.n_runs[i]; run < end; ++run)
      count += arena.roots.counts[run] * std::exp(-rho * arena.roots.costs[run]);
    const double value = scale == CountScale::raw ? count : std::sqrt(count);
    table.counts[i] = value;
    squares += value * value;
  }
  table.keys[index] = {rho, std::sqrt(squares)};
}

void MiningTree::keep_roots(std::vector<RootRuns> roots) {
  for (std::size_t arena = 0; arena < arenas_.size(); ++arena)
    arenas_[arena].roots = std::move(roots[arena]);
  keeps_roots_ = true;
}

std::vector<MiningTree::RootCosts> MiningTree::root_costs(NodeRef ref) const {
  const auto& roots = arenas_[ref.arena].roots;
  const auto& found = node(ref);
  auto run = roots.first[ref.index];
  std::vector<RootCosts> by_support;
  for (auto i = found.first_support; i < found.first_support + found.n_supports; ++i) {
    const auto n = static_cast<std::size_t>(roots.n_runs[i]);
    by_support.push_back({{roots.costs.data() + run, n}, {roots.counts.data() + run, n}});
    run += roots.n_runs[i];
  }
  return by_support;
}

std::int64_t MiningTree::bytes_of_nodes(std::int64_t n_nodes, std::int64_t n_supports,
                                        std::int64_t n_runs) const {
  auto total = n_nodes * bytes_per_node + n_supports * bytes_per_support;
  for (std::size_t slot = 1; slot < Channel::n_slots; ++slot)
    if (has_channel_[slot]) total += n_nodes * static_cast<std::int64_t>(sizeof(Evaluation));
  for (const bool kept : has_counts_)
    if (kept)
      total += n_nodes * static_cast<std::int64_t>(sizeof(CountTable::Key)) +
               n_supports * static_cast<std::int64_t>(sizeof(double));
  if (keeps_roots_) total += RootRuns::bytes_for(n_nodes, n_supports, n_runs);
  return total;
}

void MiningTree::add_children(NodeRef parent, std::span<const NewChild> children, bool backward,
                              bool forward, Account& account) {
  std::int64_t n_supports = 0, n_graphs = 0;
  for (const auto& child : children) {
    n_supports += static_cast<std::int64_t>(child.supports.size());
    n_graphs += n_different_graphs(child.supports);
  }
  const auto count = static_cast<std::int64_t>(children.size());
  account.keep(count, bytes_of_nodes(count, n_graphs, n_supports));
  // Children come in DFS code order: the backward ones first.
  const auto middle = std::partition_point(children.begin(), children.end(),
                                           [](const NewChild& c) { return !c.edge.is_forward(); });
  const auto n_backward = static_cast<std::size_t>(middle - children.begin());
  if (backward) {
    const auto range = add_range(parent, children.first(n_backward), false);
    arenas_[parent.arena].nodes[parent.index].backward = range;
  }
  if (forward) {
    const auto range = add_range(parent, children.subspan(n_backward), true);
    arenas_[parent.arena].nodes[parent.index].forward = range;
  }
}

ArenaMark MiningTree::mark(NodeRef root) const {
  const auto& arena = arenas_[node(root).own_arena];
  return {arena.nodes.size(), arena.graphs.size(), arena.roots.costs.size()};
}

void MiningTree::shrink_to(const ArenaMark& mark, NodeRef root, std::span<const Growth> grown) {
  auto& arena = arenas_[node(root).own_arena];
  arena.nodes.resize(mark.n_nodes);
  arena.graphs.resize(mark.n_supports);
  arena.costs.resize(mark.n_supports);
  if (keeps_roots_) arena.roots.shrink(mark.n_nodes, mark.n_supports, mark.n_runs);
  arena.evaluations[0].resize(mark.n_nodes);
  arena.psi.resize(mark.n_supports);
  make_room_for_counts(arena);
  for (const auto& [parent, backward, forward] : grown) {
    if (!contains(parent)) continue;  // gone itself
    auto& above = arenas_[parent.arena].nodes[parent.index];
    if (backward) above.backward = {};
    if (forward) above.forward = {};
  }
}

ChildRange MiningTree::add_range(NodeRef parent, std::span<const NewChild> children, bool forward) {
  const auto above = node(parent);
  const auto into = above.own_arena >= 0 ? above.own_arena : parent.arena;
  const ChildRange range{static_cast<std::int32_t>(arenas_[into].nodes.size()),
                         static_cast<std::int32_t>(children.size())};
  for (const auto& child : children) {
    TreeNode made{};
    made.parent = above.own_arena >= 0 ? -1 : parent.index;
    made.edge = child.edge;
    made.to_type = child.to_type;
    made.n_nodes = static_cast<std::int16_t>(above.n_nodes + (forward ? 1 : 0));
    made.n_edges = static_cast<std::int16_t>(above.n_edges + 1);
    made.own_arena = -1;
    if (child.barren || made.n_nodes <= 2) made.backward = {0, 0};
    if (child.barren) made.forward = {0, 0};
    add_node(arenas_[into], made, child.supports);
    if (into == 0 && made.n_edges == trunk_edges && !child.barren) {
      auto& trunk = arenas_[0];
      trunk.nodes.back().own_arena = static_cast<std::int32_t>(arenas_.size());
      const NodeRef top{0, static_cast<std::int32_t>(trunk.nodes.size()) - 1};
      arenas_.emplace_back();
      arenas_.back().top = top;
    }
  }
  return range;
}

}  // namespace aglets
