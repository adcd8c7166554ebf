#pragma once

#include <cstddef>
#include <cstdint>

namespace aglets {

/// For each of `stride` outputs k (a multiple of 4), the sums of the positive and
/// of the negative terms residual[graphs[i] * stride + k] * values[i] over i < n.
void signed_sums(const double* residual, std::size_t stride, const std::int32_t* graphs,
                 const double* values, std::size_t n, double* positive, double* negative);

}  // namespace aglets
