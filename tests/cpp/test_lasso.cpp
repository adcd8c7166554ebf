#include "aglets/lasso.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"

using namespace aglets;

TEST(lasso_ends_where_the_subgradient_vanishes) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const std::size_t n = 6;
  std::vector<double> X(20 * n), Q(n * n, 0.0), q(n), penalty(n, 2.0), b(n, 0.5);
  for (auto& x : X) x = normal(random);
  for (std::size_t i = 0; i < n; ++i) {
    q[i] = 5.0 * normal(random);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t row = 0; row < 20; ++row) Q[i * n + j] += X[row * n + i] * X[row * n + j];
  }
  penalty[5] = 0.0;
  lasso(Q, q, penalty, b, 1e-12, 10000);
  for (std::size_t j = 0; j < n; ++j) {
    double slope = q[j];
    for (std::size_t i = 0; i < n; ++i) slope -= Q[j * n + i] * b[i];
    if (b[j] == 0.0)
      REQUIRE(std::abs(slope) <= penalty[j] + 1e-9);
    else
      REQUIRE(std::abs(slope - std::copysign(penalty[j], b[j])) < 1e-9);
  }
}

TEST(flat_coordinates_stay_where_they_are) {
  std::vector<double> Q{1.0, 0.0, 0.0, 0.0}, q{3.0, 7.0}, penalty{1.0, 1.0}, b{0.0, 4.0};
  lasso(Q, q, penalty, b, 1e-12, 100);
  REQUIRE(b[0] == 2.0 && b[1] == 4.0);
}
