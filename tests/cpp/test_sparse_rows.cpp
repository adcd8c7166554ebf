#include "aglets/sparse_rows.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "check.hpp"

using namespace aglets;

namespace {

constexpr std::size_t ROWS = 7, GRAPHS = 40'000, OUTPUTS = 11;

double uniform(std::mt19937& random) {
  return std::uniform_real_distribution<double>(-1.0, 1.0)(random);
}

/// A matrix with rows that are empty, sparse, and full, enough for several threads.
std::vector<double> some_matrix(std::mt19937& random) {
  std::vector<double> rows(ROWS * GRAPHS, 0.0);
  for (std::size_t j = 1; j < ROWS; ++j)
    for (std::size_t i = 0; i < GRAPHS; ++i)
      if (j == 1 || std::abs(uniform(random)) < 0.2 * static_cast<double>(j))
        rows[j * GRAPHS + i] = uniform(random);
  return rows;
}

std::vector<double> some_numbers(std::mt19937& random, std::size_t n) {
  std::vector<double> numbers(n);
  for (auto& number : numbers) number = uniform(random);
  return numbers;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1.0 + std::abs(b)); }

}  // namespace

TEST(sums_of_sparse_rows_are_those_of_the_matrix_for_any_number_of_threads) {
  std::mt19937 random(1);
  const auto X = some_matrix(random);
  const auto rows = SparseRows::of(X, GRAPHS);
  REQUIRE(rows.size() == ROWS && rows.graphs(0).empty() && rows.dense(0, GRAPHS) == X);
  const auto coef = some_numbers(random, ROWS * OUTPUTS);
  const auto weights = some_numbers(random, OUTPUTS * GRAPHS);
  const auto f = rows.combined(coef, OUTPUTS, 1), g = rows.dots(weights, 1),
             flat = rows.spread(coef, weights, 1);
  for (const int threads : {2, 3}) {
    REQUIRE(rows.combined(coef, OUTPUTS, threads) == f);
    REQUIRE(rows.dots(weights, threads) == g);
    REQUIRE(rows.spread(coef, weights, threads) == flat);
  }
  for (std::size_t k = 0; k < OUTPUTS; ++k) {
    for (std::size_t i = 0; i < GRAPHS; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < ROWS; ++j) sum += coef[j * OUTPUTS + k] * X[j * GRAPHS + i];
      REQUIRE(near(f[k * GRAPHS + i], sum));
    }
    for (std::size_t j = 0; j < ROWS; ++j) {
      double sum = 0.0;
      for (std::size_t i = 0; i < GRAPHS; ++i) sum += X[j * GRAPHS + i] * weights[k * GRAPHS + i];
      REQUIRE(near(g[j * OUTPUTS + k], sum));
    }
  }
  std::size_t at = 0;
  for (std::size_t j = 0; j < ROWS; ++j)
    for (const auto graph : rows.graphs(j)) {
      double sum = 0.0;
      for (std::size_t k = 0; k < OUTPUTS; ++k)
        sum += coef[j * OUTPUTS + k] * weights[k * GRAPHS + static_cast<std::size_t>(graph)];
      REQUIRE(near(flat[at++], sum));
    }
  REQUIRE(at == rows.n_values());
}

TEST(sums_for_several_outputs_are_those_for_each_alone_to_the_last_bit) {
  std::mt19937 random(4);
  const auto rows = SparseRows::of(some_matrix(random), GRAPHS);
  auto coef = some_numbers(random, ROWS * OUTPUTS);
  for (std::size_t k = 0; k < OUTPUTS; ++k) coef[4 * OUTPUTS + k] = 0.0;
  const auto weights = some_numbers(random, OUTPUTS * GRAPHS);
  const auto f = rows.combined(coef, OUTPUTS, 1), g = rows.dots(weights, 1);
  for (std::size_t k = 0; k < OUTPUTS; ++k) {
    std::vector<double> own;
    for (std::size_t j = 0; j < ROWS; ++j) own.push_back(coef[j * OUTPUTS + k]);
    const auto f_own = rows.combined(own, 1, 1);
    const auto g_own = rows.dots(std::span(weights).subspan(k * GRAPHS, GRAPHS), 1);
    REQUIRE(std::equal(f_own.begin(), f_own.end(),
                       f.begin() + static_cast<std::ptrdiff_t>(k * GRAPHS)));
    for (std::size_t j = 0; j < ROWS; ++j) REQUIRE(g[j * OUTPUTS + k] == g_own[j]);
  }
}

TEST(the_gram_matrix_of_sparse_rows_is_that_of_the_matrix_on_graphs_with_a_weight) {
  std::mt19937 random(2);
  const auto X = some_matrix(random);
  const auto rows = SparseRows::of(X, GRAPHS);
  auto weights = some_numbers(random, GRAPHS);
  for (auto& weight : weights) weight = std::max(weight, 0.0);
  const std::size_t begin = 100, end = 1'000;
  const auto Q = rows.gram(weights, begin, end);
  double pairs = 0.0;
  for (std::size_t j = 0; j < ROWS; ++j)
    for (std::size_t l = 0; l < ROWS; ++l) {
      double sum = 0.0;
      for (auto i = begin; i < end; ++i) {
        const double product = X[j * GRAPHS + i] * X[l * GRAPHS + i];
        sum += weights[i] * product;
        pairs += l >= j && weights[i] > 0.0 && product != 0.0;
      }
      REQUIRE(near(Q[j * ROWS + l], sum) && Q[j * ROWS + l] == Q[l * ROWS + j]);
    }
  REQUIRE(rows.n_pairs(weights, begin, end) == pairs);
}

TEST(rows_that_stay_the_same_are_shared_and_others_replaced) {
  const std::vector<double> X{1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 5.0, 6.0};
  const auto rows = SparseRows::of(X, 3);
  const bool mask[] = {true, false, true};
  const auto some = rows.chosen(mask);
  REQUIRE(some.dense(0, 3) == (std::vector<double>{1.0, 0.0, 2.0, 4.0, 5.0, 6.0}));
  const auto twice = some.with_values(std::vector<double>{2.0, 4.0, 8.0, 10.0, 12.0});
  const auto moved = rows.changed(mask, twice);
  REQUIRE(moved.dense(0, 3) ==
          (std::vector<double>{2.0, 0.0, 4.0, 0.0, 3.0, 0.0, 8.0, 10.0, 12.0}));
  REQUIRE(moved.values(1).data() == rows.values(1).data());
  REQUIRE(moved.graphs(0).data() == rows.graphs(0).data());
  REQUIRE(rows.dense(0, 3) == X);
  REQUIRE(rows.joined(some).size() == 5 && rows.joined(some).dense(2, 3).back() == 6.0);
  REQUIRE(throws<std::invalid_argument>([&] { rows.changed(mask, rows); }));
  REQUIRE(throws<std::invalid_argument>([&] { rows.with_values(std::vector<double>{1.0}); }));
  REQUIRE(throws<std::invalid_argument>([&] { rows.joined(SparseRows(2)); }));
  REQUIRE(throws<std::invalid_argument>([&] { rows.combined(std::vector<double>{1.0}, 1, 1); }));
  REQUIRE(throws<std::invalid_argument>([&] { rows.gram(X, 0, 3); }));
}
