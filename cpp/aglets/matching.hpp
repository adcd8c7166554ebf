#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "graph_set.hpp"
#include "pattern.hpp"

namespace aglets {

/// Attributes of a graphlet, flat: node attributes row by row in node order,
/// then edge attributes row by row in edge order.
using FlatAttributes = std::span<const double>;

inline std::size_t flat_size(const Pattern& pattern, const GraphSet& graphs) {
  return pattern.n_nodes() * graphs.n_attributes() + pattern.n_edges() * graphs.n_edge_attributes();
}

inline std::span<const double> node_row(FlatAttributes z, const GraphSet& graphs, int node) {
  return z.subspan(node * graphs.n_attributes(), graphs.n_attributes());
}

inline std::span<const double> edge_row(FlatAttributes z, const GraphSet& graphs,
                                        const Pattern& pattern, int edge) {
  const auto width = graphs.n_edge_attributes();
  return z.subspan(pattern.n_nodes() * graphs.n_attributes() + edge * width, width);
}

/// The best embedding of a graphlet in one graph. `nodes` is empty if there is none.
struct Match {
  double cost;
  std::vector<std::int32_t> nodes;
};

/// Cost of a given embedding: sum of squared distances over nodes and edges.
double embedding_cost(const GraphSet& graphs, std::int32_t graph, const Pattern& pattern,
                      FlatAttributes z, std::span<const std::int32_t> nodes);

/// AGIS of one pattern on any graph: the embedding of minimum cost over all label-
/// and edge-preserving injections, exactly. Plain backtracking with the incumbent
/// as bound does for graphs with few embeddings; where it takes too many steps,
/// branch and bound takes over, so that symmetric graphs with astronomically
/// many embeddings need neither their memory nor their time.
class PatternMatcher {
public:
  PatternMatcher(const GraphSet& graphs, Pattern pattern);

  const Pattern& pattern() const { return pattern_; }

  /// Best embedding. Ties go to `previous` (an embedding in this graph, or
  /// empty), then to the first in TieOrder.
  Match best(std::int32_t graph, FlatAttributes z, std::span<const std::int32_t> previous,
             Ticker& ticker) const;

  /// Best embedding among those that put the root, which is the pattern's first
  /// node, on `image`; ties as above. The cost is that of the embedding.
  Match best_at(std::int32_t graph, std::int32_t image, FlatAttributes z,
                std::span<const std::int32_t> previous, Ticker& ticker) const;

  /// False if the graph has too few nodes of some label.
  bool can_occur(std::int32_t graph) const { return steps_for(graph) != nullptr; }

  /// Nodes of the graph on which some embedding puts the root, ascending.
  std::vector<std::int32_t> root_images(std::int32_t graph, Ticker& ticker) const;

  /// True if the graph holds the pattern, whatever the attributes.
  bool occurs(std::int32_t graph, Ticker& ticker) const;

  /// Appends all embeddings in this graph, node lists one after another; false
  /// and nothing appended if there are more than `max_count`.
  bool all(std::int32_t graph, std::size_t max_count, std::vector<std::int32_t>& nodes,
           Ticker& ticker) const;

private:
  Match previous_match(std::int32_t graph, FlatAttributes z,
                       std::span<const std::int32_t> previous) const;
  const std::vector<MatchStep>* steps_for(std::int32_t graph) const;

  const GraphSet& graphs_;
  Pattern pattern_;
  std::vector<std::vector<MatchStep>> steps_;  // by start node
  std::vector<std::pair<std::int32_t, std::int32_t>> label_counts_;
};

}  // namespace aglets
