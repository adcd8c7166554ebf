#include "group_lasso.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "wide.hpp"

namespace aglets {

namespace {

/// Sweeps between two extrapolations.
constexpr std::size_t WINDOW = 5;
constexpr int MAX_ROOT_STEPS = 60;
/// Newton's steps below this part of the root leave an error of rounding.
constexpr double SHORT = 1e-9;
/// Numbers that are summed side by side.
constexpr std::size_t LANES = 8;

/// Sums in a fixed number of lanes, so that every instruction set gives the same sum.
template <class Term>
inline double sum_of(std::size_t n, Term term) {
  double lanes[LANES] = {};
  std::size_t k = 0;
  for (; k + LANES <= n; k += LANES)
    for (std::size_t lane = 0; lane < LANES; ++lane) lanes[lane] += term(k + lane);
  for (std::size_t lane = 0; k < n; ++k, ++lane) lanes[lane] += term(k);
  double total = 0.0;
  for (const double part : lanes) total += part;
  return total;
}

inline double norm_of(const double* values, std::size_t n) {
  return std::sqrt(sum_of(n, [=](std::size_t k) { return values[k] * values[k]; }));
}

/// The root t of |(v_k / (c_k t + slack))_k|_2 = 1, for curvatures c between low and high. One over
/// the norm is concave and grows with t, so Newton's steps on it never pass the root from the left,
/// and reach its left in one step from the right. They begin at a guess unless that lies left of
/// where the root may be. Each step squares the error, so a short one is the last.
inline double row_norm(const double* c, const double* v, std::size_t n, double slack, double low,
                       double high, double guess) {
  const double lowest = (norm_of(v, n) - slack) / high;
  if (low == high) return lowest;
  double t = std::max(lowest, guess);
  for (int step = 0; step < MAX_ROOT_STEPS; ++step) {
    double squares[LANES] = {}, slope[LANES] = {};
    const auto add = [&](std::size_t k, std::size_t lane) {
      const double over = 1.0 / (c[k] * t + slack), part = v[k] * over;
      squares[lane] += part * part;
      slope[lane] += part * part * (c[k] * over);
    };
    std::size_t k = 0;
    for (; k + LANES <= n; k += LANES)
      for (std::size_t lane = 0; lane < LANES; ++lane) add(k + lane, lane);
    for (std::size_t lane = 0; k < n; ++k, ++lane) add(k, lane);
    double square = 0.0, fall = 0.0;
    for (std::size_t lane = 0; lane < LANES; ++lane) {
      square += squares[lane];
      fall += slope[lane];
    }
    const double change = square * (std::sqrt(square) - 1.0) / fall;
    t = std::max(t + change, lowest);
    if (!(std::abs(change) > SHORT * t)) break;
  }
  return t;
}

/// `group_row` with curvatures between low and high.
inline void best_row(const double* c, const double* u, std::size_t n, double lambda, double sharing,
                     double low, double high, double guess, double* b) {
  const double plain = (1.0 - sharing) * lambda, slack = sharing * lambda;
  for (std::size_t k = 0; k < n; ++k)
    b[k] = std::max(u[k] - plain, 0.0) + std::min(u[k] + plain, 0.0);
  if (slack == 0.0) {
    for (std::size_t k = 0; k < n; ++k) b[k] = b[k] == 0.0 ? 0.0 : b[k] / c[k];
    return;
  }
  if (norm_of(b, n) <= slack) {
    for (std::size_t k = 0; k < n; ++k) b[k] = 0.0;
    return;
  }
  const double t = row_norm(c, b, n, slack, low, high, guess);
  for (std::size_t k = 0; k < n; ++k) b[k] *= t / (c[k] * t + slack);
}

/// Where a row of coefficients should go, given its slopes: writes the change, and returns the
/// square of what that changes its gradient by. `u` is for scratch.
AGLETS_WIDE double change_of_row(const double* c, const double* slope, const double* row,
                                 std::size_t n, double lambda, double sharing, double low,
                                 double high, double* u, double* change) {
  // Where nothing depends on a coefficient but the penalty, it is zero.
  for (std::size_t k = 0; k < n; ++k) u[k] = c[k] > 0.0 ? slope[k] + c[k] * row[k] : 0.0;
  best_row(c, u, n, lambda, sharing, low, high, norm_of(row, n), change);
  for (std::size_t k = 0; k < n; ++k) change[k] -= row[k];
  if (lambda == 0.0)
    for (std::size_t k = 0; k < n; ++k)
      if (!(c[k] > 0.0)) change[k] = 0.0;
  return sum_of(n, [=](std::size_t k) { return change[k] * c[k] * (change[k] * c[k]); });
}

/// slope_ik -= Q_ik change_k for some rows i of Q, which has an entry per output or one for all.
AGLETS_WIDE void follow(double* slope, const double* Q, const std::int32_t* rows, std::size_t n,
                        const double* change, std::size_t n_outputs, bool one_matrix) {
  for (std::size_t i = 0; i < n; ++i, slope += n_outputs) {
    const auto at = static_cast<std::size_t>(rows[i]);
    if (one_matrix) {
      const double weight = Q[at];
      for (std::size_t k = 0; k < n_outputs; ++k) slope[k] -= weight * change[k];
    } else {
      const double* weights = Q + at * n_outputs;
      for (std::size_t k = 0; k < n_outputs; ++k) slope[k] -= weights[k] * change[k];
    }
  }
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

/// Where a descent is: coefficients, and the slopes that belong to them.
struct Place {
  std::vector<double> B, slope;
};

class BlockDescent {
public:
  BlockDescent(const GroupProblem& problem, std::span<double> B)
      : p_(problem),
        B_(B),
        start_(B.begin(), B.end()),
        slope_(problem.slope.begin(), problem.slope.end()),
        c_(B.size()),
        u_(n_outputs()),
        change_(n_outputs()) {
    const auto K = n_outputs();
    const bool one = p_.one_matrix();
    for (std::size_t j = 0; j < n_rows(); ++j) {
      const auto row = static_cast<std::size_t>(p_.rows[j]), at = row * p_.size + row;
      for (std::size_t k = 0; k < K; ++k)
        c_[j * K + k] = p_.scale[k] * (one ? p_.Q[at] : p_.Q[at * K + k]);
      const auto ends = std::ranges::minmax(std::span(c_).subspan(j * K, K));
      low_.push_back(ends.min);
      high_.push_back(ends.max);
    }
  }

  /// Largest change of a row's gradient in one sweep, over all rows or those that are not zero.
  double sweep(bool all) {
    const auto K = n_outputs();
    double largest = 0.0;
    for (std::size_t j = 0; j < n_rows(); ++j) {
      const auto row = B_.subspan(j * K, K);
      if (!(high_[j] > 0.0) || (!all && is_zero(row))) continue;
      const double squares =
          change_of_row(c_.data() + j * K, slope_.data() + j * K, row.data(), K, p_.lambda[j],
                        p_.sharing, low_[j], high_[j], u_.data(), change_.data());
      if (squares == 0.0) continue;
      for (std::size_t k = 0; k < K; ++k) row[k] += change_[k];
      shift(j);
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

  /// Lets the slopes follow the change of row j.
  void shift(std::size_t j) {
    const auto K = n_outputs();
    for (std::size_t k = 0; k < K; ++k) change_[k] *= p_.scale[k];
    const bool one = p_.one_matrix();
    const auto at = static_cast<std::size_t>(p_.rows[j]) * p_.size * (one ? 1 : K);
    follow(slope_.data(), p_.Q.data() + at, p_.rows.data(), n_rows(), change_.data(), K, one);
  }

  double value(std::span<const double> B, std::span<const double> slope) const {
    const auto K = n_outputs();
    double total = 0.0;
    for (std::size_t i = 0; i < B.size(); ++i)
      total -= 0.5 * (p_.slope[i] + slope[i]) * (B[i] - start_[i]);
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
  std::vector<double> start_, slope_;
  std::vector<double> c_, low_, high_, u_, change_;
  std::vector<Place> past_;
};

}  // namespace

void group_row(std::span<const double> curvature, std::span<const double> u, double lambda,
               double sharing, std::span<double> b, double guess) {
  const auto [low, high] = std::ranges::minmax(curvature);
  best_row(curvature.data(), u.data(), u.size(), lambda, sharing, low, high, guess, b.data());
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
