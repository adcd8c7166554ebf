#include "aglets/grams.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"

using namespace aglets;

namespace {

constexpr std::size_t ROWS = 5, GRAPHS = 23, OUTPUTS = 11;

}  // namespace

TEST(grams_are_weighted_sums_of_products) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> rows(ROWS * GRAPHS), weights(OUTPUTS * GRAPHS);
  for (auto& value : rows) value = std::max(normal(random), 0.0);
  for (auto& value : weights) value = std::max(normal(random), 0.0);
  const auto Q = grams(rows, weights, GRAPHS);
  REQUIRE(Q.size() == ROWS * ROWS * OUTPUTS);
  for (std::size_t j = 0; j < ROWS; ++j)
    for (std::size_t l = 0; l < ROWS; ++l)
      for (std::size_t k = 0; k < OUTPUTS; ++k) {
        double sum = 0.0;
        for (std::size_t i = 0; i < GRAPHS; ++i)
          sum += weights[k * GRAPHS + i] * rows[j * GRAPHS + i] * rows[l * GRAPHS + i];
        REQUIRE(std::abs(Q[(j * ROWS + l) * OUTPUTS + k] - sum) < 1e-12);
        REQUIRE(Q[(j * ROWS + l) * OUTPUTS + k] == Q[(l * ROWS + j) * OUTPUTS + k]);
      }
}

TEST(a_row_like_the_last_one_is_flat_without_it) {
  // Rows 0 and 2 are the same; the last one is taken out. Output 1 has no weight anywhere.
  const std::vector<double> rows{1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 1.0, 1.0, 1.0};
  const std::vector<double> weights{1.0, 1.0, 2.0, 0.0, 0.0, 0.0};
  const auto left = without_last(grams(rows, weights, 3), 3, 2);
  REQUIRE(left.size() == 8);
  REQUIRE(left[0] == 0.0);
  // The weighted mean of 1, 2, 4 is 11 / 4, and their spread 1 + 4 + 32 - 4 (11 / 4)^2.
  REQUIRE(std::abs(left[6] - 6.75) < 1e-12);
  REQUIRE(left[7] == 0.0);
}
