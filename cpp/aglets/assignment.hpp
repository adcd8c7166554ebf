#pragma once

#include <vector>

namespace aglets {

/// Minimum-cost assignment of each row to a column of its own, n_rows <= n_columns;
/// `costs` row by row, infinite where a pair is forbidden. Returns the column of
/// each row, empty if no assignment is allowed. Shortest augmenting paths
/// (Hungarian method with potentials), O(n_rows^2 n_columns).
std::vector<int> min_cost_assignment(const std::vector<double>& costs, int n_rows, int n_columns);

}  // namespace aglets
