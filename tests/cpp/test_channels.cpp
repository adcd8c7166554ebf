#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "aglets/gradients.hpp"
#include "aglets/root_costs.hpp"
#include "aglets/search.hpp"
#include "aglets/signed_sums.hpp"
#include "check.hpp"
#include "graphs.hpp"

using namespace aglets;

namespace {

constexpr std::size_t n_graphs = 8;

std::shared_ptr<const GraphSet> some_graphs() {
  std::mt19937 random(19);
  std::vector<PlainGraph> plain;
  for (std::size_t i = 0; i < n_graphs; ++i) plain.push_back(random_graph(random, 8, 2, 0.3));
  return graph_set(plain);
}

std::vector<double> some_residuals(std::size_t n_outputs) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> residuals(n_outputs * n_graphs);
  for (auto& value : residuals) value = normal(random);
  return residuals;
}

Query query_for(const std::vector<double>& residuals, double sharing) {
  Query query{residuals, 0.5, 5};
  query.channels = {{Pooling::best, CountScale::raw},
                    {Pooling::sum, CountScale::raw},
                    {Pooling::mean, CountScale::root}};
  query.n_outputs = residuals.size() / n_graphs;
  query.sharing = sharing;
  return query;
}

}  // namespace

TEST(sums_of_all_outputs_are_those_of_each) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (const std::size_t stride : {4, 8, 12, 24}) {
    std::vector<double> residual(10 * stride), values(37), up(stride), down(stride);
    std::vector<std::int32_t> graphs(values.size());
    for (auto& value : residual) value = normal(random);
    for (auto& value : values) value = std::abs(normal(random));
    for (auto& graph : graphs) graph = static_cast<std::int32_t>(random() % 10);
    signed_sums(residual.data(), stride, graphs.data(), values.data(), values.size(), up.data(),
                down.data());
    for (std::size_t output = 0; output < stride; ++output) {
      double positive = 0.0, negative = 0.0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double term = residual[graphs[i] * stride + output] * values[i];
        positive += std::max(term, 0.0);
        negative += std::min(term, 0.0);
      }
      REQUIRE(up[output] == positive);
      REQUIRE(down[output] == negative);
    }
  }
}

TEST(pruning_loses_no_violator_of_any_channel_and_threads_change_nothing) {
  const auto graphs = some_graphs();
  for (const std::size_t n_outputs : {1, 3, 9}) {
    const auto residuals = some_residuals(n_outputs);
    const auto query = query_for(residuals, 0.6);
    MiningTree whole(graphs, zero_starts(*graphs), 5);
    Budget unlimited({});
    const auto all = find_violators(whole, query, 0.0, 1.0, 1, unlimited);
    REQUIRE(all.g.size() == all.nodes.size() * n_outputs);
    double largest = 0.0;
    for (const double norm : all.norms) largest = std::max(largest, norm);
    for (const double lam : {0.1 * largest, 0.5 * largest, 0.9 * largest}) {
      std::vector<double> expected;
      for (const double norm : all.norms)
        if (norm > lam) expected.push_back(norm);
      REQUIRE(!expected.empty());
      for (const int n_threads : {1, 2, 5}) {
        MiningTree tree(graphs, zero_starts(*graphs), 5);
        Budget budget({});
        REQUIRE(find_violators(tree, query, lam, 0.3, n_threads, budget).norms == expected);
      }
    }
    MiningTree tree(graphs, zero_starts(*graphs), 5);
    Budget budget({});
    REQUIRE(find_largest(tree, query, budget).value == largest);
  }
}

TEST(root_costs_looked_up_afterwards_are_those_kept_from_the_beginning) {
  const auto graphs = some_graphs();
  const auto residuals = some_residuals(1);
  auto counting = query_for(residuals, 1.0);
  Query best{residuals, 0.5, 5};
  MiningTree early(graphs, zero_starts(*graphs), 5), late(graphs, zero_starts(*graphs), 5);
  Budget unlimited({});
  find_violators(early, counting, 0.0, 1.0, 1, unlimited);
  const auto grown = find_violators(late, best, 0.0, 1.0, 1, unlimited);
  REQUIRE(!late.keeps_roots());
  for (const auto id : grown.nodes) {
    const auto code = late.code(NodeRef::from_id(id));
    const auto found = find_node(early, code, unlimited);
    const auto a = root_costs_of(late, NodeRef::from_id(id), unlimited);
    const auto b = root_costs_of(early, NodeRef::from_id(found), unlimited);
    REQUIRE(std::ranges::equal(a, b, [](const RootCost& x, const RootCost& y) {
      return x.graph == y.graph && x.cost == y.cost;
    }));
  }
}
