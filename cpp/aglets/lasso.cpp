#include "lasso.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace aglets {

namespace {

double soft_threshold(double value, double threshold) {
  if (value > threshold) return value - threshold;
  if (value < -threshold) return value + threshold;
  return 0.0;
}

class CoordinateDescent {
public:
  CoordinateDescent(std::span<const double> Q, std::span<const double> q,
                    std::span<const double> penalty, std::span<double> b)
      : Q_(Q), penalty_(penalty), b_(b), slope_(q.begin(), q.end()) {
    for (std::size_t j = 0; j < b.size(); ++j)
      if (b[j] != 0.0) shift(j, b[j]);
  }

  /// Largest scaled change of one sweep, over all coordinates or the non-zero ones.
  double sweep(bool all) {
    double largest = 0.0;
    for (std::size_t j = 0; j < b_.size(); ++j) {
      const double curvature = Q_[j * b_.size() + j];
      if (curvature <= 0.0 || (!all && b_[j] == 0.0)) continue;
      const double moved = soft_threshold(slope_[j] + curvature * b_[j], penalty_[j]) / curvature;
      const double change = moved - b_[j];
      if (change == 0.0) continue;
      b_[j] = moved;
      shift(j, change);
      largest = std::max(largest, std::abs(change) * std::sqrt(curvature));
    }
    return largest;
  }

private:
  void shift(std::size_t j, double change) {
    const double* row = Q_.data() + j * b_.size();
    for (std::size_t i = 0; i < b_.size(); ++i) slope_[i] -= row[i] * change;
  }

  std::span<const double> Q_;
  std::span<const double> penalty_;
  std::span<double> b_;
  std::vector<double> slope_;  // q - Qb
};

}  // namespace

int lasso(std::span<const double> Q, std::span<const double> q, std::span<const double> penalty,
          std::span<double> b, double tol, int max_sweeps) {
  CoordinateDescent descent(Q, q, penalty, b);
  int sweeps = 0;
  while (sweeps < max_sweeps) {
    ++sweeps;
    if (descent.sweep(true) <= tol) break;
    // The support settles early; most of the work is on it alone.
    for (; sweeps < max_sweeps; ++sweeps)
      if (descent.sweep(false) <= tol) break;
  }
  return sweeps;
}

}  // namespace aglets
