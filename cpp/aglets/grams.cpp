#include "grams.hpp"

#include <algorithm>
#include <cstdint>

#include "wide.hpp"

namespace aglets {

namespace {

/// Outputs whose matrices are written together: as many as a line of the cache holds.
constexpr std::size_t TOGETHER = 8;
/// Graphs that are added in one pass over a matrix.
constexpr std::size_t AT_ONCE = 4;
/// A curvature that is this part of what it is without the last row is rounding.
constexpr double FLAT = 1e-12;

/// Adds sum_a weight_a x_a x_a' of a few graphs to the upper half of a matrix.
AGLETS_WIDE void add_outer(const double* const* x, const double* weight, std::size_t n,
                           double* matrix) {
  const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
  for (std::size_t j = 0; j < n; ++j) {
    const double w0 = weight[0] * x0[j], w1 = weight[1] * x1[j], w2 = weight[2] * x2[j],
                 w3 = weight[3] * x3[j];
    if (w0 == 0.0 && w1 == 0.0 && w2 == 0.0 && w3 == 0.0) continue;
    double* row = matrix + j * n;
    for (std::size_t l = j; l < n; ++l)
      row[l] += (w0 * x0[l] + w1 * x1[l]) + (w2 * x2[l] + w3 * x3[l]);
  }
}

std::vector<double> transposed(std::span<const double> rows, std::size_t n_graphs) {
  const auto n = rows.size() / n_graphs;
  std::vector<double> found(rows.size());
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n_graphs; ++i) found[i * n + j] = rows[j * n_graphs + i];
  return found;
}

}  // namespace

std::vector<double> grams(std::span<const double> rows, std::span<const double> weights,
                          std::size_t n_graphs) {
  if (n_graphs == 0) return {};
  const auto n = rows.size() / n_graphs, n_outputs = weights.size() / n_graphs;
  const auto X = transposed(rows, n_graphs);
  const std::vector<double> nothing(n, 0.0);
  std::vector<double> Q(n * n * n_outputs), block(TOGETHER * n * n);
  for (std::size_t first = 0; first < n_outputs; first += TOGETHER) {
    const auto width = std::min(TOGETHER, n_outputs - first);
    std::ranges::fill(block, 0.0);
    for (std::size_t k = 0; k < width; ++k) {
      const double* weight = weights.data() + (first + k) * n_graphs;
      const double* x[AT_ONCE];
      double own[AT_ONCE];
      std::size_t held = 0;
      const auto add = [&] {
        for (; held < AT_ONCE; ++held) {
          x[held] = nothing.data();
          own[held] = 0.0;
        }
        add_outer(x, own, n, block.data() + k * n * n);
        held = 0;
      };
      for (std::size_t i = 0; i < n_graphs; ++i) {
        if (!(weight[i] > 0.0)) continue;
        x[held] = X.data() + i * n;
        own[held] = weight[i];
        if (++held == AT_ONCE) add();
      }
      if (held > 0) add();
    }
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = j; l < n; ++l) {
        double* upper = Q.data() + (j * n + l) * n_outputs + first;
        double* lower = Q.data() + (l * n + j) * n_outputs + first;
        for (std::size_t k = 0; k < width; ++k) upper[k] = lower[k] = block[k * n * n + j * n + l];
      }
  }
  return Q;
}

std::vector<double> without_last(std::span<const double> Q, std::size_t n_rows,
                                 std::size_t n_outputs) {
  const auto n = n_rows - 1, K = n_outputs;
  const auto at = [&](std::size_t j, std::size_t l) { return Q.data() + (j * n_rows + l) * K; };
  const double* across = at(n, n);
  std::vector<double> found(n * n * K), part(K);
  for (std::size_t j = 0; j < n; ++j) {
    const double* along = at(j, n);
    for (std::size_t k = 0; k < K; ++k) part[k] = across[k] > 0.0 ? along[k] / across[k] : 0.0;
    for (std::size_t l = 0; l < n; ++l) {
      const double *whole = at(j, l), *other = at(n, l);
      double* left = found.data() + (j * n + l) * K;
      for (std::size_t k = 0; k < K; ++k) left[k] = whole[k] - part[k] * other[k];
    }
    double* own = found.data() + (j * n + j) * K;
    for (std::size_t k = 0; k < K; ++k)
      if (!(own[k] > FLAT * at(j, j)[k])) own[k] = 0.0;
  }
  return found;
}

}  // namespace aglets
