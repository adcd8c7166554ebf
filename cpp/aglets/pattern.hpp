#pragma once

#include <cstdint>
#include <vector>

namespace aglets {

/// A connected labelled graph to be matched: labels and edge labels are codes of
/// the graph set it is matched in; a negative code matches nothing.
struct Pattern {
  static constexpr int max_nodes = 64;

  struct Edge {
    std::int32_t u;
    std::int32_t v;
    std::int32_t label;
  };
  std::vector<std::int32_t> labels;
  std::vector<Edge> edges;

  int n_nodes() const { return static_cast<int>(labels.size()); }
  int n_edges() const { return static_cast<int>(edges.size()); }
};

/// Throws std::invalid_argument unless the pattern has from 1 to 64 nodes, is
/// connected, and its edges join two of its nodes, each pair once.
void check_pattern(const Pattern& pattern);

/// The order in which a pattern's nodes are matched. Every node after the first
/// hangs on an earlier one (`anchor`); edges to further earlier nodes are `closings`.
struct MatchStep {
  struct Closing {
    int node;
    int edge;
  };
  int node;
  int anchor = -1;
  int anchor_edge = -1;
  std::vector<Closing> closings;
};

/// Steps from `start`, most constrained node first.
std::vector<MatchStep> match_steps(const Pattern& pattern, int start);

}  // namespace aglets
