#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph_set.hpp"

namespace aglets {

/// Node types and the attributes with which graphlets start. A type is a label
/// with a starting vector; several types may share a label. `type_labels` is
/// ascending, so the types of one label are neighbours. One starting vector per
/// edge label stands in `edge_starts`.
struct Starts {
  std::vector<std::int32_t> type_labels;
  std::vector<double> type_starts;
  std::vector<double> edge_starts;
};

/// What it costs each node to host each type of its label, c = |z_v - start|^2,
/// and each edge to stand for an edge of its label. An untrained graphlet
/// matches at the sum of these numbers, whatever rho.
class StartCosts {
public:
  StartCosts(const GraphSet& graphs, const Starts& starts);

  std::int32_t n_types() const { return static_cast<std::int32_t>(type_labels_.size()); }
  std::int32_t label_of(std::int32_t type) const { return type_labels_[type]; }

  /// Types that a node (by row) may host: [first, last).
  std::int32_t first_type(std::int64_t row) const { return first_types_[row]; }
  std::int32_t last_type(std::int64_t row) const { return last_types_[first_types_[row]]; }
  double cost(std::int64_t row, std::int32_t type) const {
    const auto first = first_types_[row];
    return type == first ? first_costs_[row] : more_costs_[more_offsets_[row] + (type - first - 1)];
  }
  bool can_host(std::int64_t row, std::int32_t type) const {
    return type >= first_type(row) && type < last_type(row);
  }
  double edge_cost(std::int32_t edge) const {
    return edge_costs_.empty() ? 0.0 : edge_costs_[edge];
  }
  bool has_edge_costs() const { return !edge_costs_.empty(); }

private:
  std::vector<std::int32_t> type_labels_;
  // The first type of a node's label and its cost are what the miner asks for all the time, so
  // they stand alone; nodes that host nothing have n_types as their first and last type.
  std::vector<std::int32_t> first_types_;
  std::vector<double> first_costs_;
  std::vector<std::int32_t> last_types_;    // by first type
  std::vector<std::int64_t> more_offsets_;  // by row; empty if no label has several types
  std::vector<double> more_costs_;
  std::vector<double> edge_costs_;
};

}  // namespace aglets
