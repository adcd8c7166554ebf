#include "aglets/group_norm.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"

using namespace aglets;

namespace {

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-10 * (1.0 + std::abs(b)); }

/// |S(g, (1 - sharing) lambda)|_2 - sharing lambda: zero at the dual norm.
double excess(const std::vector<double>& g, double sharing, double lambda) {
  double squares = 0.0;
  for (const double value : g) {
    const double left = std::max(std::abs(value) - (1.0 - sharing) * lambda, 0.0);
    squares += left * left;
  }
  return std::sqrt(squares) - sharing * lambda;
}

}  // namespace

TEST(the_dual_norm_is_where_coefficients_begin_to_leave_zero) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> scratch;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> g(2 + random() % 12);
    for (auto& value : g) value = random() % 4 == 0 ? 0.0 : normal(random);
    if (trial % 3 == 0) g[0] = g[1];
    if (std::ranges::all_of(g, [](double value) { return value == 0.0; })) continue;
    for (const double sharing : {0.0, 0.01, 0.3, 0.5, 0.9, 0.999, 1.0}) {
      const double norm = dual_norm(g, sharing, scratch);
      REQUIRE(is_close(excess(g, sharing, norm), 0.0));
      REQUIRE(excess(g, sharing, 0.999 * norm) > 0.0);
    }
  }
}

TEST(the_dual_norm_grows_with_every_entry_and_moves_no_faster_than_g) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  std::vector<double> scratch;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> a(5), b(5), larger(5);
    double distance = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = normal(random);
      b[i] = a[i] + 0.1 * normal(random);
      larger[i] = a[i] * (1.0 + std::abs(normal(random)));
      distance += (a[i] - b[i]) * (a[i] - b[i]);
    }
    for (const double sharing : {0.0, 0.4, 0.8, 1.0}) {
      const double norm = dual_norm(a, sharing, scratch);
      REQUIRE(dual_norm(larger, sharing, scratch) >= norm * (1.0 - 1e-12));
      REQUIRE(std::abs(dual_norm(b, sharing, scratch) - norm) <= std::sqrt(distance) + 1e-12);
    }
  }
}

TEST(the_dual_norm_of_one_entry_is_its_size_and_of_none_but_zeros_is_zero) {
  std::vector<double> scratch;
  for (const double sharing : {0.0, 0.37, 1.0}) {
    REQUIRE(dual_norm(std::vector<double>{-0.3}, sharing, scratch) == 0.3);
    REQUIRE(dual_norm(std::vector<double>{0.0, 0.0, 0.0}, sharing, scratch) == 0.0);
    REQUIRE(is_close(dual_norm(std::vector<double>{3e-200, 4e-200}, 0.5, scratch) * 1e200,
                     dual_norm(std::vector<double>{3.0, 4.0}, 0.5, scratch)));
  }
}
