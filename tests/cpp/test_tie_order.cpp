#include "aglets/tie_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "aglets/branch_and_bound.hpp"
#include "aglets/graphlet_bank.hpp"
#include "check.hpp"
#include "graphs.hpp"

using namespace aglets;

namespace {

const Pattern path{{0, 0, 0, 0}, {{0, 1, 0}, {1, 2, 0}, {2, 3, 0}}};
const Pattern ring{{0, 0, 0, 0}, {{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {3, 0, 0}}};
const Pattern star{{0, 0, 0, 1}, {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}}};

using Rows = std::vector<double>;

Rows rows_of(const GraphSet& graphs, const Pattern& pattern,
             const std::vector<std::int32_t>& nodes) {
  Rows rows;
  for (int node = 0; node < pattern.n_nodes(); ++node)
    rows.push_back(graphs.attributes(nodes[node])[0]);
  for (const auto& edge : pattern.edges)
    rows.push_back(graphs.edge_attributes(graphs.edge_between(0, nodes[edge.u], nodes[edge.v]))[0]);
  return rows;
}

/// Rows of the embedding that ties go to, by trying every arrangement; empty if
/// there is no embedding.
Rows first_rows(const GraphSet& graphs, const Pattern& pattern, FlatAttributes z) {
  std::vector<std::int32_t> order(graphs.n_nodes(0));
  std::iota(order.begin(), order.end(), 0);
  double lowest = HUGE_VAL;
  Rows first;
  do {
    bool fits = order.size() >= pattern.labels.size();
    for (int node = 0; fits && node < pattern.n_nodes(); ++node)
      fits = graphs.label(order[node]) == pattern.labels[node];
    for (const auto& edge : pattern.edges)
      fits = fits && graphs.edge_between(0, order[edge.u], order[edge.v]) >= 0;
    if (!fits) continue;
    const double cost = embedding_cost(graphs, 0, pattern, z, order);
    const auto rows = rows_of(graphs, pattern, order);
    if (cost < lowest - 1e-12 || (cost < lowest + 1e-12 && rows < first)) first = rows;
    lowest = std::min(lowest, cost);
  } while (std::next_permutation(order.begin(), order.end()));
  return first;
}

}  // namespace

TEST(all_engines_settle_ties_by_node_rows_and_then_by_edge_rows) {
  std::mt19937 random(23);
  int n_found = 0;
  for (unsigned round = 0; round < 60; ++round) {
    const auto graphs = tied_graph_set({random_graph(random, 6, 1 + round % 2, 0.7)}, round);
    for (const auto& pattern : {path, ring, star}) {
      // Halfway between the values nodes and edges have, so that everything ties; or not quite.
      std::vector<double> z(flat_size(pattern, *graphs), 0.5);
      if (round % 3 == 1) z[round % z.size()] = 0.0;
      const auto expected = first_rows(*graphs, pattern, z);
      Budget budget({});
      Ticker ticker(budget);
      const auto found = PatternMatcher(*graphs, pattern).best(0, z, {}, ticker);
      REQUIRE(found.nodes.empty() == expected.empty());
      if (expected.empty()) continue;
      ++n_found;
      REQUIRE(rows_of(*graphs, pattern, found.nodes) == expected);
      const auto bounded = branch_and_bound(*graphs, 0, pattern, z, {HUGE_VAL, {}}, ticker);
      REQUIRE(rows_of(*graphs, pattern, bounded.nodes) == expected);
      REQUIRE(std::abs(bounded.cost - found.cost) < 1e-12);
      GraphletBank bank(graphs, 1 << 20);
      bank.add(pattern, {0}, ticker);
      std::vector<double> costs(1);
      std::vector<std::int32_t> embedding(pattern.labels.size());
      bank.match(0, z, {}, costs, embedding, ticker);
      REQUIRE(rows_of(*graphs, pattern, embedding) == expected);
    }
  }
  REQUIRE(n_found > 50);
}

TEST(the_order_of_ties_has_a_place_per_node_and_per_edge_with_attributes) {
  const auto tied = tied_graph_set({{{0, 0, 0}, {{0, 1}, {1, 2}}}}, 1);
  const Pattern three{{0, 0, 0}, {{1, 0, 0}, {1, 2, 0}}};
  const TieOrder order(*tied, 0, three);
  REQUIRE(order.n_places() == 5);
  REQUIRE(!order.is_edge(2) && order.is_edge(3));
  REQUIRE(order.node(2) == 2 && order.node(3) == 1);
  REQUIRE(TieOrder(*graph_set({{{0, 0, 0}, {{0, 1}, {1, 2}}}}), 0, three).n_places() == 3);
}

TEST(costs_that_differ_by_rounding_are_equal) {
  REQUIRE(!clearly_less(1.0, 1.0 + 1e-12));
  REQUIRE(clearly_less(1.0, 1.0 + 1e-6));
  REQUIRE(!clearly_less(0.0, 0.0));
  REQUIRE(tie_limit(2.0) > 2.0 && clear_limit(2.0) < 2.0);
}
