#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "graph_set.hpp"
#include "pattern.hpp"

namespace aglets {

/// Places a pattern's nodes step by step in one graph, in every way that keeps
/// labels and edges. The policy hears of each placement and may refuse it:
///   bool enter(std::size_t step, std::int32_t node, const Backtracking&)
///   bool complete(const Backtracking&)   // false ends the search
template <class Policy>
class Backtracking {
public:
  Backtracking(const GraphSet& graphs, std::int32_t graph, const Pattern& pattern,
               const std::vector<MatchStep>& steps, Ticker& ticker, Policy& policy)
      : graphs_(graphs),
        graph_(graph),
        base_(graphs.first_node(graph)),
        masks_(graphs.has_masks(graph) && !graphs.has_edge_labels() ? graphs.adjacency_masks(graph)
                                                                    : nullptr),
        pattern_(pattern),
        steps_(steps),
        ticker_(ticker),
        policy_(policy) {}

  void run() {
    const int start = steps_.front().node;
    for (const auto node : graphs_.nodes_with_label(graph_, pattern_.labels[start]))
      if (!place(0, node)) return;
  }

  /// The same with one image only for the node that is placed first.
  void run_at(std::int32_t image) {
    if (graphs_.label(base_ + image) == pattern_.labels[steps_.front().node]) place(0, image);
  }

  /// The node of each pattern node; those not placed yet are anything.
  std::span<const std::int32_t> nodes() const { return {nodes_.data(), pattern_.labels.size()}; }

private:
  bool place(std::size_t step, std::int32_t node) {
    ticker_.tick();
    const auto& current = steps_[step];
    nodes_[current.node] = node;
    if (!policy_.enter(step, node, *this)) return true;
    return step + 1 == steps_.size() ? policy_.complete(*this) : place_next(step + 1);
  }

  bool place_next(std::size_t step) {
    const auto& next = steps_[step];
    const auto label = pattern_.labels[next.node];
    const auto edge_label = pattern_.edges[next.anchor_edge].label;
    for (const auto [node, edge] : graphs_.neighbours(base_ + nodes_[next.anchor])) {
      if (graphs_.label(base_ + node) != label || graphs_.edge_label(edge) != edge_label) continue;
      if (is_used(step, node) || !closes(next, node)) continue;
      if (!place(step, node)) return false;
    }
    return true;
  }

  bool is_used(std::size_t step, std::int32_t node) const {
    for (std::size_t earlier = 0; earlier < step; ++earlier)
      if (nodes_[steps_[earlier].node] == node) return true;
    return false;
  }

  bool closes(const MatchStep& step, std::int32_t node) const {
    for (const auto& closing : step.closings) {
      const auto other = nodes_[closing.node];
      if (masks_ != nullptr) {
        if (((masks_[node] >> other) & 1) == 0) return false;
        continue;
      }
      const auto edge = graphs_.edge_between(graph_, node, other);
      if (edge < 0 || graphs_.edge_label(edge) != pattern_.edges[closing.edge].label) return false;
    }
    return true;
  }

  const GraphSet& graphs_;
  const std::int32_t graph_;
  const std::int64_t base_;
  const std::uint64_t* masks_;
  const Pattern& pattern_;
  const std::vector<MatchStep>& steps_;
  Ticker& ticker_;
  Policy& policy_;
  // On the stack: most graphs are done with before an allocation would be.
  std::array<std::int32_t, Pattern::max_nodes> nodes_;
};

}  // namespace aglets
