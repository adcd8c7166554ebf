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

  /// Types that a node (by row) may host: [first, first + count).
  std::int32_t first_type(std::int64_t row) const { return hosts_[row].first_type; }
  std::int32_t type_count(std::int64_t row) const { return hosts_[row].type_count; }
  double cost(std::int64_t row, std::int32_t type) const {
    const auto& host = hosts_[row];
    // With one type per label, all that is needed lies in one cache line.
    return type == host.first_type ? host.first_cost
                                   : costs_[host.offset + (type - host.first_type)];
  }
  bool can_host(std::int64_t row, std::int32_t type) const {
    const auto& host = hosts_[row];
    return type >= host.first_type && type < host.first_type + host.type_count;
  }
  double edge_cost(std::int32_t edge) const { return edge_costs_.empty() ? 0.0 : edge_costs_[edge]; }
  bool has_edge_costs() const { return !edge_costs_.empty(); }

private:
  struct Host {
    double first_cost;
    std::int64_t offset;
    std::int32_t first_type;
    std::int32_t type_count;
  };
  std::vector<std::int32_t> type_labels_;
  std::vector<Host> hosts_;
  std::vector<double> costs_;
  std::vector<double> edge_costs_;
};

}  // namespace aglets
