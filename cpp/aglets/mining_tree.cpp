#include "mining_tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "distance.hpp"

namespace aglets {

namespace {

/// How many residuals back an evaluation is worth remembering.
constexpr std::size_t remembered_residuals = 32;

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
  node.n_supports = static_cast<std::int32_t>(supports.size());
  arena.nodes.push_back(node);
  arena.evaluations.emplace_back();
  for (const auto& support : supports) {
    arena.graphs.push_back(support.graph);
    arena.costs.push_back(support.cost);
  }
  arena.psi.resize(arena.graphs.size());
}

std::int64_t MiningTree::n_nodes() const {
  std::int64_t total = 0;
  for (const auto& arena : arenas_) total += static_cast<std::int64_t>(arena.nodes.size());
  return total;
}

std::int64_t MiningTree::n_bytes() const {
  std::int64_t total = 0;
  for (const auto& arena : arenas_)
    total += static_cast<std::int64_t>(arena.nodes.size()) * bytes_per_node +
             static_cast<std::int64_t>(arena.graphs.size()) * bytes_per_support;
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

void MiningTree::set_residual(std::span<const double> residual) {
  residuals_.emplace_back(residual.begin(), residual.end());
  if (residuals_.size() > remembered_residuals) residuals_.pop_front();
  ++n_residuals_;
  drift_.clear();
  for (const auto& earlier : residuals_)
    drift_.push_back(std::sqrt(squared_distance(earlier, residual)));
}

Gradient MiningTree::gradient(NodeRef ref, double rho) {
  auto& arena = arenas_[ref.arena];
  const auto& found = arena.nodes[ref.index];
  auto& evaluation = arena.evaluations[ref.index];
  const auto& residual = residuals_.back();
  const auto n = static_cast<std::size_t>(found.n_supports);
  const auto* graphs = arena.graphs.data() + found.first_support;
  auto* psi = arena.psi.data() + found.first_support;
  if (evaluation.rho != rho) {
    const auto* costs = arena.costs.data() + found.first_support;
    double squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      psi[i] = std::exp(-rho * costs[i]);
      squares += psi[i] * psi[i];
    }
    evaluation.rho = rho;
    evaluation.psi_norm = std::sqrt(squares);
  }
  // Four sums of each sign side by side: one would wait for its own last addition.
  double positive[4] = {}, negative[4] = {};
  const auto add = [&](std::size_t i, int lane) {
    const double term = residual[graphs[i]] * psi[i];
    positive[lane] += std::max(term, 0.0);
    negative[lane] += std::min(term, 0.0);
  };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int lane = 0; lane < 4; ++lane) add(i + lane, lane);
  for (; i < n; ++i) add(i, 0);
  const double up = (positive[0] + positive[1]) + (positive[2] + positive[3]);
  const double down = (negative[0] + negative[1]) + (negative[2] + negative[3]);
  evaluation.g = up + down;
  evaluation.g_bar = std::max(up, -down);
  evaluation.residual = n_residuals_ - 1;
  return {evaluation.g, evaluation.g_bar};
}

RememberedGradient MiningTree::remembered(NodeRef ref, double rho) const {
  const auto& evaluation = arenas_[ref.arena].evaluations[ref.index];
  const auto place =
      evaluation.residual - (n_residuals_ - static_cast<std::int64_t>(drift_.size()));
  if (evaluation.rho != rho || place < 0) return {0.0, 0.0, HUGE_VAL};
  // A hair more than the bound, for the rounding in both sums.
  const double slack = 1.000001 * drift_[place] * evaluation.psi_norm + 1e-12 * evaluation.g_bar;
  return {evaluation.g, evaluation.g_bar, slack};
}

void MiningTree::add_children(NodeRef parent, std::span<const NewChild> children, bool backward,
                              bool forward, Budget& budget) {
  std::int64_t n_supports = 0;
  for (const auto& child : children) n_supports += static_cast<std::int64_t>(child.supports.size());
  const auto count = static_cast<std::int64_t>(children.size());
  budget.add_nodes(count);
  budget.add_bytes(count * bytes_per_node + n_supports * bytes_per_support);
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
