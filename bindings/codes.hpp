#pragma once

#include <cstdint>
#include <stdexcept>
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

/// A DFS code from the arrays that the functions above write.
inline DfsCode code_from(const Vector<std::int32_t>& types, const Matrix<std::int32_t>& edges,
                         const Vector<std::int32_t>& edge_labels) {
  const auto n_edges = edges.shape(0);
  if (types.size() == 0 || types.size() > DfsCode::max_nodes || edge_labels.size() != n_edges ||
      (n_edges && edges.shape(1) != 2))
    throw std::invalid_argument("a code has a type per node, and two ends and a label per edge");
  DfsCode code(types.data()[0]);
  for (std::size_t i = 0; i < n_edges; ++i) {
    const auto from = edges.data()[2 * i], to = edges.data()[2 * i + 1];
    const auto known = code.n_nodes();
    const bool forward = from < to;
    const bool fits = from >= 0 && to >= 0 && from < known && (forward ? to == known : to < from);
    if (!fits || static_cast<std::size_t>(to) >= types.size())
      throw std::invalid_argument("the edges are not those of a DFS code");
    code.push(
        {static_cast<std::int16_t>(from), static_cast<std::int16_t>(to), edge_labels.data()[i]},
        types.data()[to]);
  }
  return code;
}

}  // namespace aglets::python
