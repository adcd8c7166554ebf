#pragma once

#include <cstdint>
#include <span>

#include "graph_set.hpp"
#include "pattern.hpp"

namespace aglets {

/// Costs that differ by less than this share of themselves count as equal:
/// far above rounding, far below anything that means something.
inline constexpr double tie_tolerance = 1e-9;

/// Costs below this are clearly less than `cost`.
inline double clear_limit(double cost) { return cost * (1.0 - tie_tolerance); }

/// Costs up to this are equal to `cost` where it is the minimum.
inline double tie_limit(double cost) { return cost * (1.0 + tie_tolerance); }

inline bool clearly_less(double a, double b) { return a < clear_limit(b); }

bool row_precedes(std::span<const double> a, std::span<const double> b);

/// The one rule for embeddings of a pattern in one graph that cost the same: the
/// matched attribute rows are read place by place, the pattern's nodes in their
/// order and then its edges in theirs, and the embedding whose rows come first
/// lexicographically wins. Nothing here looks at the numbering of the graph's
/// nodes. Every matcher asks this class; it holds references only.
class TieOrder {
public:
  TieOrder(const GraphSet& graphs, std::int32_t graph, const Pattern& pattern)
      : graphs_(graphs), graph_(graph), pattern_(pattern) {}

  int n_places() const {
    return pattern_.n_nodes() + (graphs_.n_edge_attributes() > 0 ? pattern_.n_edges() : 0);
  }
  bool is_edge(int place) const { return place >= pattern_.n_nodes(); }
  int edge(int place) const { return place - pattern_.n_nodes(); }

  /// A node of the pattern that takes part in the place.
  int node(int place) const { return is_edge(place) ? pattern_.edges[edge(place)].u : place; }

  /// The row that an embedding matches at a place.
  std::span<const double> row(int place, std::span<const std::int32_t> nodes) const;

  /// True if embedding `a` comes before embedding `b`.
  bool precedes(std::span<const std::int32_t> a, std::span<const std::int32_t> b) const;

  /// True if both match the same rows: they cost the same whatever the attributes.
  bool same(std::span<const std::int32_t> a, std::span<const std::int32_t> b) const {
    return !precedes(a, b) && !precedes(b, a);
  }

private:
  const GraphSet& graphs_;
  std::int32_t graph_;
  const Pattern& pattern_;
};

}  // namespace aglets
