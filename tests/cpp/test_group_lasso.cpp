#include "aglets/group_lasso.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"

using namespace aglets;

namespace {

constexpr std::size_t ROWS = 6, OUTPUTS = 3;
const std::vector<std::int32_t> ALL{0, 1, 2, 3, 4, 5};

struct Made {
  std::vector<double> Q, scale, q, lambda;
};

/// Random columns, one matrix for all outputs or one for each.
Made random_problem(unsigned seed, bool one_matrix) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const std::size_t matrices = one_matrix ? 1 : OUTPUTS;
  Made made{std::vector<double>(ROWS * ROWS * matrices, 0.0),
            {0.5, 1.0, 2.0},
            std::vector<double>(ROWS * OUTPUTS),
            std::vector<double>(ROWS, 3.0)};
  for (std::size_t m = 0; m < matrices; ++m) {
    std::vector<double> X(20 * ROWS);
    for (auto& x : X) x = normal(random);
    for (std::size_t i = 0; i < ROWS; ++i)
      for (std::size_t j = 0; j < ROWS; ++j)
        for (std::size_t row = 0; row < 20; ++row)
          made.Q[(i * ROWS + j) * matrices + m] += X[row * ROWS + i] * X[row * ROWS + j];
  }
  for (auto& value : made.q) value = 4.0 * normal(random);
  made.lambda[5] = 0.0;
  return made;
}

/// q - scale Q B.
std::vector<double> slopes(const Made& made, const std::vector<double>& B) {
  const bool one = made.Q.size() == ROWS * ROWS;
  auto found = made.q;
  for (std::size_t j = 0; j < ROWS; ++j)
    for (std::size_t i = 0; i < ROWS; ++i)
      for (std::size_t k = 0; k < OUTPUTS; ++k) {
        const auto at = j * ROWS + i;
        found[j * OUTPUTS + k] -=
            made.scale[k] * (one ? made.Q[at] : made.Q[at * OUTPUTS + k]) * B[i * OUTPUTS + k];
      }
  return found;
}

/// Distance of the slope of row j from lambda times the subdifferential of the penalty there.
double violation(const Made& made, double sharing, const std::vector<double>& B, std::size_t j) {
  const auto all = slopes(made, B);
  double squares = 0.0, outside = 0.0, inside = 0.0;
  for (std::size_t k = 0; k < OUTPUTS; ++k) squares += std::pow(B[j * OUTPUTS + k], 2);
  const double size = std::sqrt(squares), lambda = made.lambda[j];
  for (std::size_t k = 0; k < OUTPUTS; ++k) {
    const double slope = all[j * OUTPUTS + k];
    const double b = B[j * OUTPUTS + k], plain = (1.0 - sharing) * lambda;
    const double left = std::max(std::abs(slope) - plain, 0.0);
    if (size == 0.0)
      outside += left * left;
    else if (b == 0.0)
      inside += left * left;
    else
      inside += std::pow(slope - std::copysign(plain, b) - sharing * lambda * b / size, 2);
  }
  return size == 0.0 ? std::max(std::sqrt(outside) - sharing * lambda, 0.0) : std::sqrt(inside);
}

}  // namespace

TEST(group_lasso_ends_where_the_subgradient_vanishes) {
  for (unsigned seed = 0; seed < 20; ++seed)
    for (const bool one_matrix : {true, false})
      for (const double sharing : {0.0, 0.5, 1.0}) {
        const auto made = random_problem(seed, one_matrix);
        std::vector<double> B(ROWS * OUTPUTS, 0.3);
        const auto slope = slopes(made, B);
        group_lasso({made.Q, ROWS, ALL, made.scale, slope, made.lambda, sharing}, B, 1e-12, 10000);
        for (std::size_t j = 0; j < ROWS; ++j) REQUIRE(violation(made, sharing, B, j) < 1e-9);
      }
}

TEST(a_row_of_one_output_is_the_soft_threshold) {
  const std::vector<double> c{2.0};
  std::vector<double> b(1);
  for (const double sharing : {0.0, 0.3, 1.0})
    for (const double u : {-3.0, -0.5, 0.0, 0.9, 5.0}) {
      group_row(c, std::vector<double>{u}, 1.0, sharing, b);
      const double expected = std::copysign(std::max(std::abs(u) - 1.0, 0.0) / 2.0, u);
      REQUIRE(std::abs(b[0] - expected) < 1e-12);
    }
}

TEST(rows_without_curvature_stay) {
  const std::vector<double> Q{1.0, 0.0, 0.0, 0.0}, scale{1.0, 1.0}, q{3.0, 4.0, 7.0, 7.0},
      lambda{1.0, 1.0};
  const std::vector<std::int32_t> rows{0, 1};
  std::vector<double> B{0.0, 0.0, 4.0, 4.0};
  group_lasso({Q, 2, rows, scale, q, lambda, 1.0}, B, 1e-12, 100);
  REQUIRE(std::abs(B[0] - 2.4) < 1e-12 && std::abs(B[1] - 3.2) < 1e-12);
  REQUIRE(B[2] == 4.0 && B[3] == 4.0);
}

TEST(some_rows_of_a_matrix_are_minimised_as_if_it_had_no_others) {
  const auto made = random_problem(3, false);
  const std::vector<std::int32_t> some{4, 1};
  std::vector<double> Q, slope, lambda{1.0, 2.0}, B(2 * OUTPUTS, 0.0), other = B;
  for (const auto j : some) {
    for (const auto l : some)
      for (std::size_t k = 0; k < OUTPUTS; ++k)
        Q.push_back(
            made.Q[(static_cast<std::size_t>(j) * ROWS + static_cast<std::size_t>(l)) * OUTPUTS +
                   k]);
    for (std::size_t k = 0; k < OUTPUTS; ++k)
      slope.push_back(made.q[static_cast<std::size_t>(j) * OUTPUTS + k]);
  }
  group_lasso({made.Q, ROWS, some, made.scale, slope, lambda, 0.7}, B, 1e-12, 1000);
  const std::vector<std::int32_t> both{0, 1};
  group_lasso({Q, 2, both, made.scale, slope, lambda, 0.7}, other, 1e-12, 1000);
  REQUIRE(B == other);
  REQUIRE(B[0] != 0.0);
}

TEST(a_row_does_not_depend_on_where_its_root_is_looked_for) {
  const std::vector<double> c{0.5, 1.0, 3.0}, u{2.0, -1.0, 4.0};
  std::vector<double> b(3), other(3);
  group_row(c, u, 1.0, 0.8, b);
  for (const double guess : {1e-6, 1.0, 1e3}) {
    group_row(c, u, 1.0, 0.8, other, guess);
    for (std::size_t k = 0; k < 3; ++k) REQUIRE(std::abs(b[k] - other[k]) < 1e-14);
  }
}
