#include "place_matching.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "bank_layout.hpp"
#include "parallel.hpp"
#include "tie_order.hpp"

namespace aglets {

namespace {

/// Calls `action(graph, begin, end)` for the places of each graph.
template <class Action>
void for_each_graph(const std::vector<std::int32_t>& place_graphs, Action&& action) {
  for (std::size_t begin = 0, end = 0; begin < place_graphs.size(); begin = end) {
    while (end < place_graphs.size() && place_graphs[end] == place_graphs[begin]) ++end;
    action(place_graphs[begin], begin, end);
  }
}

/// What a channel makes of the scores of one graph's places begin .. end - 1.
double pooled(const Channel& channel, std::span<const double> scores, std::size_t begin,
              std::size_t end, std::span<const std::int32_t> order, std::int32_t n_nodes,
              std::vector<double>& scratch) {
  if (!channel.counts()) return scores[begin];
  double count = 0.0;
  if (!order.empty() || end - begin <= 2) {
    for (auto i = begin; i < end; ++i) count += scores[order.empty() ? i : order[i]];
  } else {
    scratch.assign(scores.begin() + begin, scores.begin() + end);
    std::sort(scratch.begin(), scratch.end(), std::greater<>());
    for (const double score : scratch) count += score;
  }
  if (channel.pooling == Pooling::mean) count /= n_nodes;
  return channel.scale == CountScale::raw ? count : std::sqrt(count);
}

/// The derivative of the pooled value by each of its scores.
double slope(const Channel& channel, double value, std::int32_t n_nodes) {
  double by_score = channel.pooling == Pooling::mean ? 1.0 / n_nodes : 1.0;
  if (channel.counts() && channel.scale == CountScale::root)
    by_score = value > 0.0 ? 0.5 * by_score / value : 0.0;
  return by_score;
}

}  // namespace

PlaceMatches match_places(const GraphletBank& bank, std::span<const std::int32_t> handles,
                          FlatAttributes z, std::span<const std::int32_t> previous, int n_threads,
                          Budget& budget) {
  const BankLayout layout(bank, handles);
  if (z.size() != layout.z.back() ||
      (!previous.empty() && previous.size() != layout.embedding.back()))
    throw std::invalid_argument("z or previous does not fit the graphlets");
  PlaceMatches all{std::vector<double>(layout.places.back()),
                   std::vector<std::int32_t>(layout.embedding.back())};
  run_tasks(handles.size(), useful_threads(layout.places.back(), n_threads), budget, [&] {
    return [&, ticker = Ticker(budget)](std::size_t i) mutable {
      bank.match(handles[i], part_of(z, layout.z, i),
                 previous.empty() ? previous : part_of(previous, layout.embedding, i),
                 part_of(std::span(all.costs), layout.places, i),
                 part_of(std::span(all.nodes), layout.embedding, i), ticker);
    };
  });
  return all;
}

SparseRows pool_places(const GraphletBank& bank, std::span<const std::int32_t> handles,
                       std::span<const double> scores, int n_threads) {
  const BankLayout layout(bank, handles);
  if (scores.size() != layout.places.back())
    throw std::invalid_argument("scores must have one number per place of the graphlets");
  std::vector<std::vector<double>> values(handles.size());
  for_each_handle(layout, n_threads, [&] {
    return [&, scratch = std::vector<double>()](std::size_t i) mutable {
      const auto own = part_of(scores, layout.places, i);
      values[i].reserve(bank.support(handles[i]).size());
      for_each_graph(bank.place_graphs(handles[i]), [&](auto graph, auto begin, auto end) {
        values[i].push_back(pooled(bank.channel(handles[i]), own, begin, end,
                                   bank.sum_order(handles[i]), bank.graphs().n_nodes(graph),
                                   scratch));
      });
    };
  });
  SparseRows rows(static_cast<std::size_t>(bank.graphs().size()));
  for (std::size_t i = 0; i < handles.size(); ++i)
    rows.append(bank.shared_support(handles[i]), std::move(values[i]));
  return rows;
}

std::vector<double> pull_places(const GraphletBank& bank, std::span<const std::int32_t> handles,
                                FlatAttributes z, std::span<const std::int32_t> embedding,
                                std::span<const double> scores, std::span<const double> weights,
                                int n_threads) {
  const BankLayout layout(bank, handles);
  const auto supports =
      offsets_of(handles.size(), [&](std::size_t i) { return bank.support(handles[i]).size(); });
  if (z.size() != layout.z.back() || embedding.size() != layout.embedding.back() ||
      scores.size() != layout.places.back() || weights.size() != supports.back())
    throw std::invalid_argument("z, embedding, scores or weights do not fit the graphlets");
  std::vector<double> sum(z.size());
  for_each_handle(layout, n_threads, [&] {
    return
        [&, terms = std::vector<double>(), scratch = std::vector<double>()](std::size_t i) mutable {
          const auto& channel = bank.channel(handles[i]);
          const auto own = part_of(scores, layout.places, i);
          auto next = part_of(weights, supports, i).begin();
          terms.resize(own.size());
          for_each_graph(bank.place_graphs(handles[i]), [&](auto graph, auto begin, auto end) {
            const auto n_nodes = bank.graphs().n_nodes(graph);
            const double weight = *next++;
            const bool by_value =
                weight != 0.0 && channel.counts() && channel.scale == CountScale::root;
            const double value = by_value ? pooled(channel, own, begin, end,
                                                   bank.sum_order(handles[i]), n_nodes, scratch)
                                          : 0.0;
            const double factor = weight * slope(channel, value, n_nodes);
            for (auto place = begin; place < end; ++place) terms[place] = factor * own[place];
          });
          bank.pull(handles[i], part_of(z, layout.z, i), part_of(embedding, layout.embedding, i),
                    terms, part_of(std::span(sum), layout.z, i));
        };
  });
  return sum;
}

namespace {

/// Graphs that one task matches against one pattern.
constexpr std::size_t graphs_per_task = 256;

/// The places of one graphlet in one graph, cheapest first.
std::vector<Match> places_in(const GraphSet& graphs, std::int32_t graph,
                             const PatternMatcher& matcher, FlatAttributes z, Ticker& ticker) {
  std::vector<Match> places;
  if (!matcher.can_occur(graph)) return places;
  for (const auto image : graphs.nodes_with_label(graph, matcher.pattern().labels[0])) {
    auto match = matcher.best_at(graph, image, z, {}, ticker);
    if (!match.nodes.empty()) places.push_back(std::move(match));
  }
  const TieOrder ties(graphs, graph, matcher.pattern());
  std::stable_sort(places.begin(), places.end(), [&](const Match& a, const Match& b) {
    return a.cost != b.cost ? a.cost < b.cost : ties.precedes(a.nodes, b.nodes);
  });
  return places;
}

void append(FoundPlaces& all, const std::vector<Match>& places) {
  all.n_places.push_back(static_cast<std::int32_t>(places.size()));
  for (const auto& [cost, nodes] : places) {
    all.costs.push_back(cost);
    all.nodes.insert(all.nodes.end(), nodes.begin(), nodes.end());
  }
}

void append(FoundPlaces& all, const FoundPlaces& part) {
  all.n_places.insert(all.n_places.end(), part.n_places.begin(), part.n_places.end());
  all.costs.insert(all.costs.end(), part.costs.begin(), part.costs.end());
  all.nodes.insert(all.nodes.end(), part.nodes.begin(), part.nodes.end());
}

}  // namespace

FoundPlaces find_places(const GraphSet& graphs, std::span<const Pattern> patterns,
                        std::span<const FlatAttributes> z, int n_threads, Budget& budget) {
  if (z.size() != patterns.size())
    throw std::invalid_argument("z must have one attribute vector per pattern");
  std::vector<PatternMatcher> matchers;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (z[i].size() != flat_size(patterns[i], graphs))
      throw std::invalid_argument("a graphlet's attributes do not fit its nodes and edges");
    matchers.emplace_back(graphs, patterns[i]);
  }
  const auto n_graphs = static_cast<std::size_t>(graphs.size());
  const auto n_chunks = (n_graphs + graphs_per_task - 1) / graphs_per_task;
  std::vector<FoundPlaces> parts(patterns.size() * n_chunks);
  run_tasks(parts.size(), n_threads, budget, [&] {
    return [&, ticker = Ticker(budget)](std::size_t task) mutable {
      const auto pattern = task / n_chunks;
      const auto begin = task % n_chunks * graphs_per_task;
      for (auto graph = begin; graph < std::min(begin + graphs_per_task, n_graphs); ++graph)
        append(parts[task], places_in(graphs, static_cast<std::int32_t>(graph), matchers[pattern],
                                      z[pattern], ticker));
    };
  });
  FoundPlaces all;
  for (const auto& part : parts) append(all, part);
  return all;
}

}  // namespace aglets
