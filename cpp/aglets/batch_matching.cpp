#include "batch_matching.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "parallel.hpp"

namespace aglets {

namespace {

/// Where each graphlet's share of a flat array begins; one more for the end.
template <class Size>
std::vector<std::size_t> offsets_of(std::size_t count, Size&& size) {
  std::vector<std::size_t> offsets{0};
  for (std::size_t i = 0; i < count; ++i) offsets.push_back(offsets.back() + size(i));
  return offsets;
}

struct BankLayout {
  std::vector<std::size_t> z, sites;
};

BankLayout layout_of(const GraphletBank& bank, std::span<const std::int32_t> handles) {
  for (const auto handle : handles)
    if (handle < 0 || handle >= bank.size())
      throw std::out_of_range("the bank has no such graphlet");
  return {offsets_of(handles.size(), [&](std::size_t i) { return bank.n_attributes(handles[i]); }),
          offsets_of(handles.size(), [&](std::size_t i) { return bank.n_sites(handles[i]); })};
}

/// Graphs that one task matches against one pattern.
constexpr std::size_t graphs_per_task = 256;

/// Below this many (graphlet, graph) pairs a second thread costs more than it brings.
constexpr std::size_t pairs_per_thread = 20000;

int useful_threads(std::size_t n_pairs, int n_threads) {
  return std::min(n_threads,
                  1 + static_cast<int>(std::min<std::size_t>(n_pairs / pairs_per_thread, 1024)));
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
  const auto layout = layout_of(bank, handles);
  if (z.size() != layout.z.back() || (!previous.empty() && previous.size() != layout.sites.back()))
    throw std::invalid_argument("z or previous does not fit the graphlets");
  const auto n_graphs = static_cast<std::size_t>(bank.graphs().size());
  Matches all{std::vector<double>(handles.size() * n_graphs, HUGE_VAL),
              std::vector<std::int32_t>(layout.sites.back(), -1)};
  const auto threads = useful_threads(handles.size() * n_graphs, n_threads);
  run_tasks(handles.size(), threads, budget, [&] {
    return [&, ticker = Ticker(budget)](std::size_t i) mutable {
      const auto handle = handles[i];
      const auto& support = bank.support(handle);
      const auto n_sites = layout.sites[i + 1] - layout.sites[i];
      std::vector<double> costs(support.size());
      bank.match(handle, z.subspan(layout.z[i], layout.z[i + 1] - layout.z[i]),
                 previous.empty() ? previous : previous.subspan(layout.sites[i], n_sites), costs,
                 std::span(all.nodes).subspan(layout.sites[i], n_sites), ticker);
      for (std::size_t place = 0; place < support.size(); ++place)
        all.costs[i * n_graphs + support[place]] = costs[place];
    };
  });
  return all;
}

std::vector<double> pull_bank(const GraphletBank& bank, std::span<const std::int32_t> handles,
                              FlatAttributes z, std::span<const std::int32_t> sites,
                              std::span<const double> weights) {
  const auto layout = layout_of(bank, handles);
  const auto n_graphs = static_cast<std::size_t>(bank.graphs().size());
  if (z.size() != layout.z.back() || sites.size() != layout.sites.back() ||
      weights.size() != handles.size() * n_graphs)
    throw std::invalid_argument("z, sites or weights do not fit the graphlets");
  std::vector<double> sum(z.size());
  std::vector<double> own;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const auto& support = bank.support(handles[i]);
    own.clear();
    for (const auto graph : support) own.push_back(weights[i * n_graphs + graph]);
    const auto n = layout.z[i + 1] - layout.z[i];
    bank.pull(handles[i], z.subspan(layout.z[i], n),
              sites.subspan(layout.sites[i], layout.sites[i + 1] - layout.sites[i]), own,
              std::span(sum).subspan(layout.z[i], n));
  }
  return sum;
}

}  // namespace aglets
