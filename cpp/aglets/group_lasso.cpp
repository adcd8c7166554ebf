#include "group_lasso.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace aglets {

namespace {

/// Sweeps between two extrapolations.
constexpr std::size_t WINDOW = 5;
constexpr int MAX_ROOT_STEPS = 60;

double soft_threshold(double value, double threshold) {
  if (value > threshold) return value - threshold;
  if (value < -threshold) return value + threshold;
  return 0.0;
}

double norm(std::span<const double> values) {
  double squares = 0.0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

/// The root t of |(v_k / (c_k t + slack))_k|_2 = 1. One over the norm is concave
/// and grows with t, so Newton's steps on it from the left end never pass the root.
double row_norm(std::span<const double> c, std::span<const double> v, double slack) {
  const auto [low, high] = std::minmax_element(c.begin(), c.end());
  const double size = norm(v);
  double t = (size - slack) / *high;
  if (*low == *high) return t;
  for (int step = 0; step < MAX_ROOT_STEPS; ++step) {
    double squares = 0.0, slope = 0.0;
    for (std::size_t k = 0; k < c.size(); ++k) {
      const double part = v[k] / (c[k] * t + slack);
      squares += part * part;
      slope += part * part * c[k] / (c[k] * t + slack);
    }
    const double change = squares * (std::sqrt(squares) - 1.0) / slope;
    t += change;
    if (!(change > 1e-15 * t)) break;
  }
  return t;
}

/// Solves A x = 1 for a small symmetric matrix by elimination with pivots; false if it is singular.
bool solved_for_ones(std::array<double, WINDOW * WINDOW> A, std::array<double, WINDOW>& x) {
  x.fill(1.0);
  for (std::size_t col = 0; col < WINDOW; ++col) {
    std::size_t pivot = col;
    for (std::size_t row = col + 1; row < WINDOW; ++row)
      if (std::abs(A[row * WINDOW + col]) > std::abs(A[pivot * WINDOW + col])) pivot = row;
    if (!(std::abs(A[pivot * WINDOW + col]) > 0.0)) return false;
    for (std::size_t k = 0; k < WINDOW; ++k) std::swap(A[pivot * WINDOW + k], A[col * WINDOW + k]);
    std::swap(x[pivot], x[col]);
    for (std::size_t row = col + 1; row < WINDOW; ++row) {
      const double factor = A[row * WINDOW + col] / A[col * WINDOW + col];
      for (std::size_t k = col; k < WINDOW; ++k)
        A[row * WINDOW + k] -= factor * A[col * WINDOW + k];
      x[row] -= factor * x[col];
    }
  }
  for (std::size_t col = WINDOW; col-- > 0;) {
    for (std::size_t k = col + 1; k < WINDOW; ++k) x[col] -= A[col * WINDOW + k] * x[k];
    x[col] /= A[col * WINDOW + col];
  }
  return true;
}

/// Where a descent is: coefficients, and the slopes q - scale Q B that belong to them.
struct Place {
  std::vector<double> B, slope;
};

class BlockDescent {
public:
  BlockDescent(const GroupProblem& problem, std::span<double> B)
      : p_(problem),
        B_(B),
        slope_(problem.q.begin(), problem.q.end()),
        c_(n_outputs()),
        u_(n_outputs()),
        moved_(n_outputs()),
        change_(n_outputs()) {
    for (std::size_t j = 0; j < n_rows(); ++j) {
      const auto row = B_.subspan(j * n_outputs(), n_outputs());
      if (std::ranges::any_of(row, [](double value) { return value != 0.0; })) shift(j, row);
    }
  }

  /// Largest change of a row's gradient in one sweep, over all rows or those that are not zero.
  double sweep(bool all) {
    const auto K = n_outputs();
    double largest = 0.0;
    for (std::size_t j = 0; j < n_rows(); ++j) {
      const auto row = B_.subspan(j * K, K);
      if (!all && is_zero(row)) continue;
      if (!curvature(j)) continue;
      // Where nothing depends on a coefficient but the penalty, it is zero.
      for (std::size_t k = 0; k < K; ++k)
        u_[k] = c_[k] > 0.0 ? slope_[j * K + k] + c_[k] * row[k] : 0.0;
      group_row(c_, u_, p_.lambda[j], p_.sharing, moved_);
      if (p_.lambda[j] == 0.0)
        for (std::size_t k = 0; k < K; ++k)
          if (!(c_[k] > 0.0)) moved_[k] = row[k];
      double squares = 0.0;
      for (std::size_t k = 0; k < K; ++k) {
        change_[k] = moved_[k] - row[k];
        const double part = change_[k] * c_[k];
        squares += part * part;
      }
      if (squares == 0.0) continue;
      std::ranges::copy(moved_, row.begin());
      shift(j, change_);
      largest = std::max(largest, std::sqrt(squares));
    }
    return largest;
  }

  /// Notes where a sweep ended; after some, jumps ahead if that lowers the function.
  void note() {
    past_.push_back({{B_.begin(), B_.end()}, slope_});
    if (past_.size() <= WINDOW) return;
    extrapolate();
    past_.clear();
  }

  void forget() { past_.clear(); }

private:
  std::size_t n_rows() const { return p_.n_rows(); }
  std::size_t n_outputs() const { return p_.n_outputs(); }

  static bool is_zero(std::span<const double> row) {
    return std::ranges::all_of(row, [](double value) { return value == 0.0; });
  }

  /// Fills in the curvatures of a row; false if no output has one.
  bool curvature(std::size_t j) {
    const auto K = n_outputs(), at = j * n_rows() + j;
    bool curved = false;
    for (std::size_t k = 0; k < K; ++k) {
      c_[k] = p_.scale[k] * (p_.one_matrix() ? p_.Q[at] : p_.Q[at * K + k]);
      curved = curved || c_[k] > 0.0;
    }
    return curved;
  }

  /// Lets the slopes follow a change of row j.
  void shift(std::size_t j, std::span<const double> change) {
    const auto K = n_outputs();
    scaled_.assign(change.begin(), change.end());
    for (std::size_t k = 0; k < K; ++k) scaled_[k] *= p_.scale[k];
    const double* row = p_.Q.data() + j * n_rows() * (p_.one_matrix() ? 1 : K);
    double* slope = slope_.data();
    if (p_.one_matrix()) {
      for (std::size_t i = 0; i < n_rows(); ++i, slope += K) {
        const double weight = row[i];
        if (weight == 0.0) continue;
        for (std::size_t k = 0; k < K; ++k) slope[k] -= weight * scaled_[k];
      }
    } else {
      for (std::size_t i = 0; i < n_rows(); ++i, slope += K, row += K)
        for (std::size_t k = 0; k < K; ++k) slope[k] -= row[k] * scaled_[k];
    }
  }

  double value(std::span<const double> B, std::span<const double> slope) const {
    const auto K = n_outputs();
    double total = 0.0;
    for (std::size_t i = 0; i < B.size(); ++i) total -= 0.5 * (p_.q[i] + slope[i]) * B[i];
    for (std::size_t j = 0; j < n_rows(); ++j) {
      double sum = 0.0, squares = 0.0;
      for (const double b : B.subspan(j * K, K)) {
        sum += std::abs(b);
        squares += b * b;
      }
      total += p_.lambda[j] * (p_.sharing * std::sqrt(squares) + (1.0 - p_.sharing) * sum);
    }
    return total;
  }

  /// Goes to the combination of past places whose last changes nearly cancel.
  void extrapolate() {
    std::array<double, WINDOW * WINDOW> gram{};
    const auto n = B_.size();
    for (std::size_t a = 0; a < WINDOW; ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i)
          sum += (past_[a + 1].B[i] - past_[a].B[i]) * (past_[b + 1].B[i] - past_[b].B[i]);
        gram[a * WINDOW + b] = gram[b * WINDOW + a] = sum;
      }
    double trace = 0.0;
    for (std::size_t a = 0; a < WINDOW; ++a) trace += gram[a * WINDOW + a];
    if (!(trace > 0.0)) return;
    for (std::size_t a = 0; a < WINDOW; ++a) gram[a * WINDOW + a] += 1e-10 * trace;
    std::array<double, WINDOW> weights;
    if (!solved_for_ones(gram, weights)) return;
    double total = 0.0;
    for (const double weight : weights) total += weight;
    if (!(std::abs(total) > 0.0) || !std::isfinite(total)) return;
    Place ahead{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
    for (std::size_t a = 0; a < WINDOW; ++a) {
      const double weight = weights[a] / total;
      for (std::size_t i = 0; i < n; ++i) {
        ahead.B[i] += weight * past_[a + 1].B[i];
        ahead.slope[i] += weight * past_[a + 1].slope[i];
      }
    }
    if (!(value(ahead.B, ahead.slope) < value(B_, slope_))) return;
    std::ranges::copy(ahead.B, B_.begin());
    slope_ = std::move(ahead.slope);
  }

  const GroupProblem& p_;
  std::span<double> B_;
  std::vector<double> slope_;
  std::vector<double> c_, u_, moved_, change_, scaled_;
  std::vector<Place> past_;
};

}  // namespace

void group_row(std::span<const double> curvature, std::span<const double> u, double lambda,
               double sharing, std::span<double> b) {
  const double plain = (1.0 - sharing) * lambda, slack = sharing * lambda;
  for (std::size_t k = 0; k < u.size(); ++k) b[k] = soft_threshold(u[k], plain);
  if (slack == 0.0) {
    for (std::size_t k = 0; k < u.size(); ++k) b[k] = b[k] == 0.0 ? 0.0 : b[k] / curvature[k];
    return;
  }
  if (norm(b) <= slack) {
    std::ranges::fill(b, 0.0);
    return;
  }
  const double t = row_norm(curvature, b, slack);
  for (std::size_t k = 0; k < u.size(); ++k) b[k] *= t / (curvature[k] * t + slack);
}

int group_lasso(const GroupProblem& problem, std::span<double> B, double tol, int max_sweeps) {
  BlockDescent descent(problem, B);
  int sweeps = 0;
  while (sweeps < max_sweeps) {
    ++sweeps;
    if (descent.sweep(true) <= tol) break;
    descent.forget();
    // The support settles early; most of the work is on it alone.
    for (; sweeps < max_sweeps; ++sweeps) {
      if (descent.sweep(false) <= tol) break;
      descent.note();
    }
  }
  return sweeps;
}

}  // namespace aglets
