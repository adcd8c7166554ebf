#include "aglets/batch_matching.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aglets/branch_and_bound.hpp"
#include "aglets/tie_order.hpp"
#include "check.hpp"
#include "graphs.hpp"

using namespace aglets;

namespace {

const Pattern bond{{0, 0}, {{0, 1, 0}}};
const Pattern path{{0, 0, 0}, {{0, 1, 0}, {1, 2, 0}}};
const Pattern ring{{0, 0, 0}, {{0, 1, 0}, {1, 2, 0}, {0, 2, 0}}};

std::shared_ptr<const GraphSet> some_graphs() {
  std::mt19937 random(3);
  std::vector<PlainGraph> plain;
  for (int i = 0; i < 10; ++i) plain.push_back(random_graph(random, 6, 1 + i % 2, 0.4));
  return tied_graph_set(plain, 3);
}

std::vector<double> attributes_of(const Pattern& pattern, const GraphSet& graphs, double first) {
  std::vector<double> z(flat_size(pattern, graphs));
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = first + 0.3 * static_cast<double>(i % 4);
  return z;
}

}  // namespace

TEST(batches_say_what_single_matchers_say) {
  const auto graphs = some_graphs();
  const std::vector<Pattern> patterns{bond, path, ring};
  std::vector<std::vector<double>> z;
  std::vector<FlatAttributes> views;
  for (const auto& pattern : patterns) z.push_back(attributes_of(pattern, *graphs, 0.1));
  for (const auto& one : z) views.push_back(one);
  Budget budget({});
  Ticker ticker(budget);
  for (const int n_threads : {1, 3}) {
    const auto all = match_patterns(*graphs, patterns, views, n_threads, budget);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      for (std::int32_t graph = 0; graph < graphs->size(); ++graph) {
        const auto one = PatternMatcher(*graphs, patterns[i]).best(graph, z[i], {}, ticker);
        REQUIRE(all.costs[i * static_cast<std::size_t>(graphs->size()) +
                          static_cast<std::size_t>(graph)] == one.cost);
      }
    }
  }
  REQUIRE(throws<std::invalid_argument>(
      [&] { match_patterns(*graphs, patterns, std::span(views).first(2), 1, budget); }));
  REQUIRE(throws<std::invalid_argument>([&] {
    match_patterns(*graphs, std::span(patterns).first(1), std::span(views).last(1), 1, budget);
  }));
}

TEST(a_bank_with_and_without_tables_matches_and_pulls_alike) {
  const auto graphs = some_graphs();
  Budget budget({});
  Ticker ticker(budget);
  const std::vector<std::int32_t> handles{0, 1};
  std::vector<double> z = attributes_of(path, *graphs, 0.2);
  const auto more = attributes_of(ring, *graphs, 0.4);
  z.insert(z.end(), more.begin(), more.end());
  std::vector<Matches> found;
  std::vector<std::vector<double>> pulls;
  for (const std::int64_t table_bytes : {0, 1 << 20}) {
    GraphletBank bank(graphs, table_bytes);
    bank.add(path, bank.find_support(path, ticker), ticker);
    bank.add(ring, bank.find_support(ring, ticker), ticker);
    found.push_back(match_bank(bank, handles, z, {}, 2, budget));
    const auto again = match_bank(bank, handles, z, found.back().nodes, 1, budget);
    REQUIRE(again.nodes == found.back().nodes);
    std::vector<double> weights(bank.support(0).size() + bank.support(1).size(), 0.0);
    for (std::size_t i = 0; i < weights.size(); i += 2) weights[i] = 1.0 + static_cast<double>(i);
    pulls.push_back(pull_bank(bank, handles, z, found.back().nodes, weights));
    REQUIRE(throws<std::out_of_range>(
        [&] { match_bank(bank, std::vector<std::int32_t>{2}, z, {}, 1, budget); }));
    REQUIRE(throws<std::invalid_argument>(
        [&] { match_bank(bank, handles, std::span(z).first(3), {}, 1, budget); }));
    REQUIRE(throws<std::invalid_argument>(
        [&] { pull_bank(bank, handles, z, found.back().nodes, {}); }));
  }
  for (std::size_t i = 0; i < found[0].costs.size(); ++i)
    REQUIRE(
        std::isinf(found[0].costs[i]) == std::isinf(found[1].costs[i]) &&
        (std::isinf(found[0].costs[i]) || std::abs(found[0].costs[i] - found[1].costs[i]) < 1e-12));
  REQUIRE(pulls[0] == pulls[1]);
}

TEST(graphlets_that_count_have_a_place_per_root_image) {
  const auto graphs = some_graphs();
  Budget budget({});
  Ticker ticker(budget);
  const auto z = attributes_of(path, *graphs, 0.2);
  std::vector<std::vector<double>> costs(2), sums(2);
  for (const std::int64_t table_bytes : {0, 1 << 20}) {
    const std::size_t which = table_bytes > 0;
    GraphletBank bank(graphs, table_bytes);
    bank.add(path, bank.find_support(path, ticker), ticker, {Pooling::sum, CountScale::raw});
    const auto& places = bank.place_graphs(0);
    REQUIRE(places.size() > bank.support(0).size());
    costs[which].resize(places.size());
    sums[which].resize(z.size());
    std::vector<std::int32_t> sites(bank.n_sites(0));
    bank.match(0, z, {}, costs[which], sites, ticker);
    std::vector<double> weights(places.size(), 1.0);
    bank.pull(0, z, sites, weights, sums[which]);
    const PatternMatcher matcher(*graphs, path);
    std::size_t place = 0;
    for (const auto graph : bank.support(0))
      for (const auto image : matcher.root_images(graph, ticker)) {
        const auto one = matcher.best_at(graph, image, z, {}, ticker);
        REQUIRE(one.nodes[0] == image && std::abs(one.cost - costs[which][place]) < 1e-12);
        const auto bounded =
            branch_and_bound_at(*graphs, graph, path, z, image, {HUGE_VAL, {}}, ticker);
        const TieOrder order(*graphs, graph, path);
        REQUIRE(!order.precedes(bounded.nodes, one.nodes) &&
                !order.precedes(one.nodes, bounded.nodes) && bounded.nodes[0] == image);
        REQUIRE(matcher.best_at(graph, image, z, one.nodes, ticker).nodes == one.nodes);
        ++place;
      }
    REQUIRE(place == places.size());
  }
  for (std::size_t i = 0; i < costs[0].size(); ++i)
    REQUIRE(std::abs(costs[0][i] - costs[1][i]) < 1e-12);
  for (std::size_t i = 0; i < z.size(); ++i) REQUIRE(std::abs(sums[0][i] - sums[1][i]) < 1e-9);
}

TEST(dense_graphs_are_left_to_branch_and_bound) {
  PlainGraph clique{std::vector<std::int32_t>(12, 0), {}};
  for (int u = 0; u < 12; ++u)
    for (int v = u + 1; v < 12; ++v) clique.edges.push_back({u, v});
  const auto graphs = tied_graph_set({clique}, 7);
  Pattern long_path{std::vector<std::int32_t>(8, 0), {}};
  for (std::int32_t node = 1; node < 8; ++node) long_path.edges.push_back({node - 1, node, 0});
  const std::vector<double> z(flat_size(long_path, *graphs), 0.5);
  Budget budget({});
  Ticker ticker(budget);
  const PatternMatcher matcher(*graphs, long_path);
  const auto best = matcher.best(0, z, {}, ticker);
  const auto bounded = branch_and_bound(*graphs, 0, long_path, z, {HUGE_VAL, {}}, ticker);
  REQUIRE(best.nodes == bounded.nodes);
  REQUIRE(matcher.best(0, z, best.nodes, ticker).nodes == best.nodes);
  REQUIRE(matcher.best_at(0, 3, z, {}, ticker).nodes[0] == 3);
}
