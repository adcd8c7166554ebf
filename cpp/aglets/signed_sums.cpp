#include "signed_sums.hpp"

#include "wide.hpp"

namespace aglets {

namespace {

/// Sums of one block of outputs stay in registers while the supports pass by.
template <std::size_t Block>
inline void sum_block(const double* residual, std::size_t stride, const std::int32_t* graphs,
                      const double* values, std::size_t n, double* positive, double* negative) {
  double up[Block] = {}, down[Block] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = residual + static_cast<std::size_t>(graphs[i]) * stride;
    const double value = values[i];
    for (std::size_t k = 0; k < Block; ++k) {
      const double term = row[k] * value;
      up[k] += term > 0.0 ? term : 0.0;
      down[k] += term < 0.0 ? term : 0.0;
    }
  }
  for (std::size_t k = 0; k < Block; ++k) {
    positive[k] = up[k];
    negative[k] = down[k];
  }
}

}  // namespace

AGLETS_WIDE void signed_sums(const double* residual, std::size_t stride, const std::int32_t* graphs,
                             const double* values, std::size_t n, double* positive,
                             double* negative) {
  std::size_t first = 0;
  for (; first + 8 <= stride; first += 8)
    sum_block<8>(residual + first, stride, graphs, values, n, positive + first, negative + first);
  for (; first < stride; first += 4)
    sum_block<4>(residual + first, stride, graphs, values, n, positive + first, negative + first);
}

}  // namespace aglets
