#pragma once

#include <cstddef>
#include <span>

namespace aglets {

/// Minimises 1/2 b'Qb - q'b + sum_j penalty_j |b_j| by coordinate descent, in
/// place from the given b. Q is symmetric, row by row, with Q_jj > 0 wherever
/// b_j may move (coordinates with Q_jj = 0 stay). Ends when no coordinate of a full sweep
/// changes the objective's gradient scale by more than `tol`, that is when
/// max_j |change of b_j| sqrt(Q_jj) <= tol, or after `max_sweeps`. Returns the number of
/// sweeps. It touches vectors only, but its steps are too small and too many
/// for an interpreter.
int lasso(std::span<const double> Q, std::span<const double> q, std::span<const double> penalty,
          std::span<double> b, double tol, int max_sweeps);

}  // namespace aglets
