#include "aglets/distinct_rows.hpp"

#include <map>
#include <random>

#include "check.hpp"

using namespace aglets;

TEST(rows_are_kept_once_in_the_order_in_which_they_came) {
  std::mt19937 random(1);
  for (const std::size_t width : {0u, 1u, 3u}) {
    DistinctRows distinct(width);
    std::map<std::vector<double>, std::int32_t> expected;
    for (int i = 0; i < 2000; ++i) {
      std::vector<double> row(width);
      for (auto& value : row) value = static_cast<double>(random() % 9) - 4.0;
      const auto number = static_cast<std::int32_t>(expected.size());
      const auto found = expected.emplace(row, number).first->second;
      REQUIRE(distinct.add(row) == found);
      const auto kept = distinct.row(static_cast<std::size_t>(found));
      REQUIRE(std::vector<double>(kept.begin(), kept.end()) == row);
    }
    REQUIRE(distinct.size() == expected.size());
  }
}
