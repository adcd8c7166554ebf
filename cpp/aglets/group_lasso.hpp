#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace aglets {

/// Quadratic functions of several outputs that share the rows of their
/// coefficients, around the place where a descent starts. With B of shape (n_rows, n_outputs), a
/// row per graphlet, and D its change,
///
///   sum_k 1/2 scale_k d_k'Q_k d_k - slope_k'd_k + sum_j lambda_j (s |B_j|_2 + (1 - s) |B_j|_1)
///
/// where d_k is column k, B_j is row j and s is `sharing`. Q has entries for `size` rows, of which
/// `rows` are those of B; it is either one matrix for all outputs, shape (size, size), or has one
/// entry per output at each place, shape (size, size, n_outputs). Everything is stored row by row.
struct GroupProblem {
  std::span<const double> Q;
  std::size_t size = 0;
  std::span<const std::int32_t> rows;
  std::span<const double> scale;
  std::span<const double> slope;
  std::span<const double> lambda;
  double sharing = 1.0;

  std::size_t n_rows() const { return rows.size(); }
  std::size_t n_outputs() const { return scale.size(); }
  bool one_matrix() const { return Q.size() == size * size; }
};

/// Minimises it by block coordinate descent over rows, in place from the given
/// B; rows without curvature stay, and an entry without curvature is zero. Sweeps are extrapolated
/// (Anderson), and an extrapolation is taken only where it lowers the function, so that the
/// function never grows. Ends when a full sweep changes the gradient of no row by more than `tol`,
/// in the Euclidean norm over outputs, or after `max_sweeps`. Returns the number of sweeps, each of
/// which costs n_rows^2 n_outputs.
int group_lasso(const GroupProblem& problem, std::span<double> B, double tol, int max_sweeps);

/// The row b that minimises sum_k 1/2 c_k b_k^2 - u_k b_k + lambda (s |b|_2 + (1 - s) |b|_1),
/// for c_k > 0, or c_k = u_k = 0. With v the soft threshold of u, b = 0 if |v|_2 <= s lambda; else
/// b_k = v_k t / (c_k t + s lambda), where t = |b|_2 is the root of a function that falls, which is
/// looked for from `guess`.
void group_row(std::span<const double> curvature, std::span<const double> u, double lambda,
               double sharing, std::span<double> b, double guess = 0.0);

}  // namespace aglets
