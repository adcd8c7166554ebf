#pragma once

#include <cstdint>
#include <vector>

#include "aglets/dfs_code.hpp"
#include "arrays.hpp"

namespace aglets::python {

/// Edges of a DFS code as an (m, 2) array, in code order.
inline auto edge_array(const std::vector<CodeEdge>& edges) {
  std::vector<std::int32_t> ends;
  for (const auto& edge : edges) {
    ends.push_back(edge.from);
    ends.push_back(edge.to);
  }
  return as_array(std::move(ends), {edges.size(), 2});
}

inline auto edge_label_array(const std::vector<CodeEdge>& edges) {
  std::vector<std::int32_t> labels;
  for (const auto& edge : edges) labels.push_back(edge.label);
  return as_array(std::move(labels));
}

}  // namespace aglets::python
