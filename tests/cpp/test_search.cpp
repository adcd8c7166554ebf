#include "aglets/search.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

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

TEST(a_tree_grown_as_another_one_is_searched_with_the_same_work) {
  const auto graphs = some_graphs();
  for (const int n_searches : {1, 2, 3}) {
    MiningTree grown(graphs, zero_starts(*graphs), 5);
    Budget unlimited({});
    find_largest(grown, {residual, 0.5, 5}, unlimited);
    for (int i = 0; i < n_searches; ++i)
      find_violators(grown, {residual, 0.5, 3 + i % 3}, 1.0 / (1 + i), 0.5, 1, unlimited);
    MiningTree other(graphs, zero_starts(*graphs), 5);
    grow_as(other, growth_of(grown), false, unlimited);
    REQUIRE(growth_of(other) == growth_of(grown));
    REQUIRE(other.work_spent() == 0);
    const auto before = grown.work_spent();
    const auto expected = find_violators(grown, {residual, 0.5, 5}, 0.2, 0.5, 1, unlimited);
    const auto found = find_violators(other, {residual, 0.5, 5}, 0.2, 0.5, 1, unlimited);
    REQUIRE(found.g == expected.g);
    REQUIRE(found.n_made == expected.n_made);
    REQUIRE(other.work_spent() == grown.work_spent() - before);
  }
}

TEST(growth_of_another_tree_is_refused) {
  const auto graphs = some_graphs();
  Budget unlimited({});
  MiningTree grown(graphs, zero_starts(*graphs), 4);
  find_violators(grown, {residual, 0.5, 4}, 0.4, 0.5, 1, unlimited);
  const auto growth = growth_of(grown);
  const auto refuses = [&](MiningTree& tree, const std::vector<std::int32_t>& counts) {
    REQUIRE(throws<std::invalid_argument>([&] { grow_as(tree, counts, false, unlimited); }));
  };
  refuses(grown, growth);  // has grown before
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, growth.size() - 2}) {
    MiningTree tree(graphs, zero_starts(*graphs), 4);
    refuses(tree, {growth.begin(), growth.begin() + static_cast<std::ptrdiff_t>(n)});
  }
  for (const std::int32_t wrong : {-1, growth[1] + 1, 1 << 30}) {
    MiningTree tree(graphs, zero_starts(*graphs), 4);
    auto changed = growth;
    changed[1] = wrong;
    refuses(tree, changed);
  }
  // A tree of the right number of nodes, whose first node would have one child less.
  MiningTree tree(graphs, zero_starts(*graphs), 4);
  const auto n_roots = static_cast<std::size_t>(tree.n_roots());
  std::vector<std::int32_t> invented(2 * n_roots + 2, 1);
  invented[1] = 2;
  refuses(tree, invented);
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

TEST(rounds_of_children_and_sums_reach_what_a_search_reaches) {
  const auto graphs = some_graphs();
  MiningTree tree(graphs, zero_starts(*graphs), 4);
  Budget budget({});
  const Query query{residual, 0.5, 4};
  std::vector<std::int64_t> round;
  for (std::int32_t root = 0; root < tree.n_roots(); ++root) round.push_back(NodeRef{0, root}.id());
  std::vector<double> met;
  while (!round.empty()) {
    const auto sums = find_signed_sums(tree, round, query, budget);
    for (std::size_t i = 0; i < round.size(); ++i) {
      const double g = sums.up[i] - sums.down[i];
      if (std::abs(g) > 0.3) met.push_back(std::abs(g));
    }
    const auto children = find_children(tree, round, 4, budget);
    REQUIRE(children.edges.size() == 3 * children.nodes.size());
    round = children.nodes;
  }
  MiningTree other(graphs, zero_starts(*graphs), 4);
  auto expected = find_violators(other, query, 0.3, 1.0, 1, budget).norms;
  std::sort(met.begin(), met.end());
  std::sort(expected.begin(), expected.end());
  REQUIRE(met.size() == expected.size());
  for (std::size_t i = 0; i < met.size(); ++i) REQUIRE(std::abs(met[i] - expected[i]) < 1e-12);
  REQUIRE(tree.work_spent() > 0);
}

TEST(patterns_with_very_many_embeddings_grow_graph_by_graph) {
  PlainGraph star{std::vector<std::int32_t>(25, 0), {}};
  for (int leaf = 1; leaf < 25; ++leaf) star.edges.push_back({0, leaf});
  const auto graphs = graph_set({star, star});
  const StartCosts costs(*graphs, zero_starts(*graphs));
  MiningTree tree(graphs, zero_starts(*graphs), 6);
  Budget budget({});
  const std::vector<double> ones{1.0, 1.0};
  // A path of three nodes, and stars of up to five leaves.
  REQUIRE(find_violators(tree, {ones, 1e-9, 6}, 0.5, 1.0, 2, budget).nodes.size() == 6);
  // The same with other names for nodes.
  for (const int n : {300, 70000}) {
    PlainGraph path{std::vector<std::int32_t>(static_cast<std::size_t>(n), 0), {}};
    for (int node = 1; node < n; ++node) path.edges.push_back({node - 1, node});
    const auto long_path = graph_set({path});
    MiningTree large(long_path, zero_starts(*long_path), 3);
    const std::vector<double> one{1.0};
    REQUIRE(find_violators(large, {one, 1e-9, 3}, 0.5, 1.0, 1, budget).nodes.size() == 3);
  }
}

TEST(a_search_without_time_says_so) {
  const auto graphs = some_graphs();
  Limits limits;
  limits.seconds = 0.0;
  for (const int n_threads : {1, 3}) {
    MiningTree tree(graphs, zero_starts(*graphs), 5);
    Budget budget(limits);
    REQUIRE(throws<OutOfTime>(
        [&] { find_violators(tree, {residual, 0.5, 5}, 0.0, 1.0, n_threads, budget); }));
  }
}

TEST(starts_that_do_not_fit_are_refused) {
  const auto graphs = tied_graph_set({{{0, 1}, {{0, 1}}}}, 1);
  REQUIRE(throws<std::invalid_argument>([&] { StartCosts(*graphs, {{1, 0}, {0.0, 0.0}, {0.0}}); }));
  REQUIRE(throws<std::invalid_argument>([&] { StartCosts(*graphs, {{0, 1}, {0.0}, {0.0}}); }));
  REQUIRE(throws<std::invalid_argument>([&] { StartCosts(*graphs, {{0, 1}, {0.0, 0.0}, {}}); }));
  REQUIRE(throws<std::invalid_argument>([&] { MiningTree(graphs, {}, 0); }));
}
