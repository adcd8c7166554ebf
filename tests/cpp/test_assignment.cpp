#include "aglets/assignment.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "check.hpp"

using namespace aglets;

TEST(assignment_equals_the_best_permutation) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int round = 0; round < 200; ++round) {
    const int rows = 1 + round % 4, columns = rows + round % 3;
    std::vector<double> costs(rows * columns);
    for (auto& cost : costs) cost = uniform(random) < 0.25 ? HUGE_VAL : uniform(random);
    std::vector<int> order(columns);
    std::iota(order.begin(), order.end(), 0);
    double best = HUGE_VAL;
    do {
      double total = 0.0;
      for (int row = 0; row < rows; ++row) total += costs[row * columns + order[row]];
      best = std::min(best, total);
    } while (std::next_permutation(order.begin(), order.end()));
    const auto found = min_cost_assignment(costs, rows, columns);
    REQUIRE(found.empty() == std::isinf(best));
    if (found.empty()) continue;
    double total = 0.0;
    for (int row = 0; row < rows; ++row) total += costs[row * columns + found[row]];
    REQUIRE(std::abs(total - best) < 1e-12);
  }
}
