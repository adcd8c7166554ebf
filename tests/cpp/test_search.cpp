#include "aglets/search.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "graphs.hpp"

using namespace aglets;

namespace {

std::shared_ptr<const GraphSet> some_graphs() {
  std::mt19937 random(19);
  std::vector<PlainGraph> plain;
  for (int i = 0; i < 8; ++i) plain.push_back(random_graph(random, 8, 2, 0.3));
  return graph_set(plain);
}

const std::vector<double> residual{0.3, -1.0, 0.7, 0.2, -0.4, 0.9, -0.8, 0.1};

}  // namespace

TEST(pruning_loses_no_violator_and_threads_change_nothing) {
  const auto graphs = some_graphs();
  MiningTree whole(graphs, zero_starts(*graphs), 5);
  Budget unlimited({});
  const auto all = find_violators(whole, {residual, 0.5, 5}, 0.0, 1.0, 1, unlimited);
  for (const double lam : {0.2, 0.4, 0.8}) {
    std::vector<double> expected;
    for (const double g : all.g)
      if (std::abs(g) > lam) expected.push_back(g);
    for (const int n_threads : {1, 2, 5}) {
      MiningTree tree(graphs, zero_starts(*graphs), 5);
      Budget budget({});
      const auto found = find_violators(tree, {residual, 0.5, 5}, lam, 0.3, n_threads, budget);
      REQUIRE(found.g == expected);
    }
  }
  MiningTree tree(graphs, zero_starts(*graphs), 5);
  Budget budget({});
  double largest = 0.0;
  for (const double g : all.g) largest = std::max(largest, std::abs(g));
  REQUIRE(find_largest(tree, {residual, 0.5, 5}, budget).value == largest);
}

TEST(every_pattern_is_found_again_in_a_tree_that_has_not_grown) {
  const auto graphs = some_graphs();
  MiningTree whole(graphs, zero_starts(*graphs), 5);
  Budget unlimited({});
  const auto all = find_violators(whole, {residual, 0.5, 5}, 0.0, 1.0, 1, unlimited);
  REQUIRE(all.nodes.size() > 100);
  MiningTree fresh(graphs, zero_starts(*graphs), 5);
  for (auto id = all.nodes.rbegin(); id != all.nodes.rend(); ++id) {
    const auto wanted = NodeRef::from_id(*id);
    const auto found = find_node(fresh, whole.code(wanted), unlimited);
    REQUIRE(found >= 0);
    const auto ref = NodeRef::from_id(found);
    REQUIRE(fresh.code(ref).types() == whole.code(wanted).types());
    REQUIRE(std::ranges::equal(fresh.support_costs(ref), whole.support_costs(wanted)));
  }
  MiningTree small(graphs, zero_starts(*graphs), 1);
  REQUIRE(find_node(small, whole.code(NodeRef::from_id(all.nodes.back())), unlimited) == -1);
  REQUIRE(find_node(fresh, DfsCode(77), unlimited) == -1);
}

TEST(a_spent_budget_leaves_the_tree_usable) {
  const auto graphs = some_graphs();
  MiningTree tree(graphs, zero_starts(*graphs), 5);
  Limits few;
  few.nodes = 20;
  Budget small(few);
  REQUIRE(throws<BudgetExceeded>(
      [&] { find_violators(tree, {residual, 0.5, 5}, 0.0, 1.0, 2, small); }));
  REQUIRE(tree.n_nodes() <= 20);
  MiningTree fresh(graphs, zero_starts(*graphs), 5);
  Budget a({}), b({});
  const auto after = find_violators(tree, {residual, 0.5, 5}, 0.1, 1.0, 1, a);
  const auto expected = find_violators(fresh, {residual, 0.5, 5}, 0.1, 1.0, 1, b);
  auto g = after.g, wanted = expected.g;
  std::sort(g.begin(), g.end());
  std::sort(wanted.begin(), wanted.end());
  REQUIRE(g == wanted);
}

TEST(an_interrupt_ends_the_search) {
  const auto graphs = some_graphs();
  MiningTree tree(graphs, zero_starts(*graphs), 8);
  const auto start = std::chrono::steady_clock::now();
  Budget budget(
      {}, [&] { return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(1); });
  bool ended = false;
  try {
    for (int round = 0; round < 100000; ++round)
      find_violators(tree, {residual, 0.5, 8}, 0.0, 1.0, 2, budget);
  } catch (const Interrupted&) {
    ended = true;
  }
  REQUIRE(ended);
}
