#include "batch_matching.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bank_layout.hpp"
#include "parallel.hpp"
#include "place_matching.hpp"

namespace aglets {

namespace {

/// Graphs that one task matches against one pattern.
constexpr std::size_t graphs_per_task = 256;

void check_none_counts(const GraphletBank& bank, std::span<const std::int32_t> handles) {
  for (const auto handle : handles)
    if (handle >= 0 && handle < bank.size() && bank.channel(handle).counts())
      throw std::invalid_argument("a graphlet that counts has several places in a graph");
}

}  // namespace

Matches match_patterns(const GraphSet& graphs, std::span<const Pattern> patterns,
                       std::span<const FlatAttributes> z, int n_threads, Budget& budget) {
  if (z.size() != patterns.size())
    throw std::invalid_argument("z must have one attribute vector per pattern");
  const auto n_graphs = static_cast<std::size_t>(graphs.size());
  std::vector<PatternMatcher> matchers;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (z[i].size() != flat_size(patterns[i], graphs))
      throw std::invalid_argument("a graphlet's attributes do not fit its nodes and edges");
    matchers.emplace_back(graphs, patterns[i]);
  }
  const auto offsets = offsets_of(patterns.size(), [&](std::size_t i) {
    return n_graphs * static_cast<std::size_t>(patterns[i].n_nodes());
  });
  Matches all{std::vector<double>(patterns.size() * n_graphs, HUGE_VAL),
              std::vector<std::int32_t>(offsets.back(), -1)};
  const auto n_chunks = (n_graphs + graphs_per_task - 1) / graphs_per_task;
  run_tasks(patterns.size() * n_chunks, n_threads, budget, [&] {
    return [&, ticker = Ticker(budget)](std::size_t task) mutable {
      const auto pattern = task / n_chunks;
      const auto begin = task % n_chunks * graphs_per_task;
      const auto k = static_cast<std::size_t>(patterns[pattern].n_nodes());
      for (auto graph = begin; graph < std::min(begin + graphs_per_task, n_graphs); ++graph) {
        const auto match =
            matchers[pattern].best(static_cast<std::int32_t>(graph), z[pattern], {}, ticker);
        all.costs[pattern * n_graphs + graph] = match.cost;
        std::copy(match.nodes.begin(), match.nodes.end(),
                  all.nodes.begin() + static_cast<std::ptrdiff_t>(offsets[pattern] + graph * k));
      }
    };
  });
  return all;
}

Matches match_bank(const GraphletBank& bank, std::span<const std::int32_t> handles,
                   FlatAttributes z, std::span<const std::int32_t> previous, int n_threads,
                   Budget& budget) {
  check_none_counts(bank, handles);
  auto places = match_places(bank, handles, z, previous, n_threads, budget);
  const auto n_graphs = static_cast<std::size_t>(bank.graphs().size());
  Matches all{std::vector<double>(handles.size() * n_graphs, HUGE_VAL), std::move(places.nodes)};
  auto cost = places.costs.begin();
  for (std::size_t i = 0; i < handles.size(); ++i)
    for (const auto graph : bank.place_graphs(handles[i]))
      all.costs[i * n_graphs + graph] = *cost++;
  return all;
}

std::vector<double> pull_bank(const GraphletBank& bank, std::span<const std::int32_t> handles,
                              FlatAttributes z, std::span<const std::int32_t> embedding,
                              std::span<const double> weights, int n_threads) {
  check_none_counts(bank, handles);
  const BankLayout layout(bank, handles);
  if (z.size() != layout.z.back() || embedding.size() != layout.embedding.back() ||
      weights.size() != layout.places.back())
    throw std::invalid_argument("z, embedding or weights do not fit the graphlets");
  std::vector<double> sum(z.size());
  for_each_handle(layout, n_threads, [&] {
    return [&](std::size_t i) {
      bank.pull(handles[i], part_of(z, layout.z, i), part_of(embedding, layout.embedding, i),
                part_of(weights, layout.places, i), part_of(std::span(sum), layout.z, i));
    };
  });
  return sum;
}

}  // namespace aglets
