#include "matching.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "backtracking.hpp"
#include "branch_and_bound.hpp"
#include "distance.hpp"
#include "tie_order.hpp"

namespace aglets {

namespace {

/// Placements after which plain backtracking gives way to branch and bound.
constexpr std::int64_t max_placements = 20000;

/// Keeps the best embedding met so far and refuses placements that cost more.
class BestSoFar {
public:
  BestSoFar(const GraphSet& graphs, std::int32_t graph, const Pattern& pattern,
            const std::vector<MatchStep>& steps, FlatAttributes z, Match best, bool settled)
      : graphs_(graphs),
        graph_(graph),
        base_(graphs.first_node(graph)),
        pattern_(pattern),
        steps_(steps),
        z_(z),
        best_(std::move(best)),
        settled_(settled) {
    costs_[0] = 0.0;
  }

  template <class Search>
  bool enter(std::size_t step, std::int32_t node, const Search& search) {
    ++n_placements_;
    double cost = costs_[step] + squared_distance(node_row(z_, graphs_, steps_[step].node),
                                                  graphs_.attributes(base_ + node));
    if (graphs_.n_edge_attributes() > 0) cost += edge_costs(steps_[step], search.nodes());
    costs_[step + 1] = cost;
    return cost <= tie_limit(best_.cost) && n_placements_ <= max_placements;
  }

  template <class Search>
  bool complete(const Search& search) {
    const double cost = costs_[steps_.size()];
    const auto nodes = search.nodes();
    if (best_.nodes.empty() || clearly_less(cost, best_.cost)) {
      best_.cost = cost;
      best_.nodes.assign(nodes.begin(), nodes.end());
      settled_ = false;
    } else if (!settled_ && TieOrder(graphs_, graph_, pattern_).precedes(nodes, best_.nodes)) {
      best_.cost = std::min(cost, best_.cost);
      best_.nodes.assign(nodes.begin(), nodes.end());
    }
    return true;
  }

  bool gave_up() const { return n_placements_ > max_placements; }
  Match take() { return std::move(best_); }

private:
  double edge_costs(const MatchStep& step, std::span<const std::int32_t> nodes) const {
    if (step.anchor < 0) return 0.0;
    double cost = edge_cost(step.anchor_edge, nodes);
    for (const auto& closing : step.closings) cost += edge_cost(closing.edge, nodes);
    return cost;
  }

  double edge_cost(int index, std::span<const std::int32_t> nodes) const {
    const auto& edge = pattern_.edges[index];
    const auto found = graphs_.edge_between(graph_, nodes[edge.u], nodes[edge.v]);
    return squared_distance(edge_row(z_, graphs_, pattern_, index), graphs_.edge_attributes(found));
  }

  const GraphSet& graphs_;
  const std::int32_t graph_;
  const std::int64_t base_;
  const Pattern& pattern_;
  const std::vector<MatchStep>& steps_;
  FlatAttributes z_;
  Match best_;
  bool settled_;  // the incumbent is the previous embedding: ties do not replace it
  std::array<double, Pattern::max_nodes + 1> costs_;  // of the first so many steps
  std::int64_t n_placements_ = 0;
};

/// Stops at the first embedding.
struct FirstMet {
  bool met = false;

  template <class Search>
  bool enter(std::size_t, std::int32_t, const Search&) {
    return true;
  }
  template <class Search>
  bool complete(const Search&) {
    met = true;
    return false;
  }
};

/// Collects every embedding, up to a count.
class CollectAll {
public:
  CollectAll(std::size_t max_count, std::vector<std::int32_t>& nodes)
      : max_count_(max_count), max_placements_(100000 + 16 * max_count), nodes_(nodes) {}

  template <class Search>
  bool enter(std::size_t, std::int32_t, const Search&) {
    return ++n_placements_ <= max_placements_;
  }

  template <class Search>
  bool complete(const Search& search) {
    if (++count_ > max_count_) return false;
    nodes_.insert(nodes_.end(), search.nodes().begin(), search.nodes().end());
    return true;
  }

  bool gave_up() const { return count_ > max_count_ || n_placements_ > max_placements_; }

private:
  std::size_t max_count_;
  std::size_t max_placements_;  // dead ends may be many where embeddings are few
  std::size_t n_placements_ = 0;
  std::size_t count_ = 0;
  std::vector<std::int32_t>& nodes_;
};

}  // namespace

double embedding_cost(const GraphSet& graphs, std::int32_t graph, const Pattern& pattern,
                      FlatAttributes z, std::span<const std::int32_t> nodes) {
  const auto base = graphs.first_node(graph);
  double cost = 0.0;
  for (int node = 0; node < pattern.n_nodes(); ++node)
    cost += squared_distance(node_row(z, graphs, node), graphs.attributes(base + nodes[node]));
  if (graphs.n_edge_attributes() == 0) return cost;
  for (int index = 0; index < pattern.n_edges(); ++index) {
    const auto& edge = pattern.edges[index];
    const auto found = graphs.edge_between(graph, nodes[edge.u], nodes[edge.v]);
    cost += squared_distance(edge_row(z, graphs, pattern, index), graphs.edge_attributes(found));
  }
  return cost;
}

PatternMatcher::PatternMatcher(const GraphSet& graphs, Pattern pattern)
    : graphs_(graphs), pattern_(std::move(pattern)) {
  check_pattern(pattern_);
  for (int start = 0; start < pattern_.n_nodes(); ++start)
    steps_.push_back(match_steps(pattern_, start));
  auto labels = pattern_.labels;
  std::sort(labels.begin(), labels.end());
  for (const auto label : labels) {
    if (label_counts_.empty() || label_counts_.back().first != label)
      label_counts_.push_back({label, 0});
    ++label_counts_.back().second;
  }
}

/// Steps that start at the node whose label is rarest in this graph; null if
/// the graph has too few nodes of some label.
const std::vector<MatchStep>* PatternMatcher::steps_for(std::int32_t graph) const {
  std::size_t rarest = SIZE_MAX;
  std::int32_t rarest_label = -1;
  for (const auto& [label, count] : label_counts_) {
    const auto held = graphs_.nodes_with_label(graph, label).size();
    if (held < static_cast<std::size_t>(count)) return nullptr;
    if (held >= rarest) continue;
    rarest = held;
    rarest_label = label;
  }
  const auto start = std::find(pattern_.labels.begin(), pattern_.labels.end(), rarest_label);
  return &steps_[start - pattern_.labels.begin()];
}

Match PatternMatcher::best(std::int32_t graph, FlatAttributes z,
                           std::span<const std::int32_t> previous, Ticker& ticker) const {
  const auto* steps = steps_for(graph);
  if (steps == nullptr) return {HUGE_VAL, {}};
  const auto incumbent = previous_match(graph, z, previous);
  BestSoFar policy(graphs_, graph, pattern_, *steps, z, incumbent, !previous.empty());
  Backtracking(graphs_, graph, pattern_, *steps, ticker, policy).run();
  if (!policy.gave_up()) return policy.take();
  return branch_and_bound(graphs_, graph, pattern_, z, incumbent, ticker);
}

Match PatternMatcher::previous_match(std::int32_t graph, FlatAttributes z,
                                     std::span<const std::int32_t> previous) const {
  if (previous.empty()) return {HUGE_VAL, {}};
  return {embedding_cost(graphs_, graph, pattern_, z, previous),
          {previous.begin(), previous.end()}};
}

Match PatternMatcher::best_at(std::int32_t graph, std::int32_t image, FlatAttributes z,
                              std::span<const std::int32_t> previous, Ticker& ticker) const {
  const auto incumbent = previous_match(graph, z, previous);
  BestSoFar policy(graphs_, graph, pattern_, steps_[0], z, incumbent, !previous.empty());
  Backtracking(graphs_, graph, pattern_, steps_[0], ticker, policy).run_at(image);
  auto best = policy.gave_up()
                  ? branch_and_bound_at(graphs_, graph, pattern_, z, image, incumbent, ticker)
                  : policy.take();
  // Of embeddings that tie, costs differ in the last digits and depend on the order of the search.
  if (!best.nodes.empty()) best.cost = embedding_cost(graphs_, graph, pattern_, z, best.nodes);
  return best;
}

std::vector<std::int32_t> PatternMatcher::root_images(std::int32_t graph, Ticker& ticker) const {
  std::vector<std::int32_t> images;
  if (!can_occur(graph)) return images;
  for (const auto image : graphs_.nodes_with_label(graph, pattern_.labels[0])) {
    FirstMet policy;
    Backtracking(graphs_, graph, pattern_, steps_[0], ticker, policy).run_at(image);
    if (policy.met) images.push_back(image);
  }
  return images;
}

bool PatternMatcher::occurs(std::int32_t graph, Ticker& ticker) const {
  const auto* steps = steps_for(graph);
  if (steps == nullptr) return false;
  FirstMet policy;
  Backtracking(graphs_, graph, pattern_, *steps, ticker, policy).run();
  return policy.met;
}

bool PatternMatcher::all(std::int32_t graph, std::size_t max_count,
                         std::vector<std::int32_t>& nodes, Ticker& ticker) const {
  const auto* steps = steps_for(graph);
  if (steps == nullptr) return true;
  const auto before = nodes.size();
  CollectAll policy(max_count, nodes);
  Backtracking(graphs_, graph, pattern_, *steps, ticker, policy).run();
  if (policy.gave_up()) nodes.resize(before);
  return !policy.gave_up();
}

}  // namespace aglets
