#include "aglets/place_matching.hpp"

#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "graphs.hpp"

using namespace aglets;

namespace {

const Pattern path{{0, 0, 0}, {{0, 1, 0}, {1, 2, 0}}};
const Pattern bond{{0, 0}, {{0, 1, 0}}};

std::shared_ptr<const GraphSet> some_graphs() {
  std::mt19937 random(13);
  std::vector<PlainGraph> plain;
  for (int i = 0; i < 8; ++i) plain.push_back(random_graph(random, 6, 1 + i % 2, 0.4));
  return tied_graph_set(plain, 13);
}

}  // namespace

TEST(values_of_places_have_the_gradient_that_is_pulled) {
  const auto graphs = some_graphs();
  const auto n_graphs = static_cast<std::size_t>(graphs->size());
  Budget budget({});
  Ticker ticker(budget);
  const double rho = 0.3;
  const std::vector<std::int32_t> handles{0, 1, 2, 3};
  GraphletBank bank(graphs, 1 << 20);
  const auto support = bank.find_support(path, ticker);
  bank.add(path, support, ticker, {Pooling::best, CountScale::raw});
  bank.add(path, support, ticker, {Pooling::sum, CountScale::raw});
  bank.add(path, support, ticker, {Pooling::mean, CountScale::root});
  bank.add(bond, bank.find_support(bond, ticker), ticker, {Pooling::sum, CountScale::root});
  std::vector<double> z;
  for (const auto handle : handles)
    for (std::size_t i = 0; i < bank.n_attributes(handle); ++i)
      z.push_back(0.11 + 0.17 * static_cast<double>(i));
  std::vector<double> coefficients;
  for (std::size_t i = 0; i < handles.size() * n_graphs; ++i)
    coefficients.push_back(0.5 - 0.2 * static_cast<double>(i % 6));
  const auto value = [&](const std::vector<double>& at) {
    auto places = match_places(bank, handles, at, {}, 2, budget);
    for (auto& cost : places.costs) cost = std::exp(-rho * cost);
    const auto values = pool_places(bank, handles, places.costs).dense(0, n_graphs);
    double sum = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += coefficients[i] * values[i];
    return sum;
  };
  auto places = match_places(bank, handles, z, {}, 1, budget);
  REQUIRE(match_places(bank, handles, z, places.nodes, 1, budget).nodes == places.nodes);
  auto scores = places.costs;
  for (auto& score : scores) score = std::exp(-rho * score);
  std::vector<double> weights;
  for (const auto handle : handles)
    for (const auto graph : bank.support(handle))
      weights.push_back(-2.0 * rho * coefficients[handle * n_graphs + graph]);
  const auto slope = pull_places(bank, handles, z, places.nodes, scores, weights);
  for (std::size_t i = 0; i < z.size(); ++i) {
    auto up = z, down = z;
    up[i] += 1e-6;
    down[i] -= 1e-6;
    REQUIRE(std::abs((value(up) - value(down)) / 2e-6 - slope[i]) < 1e-6);
  }
  REQUIRE(throws<std::invalid_argument>(
      [&] { match_places(bank, handles, std::span(z).first(2), {}, 1, budget); }));
  REQUIRE(throws<std::invalid_argument>([&] { pool_places(bank, handles, {}); }));
  REQUIRE(throws<std::invalid_argument>(
      [&] { pull_places(bank, handles, z, places.nodes, scores, {}); }));
}

TEST(places_of_any_graphlets_are_those_of_a_bank_cheapest_first) {
  const auto graphs = some_graphs();
  Budget budget({});
  Ticker ticker(budget);
  const std::vector<Pattern> patterns{path};
  const std::vector<double> z(flat_size(path, *graphs), 0.4);
  const std::vector<FlatAttributes> views{z};
  const auto found = find_places(*graphs, patterns, views, 2, budget);
  const PatternMatcher matcher(*graphs, path);
  std::size_t place = 0;
  for (std::int32_t graph = 0; graph < graphs->size(); ++graph) {
    const auto images = matcher.root_images(graph, ticker);
    REQUIRE(found.n_places[static_cast<std::size_t>(graph)] ==
            static_cast<std::int32_t>(images.size()));
    for (std::size_t i = 0; i < images.size(); ++i, ++place)
      REQUIRE(i == 0 || found.costs[place] >= found.costs[place - 1]);
  }
  REQUIRE(place == found.costs.size() && found.nodes.size() == 3 * place);
}
