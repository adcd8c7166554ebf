#include "graphlet_bank.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "distance.hpp"
#include "distinct_rows.hpp"
#include "fetch_ahead.hpp"
#include "table_costs.hpp"
#include "tie_order.hpp"

namespace aglets {

namespace {

/// Embeddings in one graph that are listed to find the best; beyond it, bounds are better.
constexpr std::size_t max_listed = 1000;
/// Bytes of all lists together, as a multiple of those of the largest table.
constexpr std::int64_t lists_per_table = 128;

}  // namespace

GraphletBank::GraphletBank(std::shared_ptr<const GraphSet> graphs, std::int64_t table_bytes)
    : graphs_(std::move(graphs)),
      table_bytes_(table_bytes),
      list_bytes_(lists_per_table * table_bytes) {}

std::int32_t GraphletBank::add(Pattern pattern, std::vector<std::int32_t> support, Ticker& ticker,
                               Channel channel) {
  auto entry = std::make_unique<Entry>(*graphs_, std::move(pattern), std::move(support), channel);
  entry->has_table = collect(*entry, ticker);
  if (entry->has_table) {
    fill_table(*entry);
  } else {
    entry->embeddings = {};
    entry->sum_order = {};
    entry->ends = {};
    find_places(*entry, ticker);
    entry->leads.reset(entry->place_graphs().size(), entry->matcher.pattern().labels.size());
    entry->lists.reset(entry->support->size());
  }
  entries_.push_back(std::move(entry));
  return size() - 1;
}

std::vector<std::int32_t> GraphletBank::find_support(const Pattern& pattern, Ticker& ticker) const {
  const PatternMatcher matcher(*graphs_, pattern);
  std::vector<std::int32_t> support;
  for (std::int32_t graph = 0; graph < graphs_->size(); ++graph)
    if (matcher.occurs(graph, ticker)) support.push_back(graph);
  return support;
}

/// Places of an entry without a table.
void GraphletBank::find_places(Entry& entry, Ticker& ticker) const {
  entry.place_roots.clear();
  entry.own_places.clear();
  if (!entry.channel.counts()) return;
  for (const auto graph : *entry.support) {
    const auto images = entry.matcher.root_images(graph, ticker);
    entry.own_places.insert(entry.own_places.end(), images.size(), graph);
    entry.place_roots.insert(entry.place_roots.end(), images.begin(), images.end());
  }
}

namespace {

/// Appends the order in which the places of one more graph are added up: that of their embeddings'
/// ranks, which do not depend on how nodes are numbered. `rows` are embeddings grouped by root.
template <class Root>
void append_order(std::vector<std::int32_t>& sum_order, const std::vector<std::size_t>& rows,
                  const std::vector<std::int32_t>& rank, Root&& root) {
  std::vector<std::pair<std::vector<std::int32_t>, std::int32_t>> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || root(rows[i]) != root(rows[i - 1]))
      places.push_back({{}, static_cast<std::int32_t>(sum_order.size() + places.size())});
    places.back().first.push_back(rank[rows[i]]);
  }
  std::sort(places.begin(), places.end());
  for (const auto& place : places) sum_order.push_back(place.second);
}

}  // namespace

/// All embeddings, sorted within each place so that the first of equal cost is
/// the one that ties go to; false if they would not fit.
bool GraphletBank::collect(Entry& entry, Ticker& ticker) const {
  const auto& pattern = entry.matcher.pattern();
  const auto k = static_cast<std::size_t>(pattern.n_nodes());
  const auto bytes = sizeof(double) * (flat_size(pattern, *graphs_) + 1) + sizeof(std::int32_t) * k;
  const auto max_count = static_cast<std::size_t>(table_bytes_) / bytes;
  std::vector<std::int32_t> found;
  std::vector<std::size_t> order;
  std::vector<std::int32_t> rank;
  for (const auto graph : *entry.support) {
    const auto before = entry.embeddings.size() / k;
    found.clear();
    if (!entry.matcher.all(graph, max_count - before, found, ticker)) return false;
    order.resize(found.size() / k);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto nodes = [&](std::size_t row) {
      return std::span<const std::int32_t>(found).subspan(row * k, k);
    };
    const TieOrder ties(*graphs_, graph, pattern);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return ties.precedes(nodes(a), nodes(b));
    });
    const bool counts = entry.channel.counts();
    if (counts) {
      rank.resize(order.size());
      for (std::size_t i = 0; i < order.size(); ++i)
        rank[order[i]] =
            i == 0 ? 0 : rank[order[i - 1]] + ties.precedes(nodes(order[i - 1]), nodes(order[i]));
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return nodes(a)[0] < nodes(b)[0]; });
      append_order(entry.sum_order, order, rank, [&](std::size_t row) { return nodes(row)[0]; });
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto row = nodes(order[i]);
      entry.embeddings.insert(entry.embeddings.end(), row.begin(), row.end());
      const bool is_last = i + 1 == order.size() || (counts && nodes(order[i + 1])[0] != row[0]);
      if (!is_last) continue;
      entry.ends.push_back(entry.embeddings.size() / k);
      if (!counts) continue;
      entry.own_places.push_back(graph);
      entry.place_roots.push_back(row[0]);
    }
  }
  return true;
}

void GraphletBank::fill_table(Entry& entry) const {
  const auto& pattern = entry.matcher.pattern();
  const auto k = static_cast<std::size_t>(pattern.n_nodes());
  const auto width = flat_size(pattern, *graphs_);
  const auto n_embeddings = entry.embeddings.size() / k;
  DistinctRows distinct(width);
  std::vector<double> row(width);
  const auto for_each_row = [&](auto&& action) {
    std::size_t at = 0;
    for (std::size_t place = 0; place < entry.place_graphs().size(); ++place)
      for (; at < entry.ends[place]; ++at) {
        write_row(entry.place_graphs()[place], pattern, entry.embeddings.data() + at * k, row);
        action(at);
      }
  };
  for_each_row([&](std::size_t) { entry.columns.push_back(distinct.add(row)); });
  const bool shared = 2 * distinct.size() <= n_embeddings;
  entry.n_columns = shared ? distinct.size() : n_embeddings;
  entry.table.resize(width * entry.n_columns);
  const auto set_column = [&](std::size_t column, std::span<const double> values) {
    for (std::size_t j = 0; j < width; ++j) entry.table[j * entry.n_columns + column] = values[j];
  };
  if (shared) {
    for (std::size_t column = 0; column < entry.n_columns; ++column)
      set_column(column, distinct.row(column));
  } else {
    entry.columns = {};
    for_each_row([&](std::size_t at) { set_column(at, row); });
  }
}

/// The attributes at an embedding.
void GraphletBank::write_row(std::int32_t graph, const Pattern& pattern, const std::int32_t* nodes,
                             std::span<double> row) const {
  const auto base = graphs_->first_node(graph);
  auto out = row.begin();
  for (std::int32_t node = 0; node < pattern.n_nodes(); ++node)
    out = std::ranges::copy(graphs_->attributes(base + nodes[node]), out).out;
  if (graphs_->n_edge_attributes() == 0) return;
  for (const auto& edge : pattern.edges) {
    const auto found = graphs_->edge_between(graph, nodes[edge.u], nodes[edge.v]);
    out = std::ranges::copy(graphs_->edge_attributes(found), out).out;
  }
}

void GraphletBank::match(std::int32_t handle, FlatAttributes z,
                         std::span<const std::int32_t> previous, std::span<double> costs,
                         std::span<std::int32_t> embedding, Ticker& ticker) const {
  const auto& entry = *entries_[handle];
  if (entry.has_table)
    match_table(entry, z, previous, costs, embedding);
  else
    match_graphs(entry, z, previous, costs, embedding, ticker);
}

void GraphletBank::match_table(const Entry& entry, FlatAttributes z,
                               std::span<const std::int32_t> previous, std::span<double> costs,
                               std::span<std::int32_t> embedding) const {
  std::vector<double> all(entry.n_columns);
  table_costs(entry.table.data(), z.size(), entry.n_columns, z.data(), all.data());
  if (entry.columns.empty())
    match_costs(entry, [&](std::size_t i) { return all[i]; }, previous, costs, embedding);
  else
    match_costs(
        entry, [&](std::size_t i) { return all[static_cast<std::size_t>(entry.columns[i])]; },
        previous, costs, embedding);
}

/// Takes the best embedding of every place, where `cost` knows that of each.
template <class Cost>
void GraphletBank::match_costs(const Entry& entry, Cost&& cost,
                               std::span<const std::int32_t> previous, std::span<double> costs,
                               std::span<std::int32_t> embedding) const {
  const auto k = static_cast<std::size_t>(entry.matcher.pattern().n_nodes());
  const auto nodes = [&](std::size_t i) { return entry.embeddings.data() + i * k; };
  std::size_t begin = 0;
  for (std::size_t place = 0; place < entry.place_graphs().size(); ++place) {
    const auto end = entry.ends[place];
    double lowest = cost(begin);
    for (auto i = begin + 1; i < end; ++i) lowest = std::min(lowest, cost(i));
    costs[place] = lowest;
    auto chosen = begin;
    if (end > begin + 1) {
      const double limit = tie_limit(lowest);
      while (cost(chosen) > limit) ++chosen;
      auto other = chosen + 1;
      while (other < end && cost(other) > limit) ++other;
      // Most often nothing is as good, and the previous embedding need not be asked for.
      if (other < end && !previous.empty()) {
        const auto* before = previous.data() + place * k;
        for (auto i = chosen; i < end; ++i) {
          if (cost(i) <= limit && std::equal(before, before + k, nodes(i))) {
            chosen = i;
            break;
          }
        }
      }
    }
    std::copy_n(nodes(chosen), k, embedding.data() + place * k);
    begin = end;
  }
}

/// Costs of listed embeddings; a node's share is the same in all of them.
void GraphletBank::list_costs(const Entry& entry, std::int32_t graph, FlatAttributes z,
                              Scratch& scratch) const {
  const auto& pattern = entry.matcher.pattern();
  const auto k = static_cast<std::size_t>(pattern.n_nodes());
  const auto n = static_cast<std::size_t>(graphs_->n_nodes(graph));
  scratch.costs.clear();
  if (graphs_->n_edge_attributes() > 0) {
    for (std::size_t at = 0; at < scratch.found.size(); at += k)
      scratch.costs.push_back(
          embedding_cost(*graphs_, graph, pattern, z, std::span(scratch.found).subspan(at, k)));
    return;
  }
  scratch.node_costs.resize(k * n);
  for (std::size_t node = 0; node < k; ++node)
    for (const auto image : graphs_->nodes_with_label(graph, pattern.labels[node]))
      scratch.node_costs[node * n + image] =
          squared_distance(node_row(z, *graphs_, static_cast<int>(node)),
                           graphs_->attributes(graphs_->first_node(graph) + image));
  for (std::size_t at = 0; at < scratch.found.size(); at += k) {
    double cost = 0.0;
    for (std::size_t node = 0; node < k; ++node)
      cost += scratch.node_costs[node * n + scratch.found[at + node]];
    scratch.costs.push_back(cost);
  }
}

/// Takes the best of the listed embeddings that belong to a place, and remembers its lead.
void GraphletBank::match_place(const Entry& entry, std::size_t place,
                               std::span<const std::int32_t> previous, const Scratch& scratch,
                               std::span<std::int32_t> nodes) const {
  const auto k = nodes.size();
  const auto graph = entry.place_graphs()[place];
  const auto row = [&](std::size_t i) { return std::span(scratch.found).subspan(i * k, k); };
  const auto is_here = [&](std::size_t i) {
    return entry.place_roots.empty() || row(i)[0] == entry.place_roots[place];
  };
  const TieOrder ties(*graphs_, graph, entry.matcher.pattern());
  const auto n = scratch.costs.size();
  double lowest = HUGE_VAL;
  for (std::size_t i = 0; i < n; ++i)
    if (is_here(i)) lowest = std::min(lowest, scratch.costs[i]);
  const double limit = tie_limit(lowest);
  auto chosen = n;
  for (std::size_t i = 0; i < n; ++i) {
    if (scratch.costs[i] > limit || !is_here(i)) continue;
    if (!previous.empty() && std::ranges::equal(previous, row(i))) {
      chosen = i;
      break;
    }
    if (chosen == n || ties.precedes(row(i), row(chosen))) chosen = i;
  }
  if (chosen == n) throw std::logic_error("a place of a graphlet has no embedding");
  double second = HUGE_VAL;
  for (std::size_t i = 0; i < n; ++i) {
    if (scratch.costs[i] >= second || !is_here(i)) continue;
    // Embeddings that match the same attributes cost the same wherever z goes.
    if (scratch.costs[i] > limit || !ties.same(row(i), row(chosen))) second = scratch.costs[i];
  }
  std::ranges::copy(row(chosen), nodes.begin());
  entry.leads.remember(place, nodes, scratch.costs[chosen], second);
}

/// Lists all embeddings in a supporting graph, kept ones if there are; false if too many.
bool GraphletBank::list_embeddings(const Entry& entry, std::size_t supporting,
                                   std::vector<std::int32_t>& found, Ticker& ticker) const {
  using State = EmbeddingLists::State;
  auto& lists = entry.lists;
  if (lists.state(supporting) == State::crowded) return false;
  if (lists.state(supporting) == State::listed) {
    const auto nodes = lists.nodes(supporting);
    found.assign(nodes.begin(), nodes.end());
    return true;
  }
  found.clear();
  if (!entry.matcher.all((*entry.support)[supporting], max_listed, found, ticker)) {
    lists.set_state(supporting, State::crowded);
    return false;
  }
  if (lists.state(supporting) == State::unlisted) return true;
  const auto bytes = static_cast<std::int64_t>(found.size());
  if (list_bytes_.fetch_sub(bytes) < bytes || !lists.keep(supporting, found)) {
    list_bytes_ += bytes;
    lists.set_state(supporting, State::unlisted);
  }
  return true;
}

void GraphletBank::match_graphs(const Entry& entry, FlatAttributes z,
                                std::span<const std::int32_t> previous, std::span<double> costs,
                                std::span<std::int32_t> embedding, Ticker& ticker) const {
  const auto& pattern = entry.matcher.pattern();
  const auto k = static_cast<std::size_t>(pattern.n_nodes());
  const std::lock_guard lock(entry.mutex);
  entry.leads.move_to(z);
  Scratch scratch;
  std::size_t supporting = 0;
  bool is_listed = false, is_crowded = false;  // in the graph at hand
  for (std::size_t place = 0; place < entry.place_graphs().size(); ++place) {
    ticker.tick();
    if (const auto next = place + places_ahead; next < entry.place_graphs().size())
      fetch_ahead(*graphs_, entry.place_graphs()[next], entry.leads.nodes(next));
    const auto before = previous.empty() ? previous : previous.subspan(place * k, k);
    const auto graph = entry.place_graphs()[place];
    if (graph != (*entry.support)[supporting]) {
      ++supporting;
      is_listed = is_crowded = false;
    }
    const auto nodes = embedding.subspan(place * k, k);
    if (entry.leads.holds(place)) {
      std::ranges::copy(entry.leads.nodes(place), nodes.begin());
      // Of embeddings that match the same attributes the previous one stays.
      if (!before.empty() && !std::ranges::equal(before, nodes) &&
          TieOrder(*graphs_, graph, pattern).same(before, nodes))
        std::ranges::copy(before, nodes.begin());
    } else {
      if (!is_listed && !is_crowded) {
        is_listed = list_embeddings(entry, supporting, scratch.found, ticker);
        is_crowded = !is_listed;
        if (is_listed) list_costs(entry, graph, z, scratch);
      }
      if (is_listed)
        match_place(entry, place, before, scratch, nodes);
      else
        std::ranges::copy(search_place(entry, place, z, before, ticker).nodes, nodes.begin());
    }
    costs[place] = embedding_cost(*graphs_, graph, pattern, z, nodes);
  }
}

/// The best embedding of a place by a search with bounds.
Match GraphletBank::search_place(const Entry& entry, std::size_t place, FlatAttributes z,
                                 std::span<const std::int32_t> previous, Ticker& ticker) const {
  const auto graph = entry.place_graphs()[place];
  return entry.channel.counts()
             ? entry.matcher.best_at(graph, entry.place_roots[place], z, previous, ticker)
             : entry.matcher.best(graph, z, previous, ticker);
}

/// Places with a weight as they come, those of one graph by their matched rows.
std::vector<std::size_t> GraphletBank::order_of_places(const Entry& entry,
                                                       std::span<const std::int32_t> embedding,
                                                       std::span<const double> weights) const {
  std::vector<std::size_t> order;
  order.reserve(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto place = entry.sum_order.empty() ? i : static_cast<std::size_t>(entry.sum_order[i]);
    if (weights[place] != 0.0) order.push_back(place);
  }
  if (!entry.channel.counts() || entry.has_table) return order;
  const auto& pattern = entry.matcher.pattern();
  const auto k = static_cast<std::size_t>(pattern.n_nodes());
  const auto nodes = [&](std::size_t place) { return embedding.subspan(place * k, k); };
  for (auto first = order.begin(), last = first; first != order.end(); first = last) {
    const auto graph = entry.place_graphs()[*first];
    while (last != order.end() && entry.place_graphs()[*last] == graph) ++last;
    const TieOrder ties(*graphs_, graph, pattern);
    std::sort(first, last,
              [&](std::size_t a, std::size_t b) { return ties.precedes(nodes(a), nodes(b)); });
  }
  return order;
}

void GraphletBank::pull(std::int32_t handle, FlatAttributes z,
                        std::span<const std::int32_t> embedding, std::span<const double> weights,
                        std::span<double> sum) const {
  const auto& entry = *entries_[handle];
  const auto& pattern = entry.matcher.pattern();
  const auto k = static_cast<std::size_t>(pattern.n_nodes());
  const auto d = graphs_->n_attributes(), width = graphs_->n_edge_attributes();
  std::fill(sum.begin(), sum.end(), 0.0);
  const auto order = order_of_places(entry, embedding, weights);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + places_ahead < order.size()) {
      const auto next = order[i + places_ahead];
      fetch_ahead(*graphs_, entry.place_graphs()[next], embedding.subspan(next * k, k));
    }
    const auto place = order[i];
    const double weight = weights[place];
    const auto graph = entry.place_graphs()[place];
    const auto base = graphs_->first_node(graph);
    const auto* nodes = embedding.data() + place * k;
    std::size_t cell = 0;
    for (std::size_t node = 0; node < k; ++node) {
      const auto row = graphs_->attributes(base + nodes[node]);
      for (std::size_t j = 0; j < d; ++j, ++cell) sum[cell] += weight * (z[cell] - row[j]);
    }
    if (width == 0) continue;
    for (const auto& edge : pattern.edges) {
      const auto row =
          graphs_->edge_attributes(graphs_->edge_between(graph, nodes[edge.u], nodes[edge.v]));
      for (std::size_t j = 0; j < width; ++j, ++cell) sum[cell] += weight * (z[cell] - row[j]);
    }
  }
}

}  // namespace aglets
