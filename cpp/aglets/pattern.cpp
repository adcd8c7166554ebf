#include "pattern.hpp"

#include <stdexcept>

namespace aglets {

void check_pattern(const Pattern& pattern) {
  const int n = pattern.n_nodes();
  if (n < 1 || n > Pattern::max_nodes)
    throw std::invalid_argument("a graphlet must have from 1 to 64 nodes");
  std::vector<std::uint64_t> adjacency(n, 0);
  for (const auto& edge : pattern.edges) {
    if (edge.u < 0 || edge.v < 0 || edge.u >= n || edge.v >= n || edge.u == edge.v)
      throw std::invalid_argument("a graphlet's edges must join two different nodes of it");
    if (((adjacency[edge.u] >> edge.v) & 1) != 0)
      throw std::invalid_argument("a graphlet's edges must not repeat");
    adjacency[edge.u] |= std::uint64_t{1} << edge.v;
    adjacency[edge.v] |= std::uint64_t{1} << edge.u;
  }
  if (match_steps(pattern, 0).size() != static_cast<std::size_t>(n))
    throw std::invalid_argument("a graphlet must be connected");
}

std::vector<MatchStep> match_steps(const Pattern& pattern, int start) {
  const int n = pattern.n_nodes();
  std::vector<int> degree(n, 0), n_placed_neighbours(n, 0);
  std::vector<bool> placed(n, false);
  for (const auto& edge : pattern.edges) {
    ++degree[edge.u];
    ++degree[edge.v];
  }
  std::vector<MatchStep> steps;
  for (int next = start; next >= 0;) {
    MatchStep step{next, -1, -1, {}};
    placed[next] = true;
    for (int index = 0; index < pattern.n_edges(); ++index) {
      const auto& edge = pattern.edges[index];
      if (edge.u != next && edge.v != next) continue;
      const int other = edge.u == next ? edge.v : edge.u;
      ++n_placed_neighbours[other];
      if (!placed[other]) continue;
      if (step.anchor < 0) {
        step.anchor = other;
        step.anchor_edge = index;
      } else {
        step.closings.push_back({other, index});
      }
    }
    steps.push_back(std::move(step));
    next = -1;
    for (int node = 0; node < n; ++node) {
      if (placed[node] || n_placed_neighbours[node] == 0) continue;
      if (next < 0 || n_placed_neighbours[node] > n_placed_neighbours[next] ||
          (n_placed_neighbours[node] == n_placed_neighbours[next] && degree[node] > degree[next]))
        next = node;
    }
  }
  return steps;
}

}  // namespace aglets
