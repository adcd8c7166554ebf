#include "start_costs.hpp"

#include <algorithm>
#include <stdexcept>

#include "distance.hpp"

namespace aglets {

StartCosts::StartCosts(const GraphSet& graphs, const Starts& starts)
    : type_labels_(starts.type_labels) {
  const auto d = graphs.n_attributes();
  const auto n_edge_attributes = graphs.n_edge_attributes();
  if (!std::is_sorted(type_labels_.begin(), type_labels_.end()))
    throw std::invalid_argument("type_labels must be in ascending order");
  if (starts.type_starts.size() != type_labels_.size() * d)
    throw std::invalid_argument("type_starts must have one row per type and one column per attribute");
  if (n_edge_attributes > 0 && graphs.n_edges() > 0 &&
      starts.edge_starts.size() <
          static_cast<std::size_t>(graphs.n_edge_labels()) * n_edge_attributes)
    throw std::invalid_argument("edge_starts must have one row per edge label");
  hosts_.reserve(graphs.n_nodes());
  for (std::int64_t row = 0; row < graphs.n_nodes(); ++row) {
    const auto [first, last] =
        std::equal_range(type_labels_.begin(), type_labels_.end(), graphs.label(row));
    hosts_.push_back({0.0, static_cast<std::int64_t>(costs_.size()),
                      static_cast<std::int32_t>(first - type_labels_.begin()),
                      static_cast<std::int32_t>(last - first)});
    for (auto type = first - type_labels_.begin(); type < last - type_labels_.begin(); ++type)
      costs_.push_back(squared_distance(
          graphs.attributes(row), std::span(starts.type_starts).subspan(type * d, d)));
    if (first != last) hosts_.back().first_cost = costs_[hosts_.back().offset];
  }
  if (n_edge_attributes == 0) return;
  edge_costs_.reserve(graphs.n_edges());
  for (std::int32_t edge = 0; edge < graphs.n_edges(); ++edge) {
    const auto label = graphs.edge_label(edge);
    edge_costs_.push_back(
        label < 0 ? 0.0
                  : squared_distance(graphs.edge_attributes(edge),
                                     std::span(starts.edge_starts)
                                         .subspan(label * n_edge_attributes, n_edge_attributes)));
  }
}

}  // namespace aglets
