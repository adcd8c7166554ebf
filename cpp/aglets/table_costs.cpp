#include "table_costs.hpp"

#include <algorithm>

#include "wide.hpp"

namespace aglets {

AGLETS_WIDE void table_costs(const double* table, std::size_t n_rows, std::size_t n_columns,
                             const double* z, double* costs) {
  constexpr std::size_t block = 512;  // a block of costs stays in the first cache
  for (std::size_t begin = 0; begin < n_columns; begin += block) {
    const std::size_t width = std::min(block, n_columns - begin);
    double* out = costs + begin;
    for (std::size_t e = 0; e < width; ++e) out[e] = 0.0;
    for (std::size_t row = 0; row < n_rows; ++row) {
      const double* column = table + row * n_columns + begin;
      const double centre = z[row];
      for (std::size_t e = 0; e < width; ++e) {
        const double difference = column[e] - centre;
        out[e] += difference * difference;
      }
    }
  }
}

}  // namespace aglets
