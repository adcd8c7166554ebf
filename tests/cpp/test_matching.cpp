#include "aglets/matching.hpp"

#include <algorithm>
#include <cmath>

#include "aglets/branch_and_bound.hpp"
#include "aglets/graphlet_bank.hpp"
#include "aglets/tie_order.hpp"
#include "check.hpp"
#include "graphs.hpp"

using namespace aglets;

namespace {

const Pattern path{{0, 0, 0}, {{0, 1, 0}, {1, 2, 0}}};
const Pattern ring{{0, 0, 0, 0}, {{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {3, 0, 0}}};
const Pattern star{{0, 0, 0, 0}, {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}}};

/// Minimum cost by trying every arrangement of the graph's nodes.
double min_cost(const GraphSet& graphs, std::int32_t graph, const Pattern& pattern,
                FlatAttributes z) {
  std::vector<std::int32_t> order(graphs.n_nodes(graph));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  double best = HUGE_VAL;
  do {
    bool fits = order.size() >= pattern.labels.size();
    for (int node = 0; fits && node < pattern.n_nodes(); ++node)
      fits = graphs.label(graphs.first_node(graph) + order[node]) == pattern.labels[node];
    for (const auto& edge : pattern.edges)
      fits = fits && graphs.edge_between(graph, order[edge.u], order[edge.v]) >= 0;
    if (fits) best = std::min(best, embedding_cost(graphs, graph, pattern, z, order));
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

std::vector<double> some_attributes(const Pattern& pattern, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> z(2 * pattern.labels.size());
  for (auto& value : z) value = uniform(random);
  return z;
}

}  // namespace

TEST(all_engines_find_the_minimum_cost) {
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    const auto graphs = graph_set({random_graph(random, 6, 1 + round % 2, 0.5)}, round + 1);
    for (const auto& pattern : {path, ring, star}) {
      const auto z = some_attributes(pattern, random);
      const double expected = min_cost(*graphs, 0, pattern, z);
      Budget budget({});
      Ticker ticker(budget);
      const PatternMatcher matcher(*graphs, pattern);
      const auto match = matcher.best(0, z, {}, ticker);
      REQUIRE(match.nodes.empty() == std::isinf(expected));
      REQUIRE(matcher.occurs(0, ticker) == !std::isinf(expected));
      if (match.nodes.empty()) continue;
      REQUIRE(std::abs(match.cost - expected) < 1e-12);
      const auto bounded = branch_and_bound(*graphs, 0, pattern, z, {HUGE_VAL, {}}, ticker);
      REQUIRE(std::abs(bounded.cost - expected) < 1e-12);
      REQUIRE(bounded.nodes == match.nodes);
      for (const std::int64_t table_bytes : {0, 1 << 20}) {
        GraphletBank bank(graphs, table_bytes);
        bank.add(pattern, {0}, ticker);
        std::vector<double> costs(1);
        std::vector<std::int32_t> embedding(pattern.labels.size());
        bank.match(0, z, {}, costs, embedding, ticker);
        REQUIRE(bank.has_table(0) == (table_bytes > 0));
        REQUIRE(std::abs(costs[0] - expected) < 1e-12);
        REQUIRE(embedding == match.nodes);
      }
    }
  }
}

TEST(ties_go_to_the_previous_embedding_and_then_to_the_first_rows) {
  const auto graphs = graph_set({{{0, 0}, {{0, 1}}}});
  const Pattern bond{{0, 0}, {{0, 1, 0}}};
  const std::vector<double> z(4, 0.0);
  Budget budget({});
  Ticker ticker(budget);
  const PatternMatcher matcher(*graphs, bond);
  const auto free = matcher.best(0, z, {}, ticker).nodes;
  const std::vector<std::int32_t> other{free[1], free[0]};
  REQUIRE(!TieOrder(*graphs, 0, bond).precedes(other, free));
  REQUIRE(matcher.best(0, z, other, ticker).nodes == other);
}

TEST(patterns_that_are_none_are_refused) {
  REQUIRE(throws<std::invalid_argument>([] { check_pattern({{0, 0}, {}}); }));
  REQUIRE(throws<std::invalid_argument>([] { check_pattern({{}, {}}); }));
  REQUIRE(throws<std::invalid_argument>([] { check_pattern({{0, 0}, {{0, 1, 0}, {1, 0, 0}}}); }));
}
