#include "aglets/account.hpp"

#include <string>
#include <tuple>

#include "aglets/enumeration.hpp"
#include "aglets/search.hpp"
#include "check.hpp"
#include "graphs.hpp"

using namespace aglets;

namespace {

std::shared_ptr<const GraphSet> some_graphs() {
  std::mt19937 random(31);
  std::vector<PlainGraph> plain;
  for (int i = 0; i < 12; ++i) plain.push_back(random_graph(random, 9, 2, 0.3));
  return graph_set(plain);
}

std::vector<double> some_residual(std::size_t n) {
  std::vector<double> residual;
  for (std::size_t i = 0; i < n; ++i) residual.push_back(i % 3 == 0 ? -1.0 : 0.4);
  return residual;
}

Query query_of(const std::vector<double>& residual, int maxpat, bool counts) {
  Query query{residual, 0.5, maxpat};
  if (counts) query.channels.push_back({Pooling::sum, CountScale::raw});
  return query;
}

/// Everything of a search under limits that must not depend on the number of threads: what it
/// said, the tree it left, the work it counted, and all that a search without limits then finds.
using Outcome =
    std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::vector<std::int64_t>,
               std::vector<double>, std::int64_t, std::int64_t>;

Outcome outcome(const std::shared_ptr<const GraphSet>& graphs, const Limits& limits, int n_threads,
                bool counts = false) {
  const auto residual = some_residual(static_cast<std::size_t>(graphs->size()));
  const auto query = query_of(residual, 6, counts);
  MiningTree tree(graphs, zero_starts(*graphs), 6);
  std::string said;
  Budget limited(limits), unlimited({});
  try {
    find_violators(tree, query, 0.3, 0.2, n_threads, limited);
  } catch (const BudgetExceeded& error) {
    said = error.what();
  }
  const auto nodes = tree.n_nodes(), bytes = tree.n_bytes(), work = tree.work_spent();
  const auto all = find_violators(tree, query, 0.3, 0.2, n_threads, unlimited);
  return {said, nodes, bytes, work, all.nodes, all.g, all.n_visited, tree.work_spent()};
}

}  // namespace

TEST(a_spent_budget_ends_a_search_in_the_same_state_for_any_number_of_threads) {
  const auto graphs = some_graphs();
  const auto whole = outcome(graphs, {}, 1);
  const auto [said, nodes, bytes, work, found, g, n_visited, more] = whole;
  REQUIRE(said.empty() && nodes > 500 && work > 5000 && !found.empty());
  int n_cut = 0;
  for (int share = 0; share <= 20; ++share) {
    for (int kind = 0; kind < 3; ++kind) {
      Limits limits;
      if (kind == 0) limits.work = work * share / 20;
      if (kind == 1) limits.nodes = nodes * share / 20;
      if (kind == 2) limits.bytes = bytes * share / 16;
      const auto one = outcome(graphs, limits, 1);
      n_cut += !std::get<0>(one).empty();
      const char* names[] = {"max_work", "max_nodes", "max_bytes"};
      REQUIRE(std::get<0>(one).empty() || std::get<0>(one).find(names[kind]) != std::string::npos);
      for (const int n_threads : {2, 5, 5}) REQUIRE(outcome(graphs, limits, n_threads) == one);
    }
  }
  REQUIRE(n_cut > 50);
}

TEST(a_spent_budget_ends_a_search_with_counts_in_the_same_state_for_any_number_of_threads) {
  const auto graphs = some_graphs();
  const auto work = std::get<3>(outcome(graphs, {}, 1, true));
  for (int share = 1; share < 10; ++share) {
    Limits limits;
    limits.work = work * share / 10;
    const auto one = outcome(graphs, limits, 1, true);
    REQUIRE(std::get<0>(one).find("max_work") != std::string::npos);
    for (const int n_threads : {2, 5}) REQUIRE(outcome(graphs, limits, n_threads, true) == one);
  }
}

TEST(a_search_passes_exactly_at_the_work_it_needs) {
  const auto graphs = some_graphs();
  const auto work = std::get<3>(outcome(graphs, {}, 1));
  for (const int n_threads : {1, 3}) {
    Limits enough, short_by_one;
    enough.work = work;
    short_by_one.work = work - 1;
    REQUIRE(std::get<0>(outcome(graphs, enough, n_threads)).empty());
    REQUIRE(!std::get<0>(outcome(graphs, short_by_one, n_threads)).empty());
  }
}

TEST(a_cut_count_is_the_same_for_any_number_of_threads) {
  const auto graphs = some_graphs();
  const StartCosts costs(*graphs, zero_starts(*graphs));
  for (const std::int64_t work : {0, 100, 1000, 4000, 9000, 100000000}) {
    Limits limits;
    limits.work = work;
    const auto counted = [&](int n_threads) {
      Budget budget(limits);
      return count_patterns(*graphs, costs, 6, n_threads, budget);
    };
    const auto one = counted(1);
    REQUIRE(one.complete == (work == 100000000));
    for (const int n_threads : {2, 5}) {
      const auto many = counted(n_threads);
      REQUIRE(many.by_size == one.by_size && many.complete == one.complete);
    }
  }
}

TEST(patterns_kept_before_a_cut_are_the_same_for_any_number_of_threads) {
  const auto graphs = some_graphs();
  const StartCosts costs(*graphs, zero_starts(*graphs));
  for (const std::int64_t bytes : {10000, 40000, 100000}) {
    Limits limits;
    limits.bytes = bytes;
    const auto found = [&](int n_threads) {
      Budget budget(limits);
      FrequentVisitor visitor(2);
      REQUIRE(throws<BudgetExceeded>(
          [&] { walk_patterns(*graphs, costs, 7, n_threads, budget, visitor); }));
      std::vector<std::vector<std::int32_t>> types;
      for (const auto& pattern : visitor.found) types.push_back(pattern.types);
      return types;
    };
    const auto one = found(1);
    REQUIRE(!one.empty());
    for (const int n_threads : {2, 5}) REQUIRE(found(n_threads) == one);
  }
}

TEST(an_account_counts_what_is_held_and_kept_together) {
  Limits limits;
  limits.bytes = 100;
  Budget budget(limits);
  Account account(budget, {0, 0, 10});
  account.hold_bytes(40);
  account.keep(1, 50);
  account.release_bytes(40);
  REQUIRE(throws<BudgetExceeded>([&] { account.keep(1, 50); }));
  REQUIRE(account.own().nodes == 1 && account.own().bytes == 50 && account.peak_bytes() == 100);
}

TEST(work_is_checked_to_the_unit_when_it_matters) {
  Limits limits;
  limits.work = 10;
  Budget budget(limits);
  Account account(budget, {3, 0, 0});
  for (int i = 0; i < 7; ++i) account.tick();
  account.settle();
  account.add_work(1);
  REQUIRE(throws<BudgetExceeded>([&] { account.settle(); }));
  REQUIRE(account.total().work == 11);
}
