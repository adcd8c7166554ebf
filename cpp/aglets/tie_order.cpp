#include "tie_order.hpp"

#include <algorithm>

namespace aglets {

bool row_precedes(std::span<const double> a, std::span<const double> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

std::span<const double> TieOrder::row(int place, std::span<const std::int32_t> nodes) const {
  if (!is_edge(place)) return graphs_.attributes(graphs_.first_node(graph_) + nodes[place]);
  const auto& edge = pattern_.edges[this->edge(place)];
  return graphs_.edge_attributes(graphs_.edge_between(graph_, nodes[edge.u], nodes[edge.v]));
}

bool TieOrder::precedes(std::span<const std::int32_t> a, std::span<const std::int32_t> b) const {
  const int n = n_places();
  for (int place = 0; place < n; ++place) {
    if (!is_edge(place) && a[place] == b[place]) continue;
    const auto x = row(place, a), y = row(place, b);
    const auto [in_x, in_y] = std::mismatch(x.begin(), x.end(), y.begin());
    if (in_x != x.end()) return *in_x < *in_y;
  }
  return false;
}

}  // namespace aglets
