#pragma once

#include <cstddef>

namespace aglets {

/// costs[e] = sum_r (table[r * n_columns + e] - z[r])^2 for every column e.
void table_costs(const double* table, std::size_t n_rows, std::size_t n_columns, const double* z,
                 double* costs);

}  // namespace aglets
