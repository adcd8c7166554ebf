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
    throw std::invalid_argument(
        "type_starts must have one row per type and one column per attribute");
  if (n_edge_attributes > 0 && graphs.n_edges() > 0 &&
      starts.edge_starts.size() <
          static_cast<std::size_t>(graphs.n_edge_labels()) * n_edge_attributes)
    throw std::invalid_argument("edge_starts must have one row per edge label");
  last_types_.resize(type_labels_.size() + 1);
  for (std::size_t type = 0; type < type_labels_.size(); ++type)
    last_types_[type] = static_cast<std::int32_t>(
        std::upper_bound(type_labels_.begin(), type_labels_.end(), type_labels_[type]) -
        type_labels_.begin());
  last_types_.back() = n_types();
  const auto start = [&](std::int32_t type) {
    return std::span(starts.type_starts).subspan(type * d, d);
  };
  const bool has_more =
      std::adjacent_find(type_labels_.begin(), type_labels_.end()) != type_labels_.end();
  first_types_.reserve(graphs.n_nodes());
  first_costs_.reserve(graphs.n_nodes());
  if (has_more) more_offsets_.reserve(graphs.n_nodes());
  for (std::int64_t row = 0; row < graphs.n_nodes(); ++row) {
    const auto found =
        std::lower_bound(type_labels_.begin(), type_labels_.end(), graphs.label(row));
    const bool hosts = found != type_labels_.end() && *found == graphs.label(row);
    const auto first = hosts ? static_cast<std::int32_t>(found - type_labels_.begin()) : n_types();
    first_types_.push_back(first);
    first_costs_.push_back(hosts ? squared_distance(graphs.attributes(row), start(first)) : 0.0);
    if (!has_more) continue;
    more_offsets_.push_back(static_cast<std::int64_t>(more_costs_.size()));
    for (auto type = first + 1; type < last_types_[first]; ++type)
      more_costs_.push_back(squared_distance(graphs.attributes(row), start(type)));
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
