#include <algorithm>
#include <random>
#include <vector>

#include "aglets/table_costs.hpp"
#include "check.hpp"

using namespace aglets;

namespace {

double cost_of(const std::vector<double>& table, std::size_t n_rows, std::size_t n_columns,
               const std::vector<double>& z, std::size_t column) {
  double cost = 0.0;
  for (std::size_t row = 0; row < n_rows; ++row) {
    const double difference = table[row * n_columns + column] - z[row];
    cost += difference * difference;
  }
  return cost;
}

}  // namespace

TEST(costs_have_the_same_bits_wherever_the_table_and_the_costs_lie) {
  std::mt19937_64 random(0);
  std::normal_distribution<double> normal;
  for (const std::size_t n_columns : {1, 3, 7, 8, 13, 40, 600}) {
    const std::size_t n_rows = 5;
    std::vector<double> table(n_rows * n_columns), z(n_rows);
    for (auto& value : table) value = normal(random);
    for (auto& value : z) value = normal(random);
    // Costs right behind the table, from next to it to some registers away, both shifted.
    for (std::size_t shift = 0; shift < 8; ++shift) {
      for (std::size_t gap = 0; gap < 10; ++gap) {
        std::vector<double> memory(shift + table.size() + gap + n_columns);
        std::copy(table.begin(), table.end(), memory.begin() + static_cast<std::ptrdiff_t>(shift));
        double* costs = memory.data() + shift + table.size() + gap;
        table_costs(memory.data() + shift, n_rows, n_columns, z.data(), costs);
        for (std::size_t column = 0; column < n_columns; ++column)
          REQUIRE(costs[column] == cost_of(table, n_rows, n_columns, z, column));
      }
    }
  }
}
