#include "occurrences.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace aglets {

namespace {

using Nodes = std::vector<std::int32_t>;

/// The cheapest embedding of each set of nodes, by set.
std::map<Nodes, Match> cheapest_by_set(const GraphSet& graphs, std::int32_t graph,
                                       const Pattern& pattern, FlatAttributes z,
                                       std::span<const std::int32_t> embeddings) {
  const auto k = static_cast<std::size_t>(pattern.n_nodes());
  std::map<Nodes, Match> sets;
  for (std::size_t begin = 0; begin < embeddings.size(); begin += k) {
    const auto nodes = embeddings.subspan(begin, k);
    const auto cost = embedding_cost(graphs, graph, pattern, z, nodes);
    Nodes set(nodes.begin(), nodes.end());
    std::sort(set.begin(), set.end());
    const auto [place, is_new] = sets.try_emplace(std::move(set), Match{cost, {}});
    if (!is_new && cost >= place->second.cost) continue;
    place->second = {cost, {nodes.begin(), nodes.end()}};
  }
  return sets;
}

}  // namespace

Occurrences find_occurrences(const GraphSet& graphs, const Pattern& pattern, FlatAttributes z,
                             std::size_t max_embeddings, Budget& budget) {
  if (z.size() != flat_size(pattern, graphs))
    throw std::invalid_argument("a graphlet's attributes do not fit its nodes and edges");
  const PatternMatcher matcher(graphs, pattern);
  Ticker ticker(budget);
  Occurrences found{{0}, {}, {}, {}};
  Nodes embeddings;
  for (std::int32_t graph = 0; graph < graphs.size(); ++graph) {
    embeddings.clear();
    const bool complete = matcher.all(graph, max_embeddings, embeddings, ticker);
    // The best one as AGIS finds it, with its ways to settle ties.
    auto best = matcher.best(graph, z, {}, ticker);
    auto sets = cheapest_by_set(graphs, graph, pattern, z, embeddings);
    if (!best.nodes.empty()) {
      Nodes set = best.nodes;
      std::sort(set.begin(), set.end());
      found.costs.push_back(best.cost);
      found.nodes.insert(found.nodes.end(), best.nodes.begin(), best.nodes.end());
      sets.erase(set);
    }
    std::vector<const Match*> rest;
    for (const auto& [set, match] : sets) rest.push_back(&match);
    std::stable_sort(rest.begin(), rest.end(),
                     [](const Match* a, const Match* b) { return a->cost < b->cost; });
    for (const auto* match : rest) {
      found.costs.push_back(match->cost);
      found.nodes.insert(found.nodes.end(), match->nodes.begin(), match->nodes.end());
    }
    found.offsets.push_back(static_cast<std::int64_t>(found.costs.size()));
    found.complete.push_back(complete ? 1 : 0);
  }
  return found;
}

}  // namespace aglets
