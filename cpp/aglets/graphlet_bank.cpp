#include "graphlet_bank.hpp"

#include <algorithm>
#include <numeric>

#include "table_costs.hpp"
#include "tie_order.hpp"

namespace aglets {

GraphletBank::GraphletBank(std::shared_ptr<const GraphSet> graphs, std::int64_t table_bytes)
    : graphs_(std::move(graphs)), table_bytes_(table_bytes) {}

std::int32_t GraphletBank::add(Pattern pattern, std::vector<std::int32_t> support, Ticker& ticker,
                               Channel channel) {
  auto entry = std::make_unique<Entry>(*graphs_, std::move(pattern), std::move(support), channel);
  entry->has_table = collect(*entry, ticker);
  if (entry->has_table) {
    fill_table(*entry);
  } else {
    entry->embeddings = {};
    entry->ends = {};
    find_places(*entry, ticker);
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
  entry.place_graphs = entry.support;
  entry.place_roots.clear();
  if (!entry.channel.counts()) return;
  entry.place_graphs.clear();
  for (const auto graph : entry.support) {
    const auto images = entry.matcher.root_images(graph, ticker);
    entry.place_graphs.insert(entry.place_graphs.end(), images.size(), graph);
    entry.place_roots.insert(entry.place_roots.end(), images.begin(), images.end());
  }
}

/// All embeddings, sorted within each place so that the first of equal cost is
/// the one that ties go to; false if they would not fit.
bool GraphletBank::collect(Entry& entry, Ticker& ticker) const {
  const auto& pattern = entry.matcher.pattern();
  const auto k = static_cast<std::size_t>(pattern.n_nodes());
  const auto bytes = sizeof(double) * (flat_size(pattern, *graphs_) + 1) + sizeof(std::int32_t) * k;
  const auto max_count = static_cast<std::size_t>(table_bytes_) / bytes;
  std::vector<std::int32_t> found;
  std::vector<std::size_t> order;
  for (const auto graph : entry.support) {
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
    if (counts)
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return nodes(a)[0] < nodes(b)[0]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto row = nodes(order[i]);
      entry.embeddings.insert(entry.embeddings.end(), row.begin(), row.end());
      const bool is_last = i + 1 == order.size() || (counts && nodes(order[i + 1])[0] != row[0]);
      if (!is_last) continue;
      entry.ends.push_back(entry.embeddings.size() / k);
      entry.place_graphs.push_back(graph);
      if (counts) entry.place_roots.push_back(row[0]);
    }
  }
  return true;
}

void GraphletBank::fill_table(Entry& entry) const {
  const auto& pattern = entry.matcher.pattern();
  const auto k = static_cast<std::size_t>(pattern.n_nodes());
  const auto d = graphs_->n_attributes(), width = graphs_->n_edge_attributes();
  const auto n_columns = entry.embeddings.size() / k;
  entry.table.resize(flat_size(pattern, *graphs_) * n_columns);
  std::size_t column = 0;
  for (std::size_t place = 0; place < entry.place_graphs.size(); ++place) {
    const auto graph = entry.place_graphs[place];
    const auto base = graphs_->first_node(graph);
    for (; column < entry.ends[place]; ++column) {
      const auto* nodes = entry.embeddings.data() + column * k;
      auto* cell = entry.table.data() + column;
      for (std::size_t node = 0; node < k; ++node)
        for (std::size_t j = 0; j < d; ++j, cell += n_columns)
          *cell = graphs_->attributes(base + nodes[node])[j];
      if (width == 0) continue;
      for (const auto& edge : pattern.edges) {
        const auto found = graphs_->edge_between(graph, nodes[edge.u], nodes[edge.v]);
        for (std::size_t j = 0; j < width; ++j, cell += n_columns)
          *cell = graphs_->edge_attributes(found)[j];
      }
    }
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
  const auto& pattern = entry.matcher.pattern();
  const auto k = static_cast<std::size_t>(pattern.n_nodes());
  const auto n_columns = entry.embeddings.size() / k;
  std::vector<double> all(n_columns);
  table_costs(entry.table.data(), z.size(), n_columns, z.data(), all.data());
  std::size_t begin = 0;
  for (std::size_t place = 0; place < entry.place_graphs.size(); ++place) {
    const auto first = all.begin() + begin, last = all.begin() + entry.ends[place];
    const double lowest = *std::min_element(first, last);
    costs[place] = lowest;
    const double limit = tie_limit(lowest);
    const auto nodes = [&](std::size_t column) { return entry.embeddings.data() + column * k; };
    auto chosen = static_cast<std::size_t>(
        std::find_if(first, last, [&](double cost) { return cost <= limit; }) - all.begin());
    if (!previous.empty()) {
      const auto* before = previous.data() + place * k;
      for (auto column = chosen; column < entry.ends[place]; ++column) {
        if (all[column] <= limit && std::equal(before, before + k, nodes(column))) {
          chosen = column;
          break;
        }
      }
    }
    std::copy_n(nodes(chosen), k, embedding.data() + place * k);
    begin = entry.ends[place];
  }
}

void GraphletBank::match_graphs(const Entry& entry, FlatAttributes z,
                                std::span<const std::int32_t> previous, std::span<double> costs,
                                std::span<std::int32_t> embedding, Ticker& ticker) const {
  const auto k = static_cast<std::size_t>(entry.matcher.pattern().n_nodes());
  for (std::size_t place = 0; place < entry.place_graphs.size(); ++place) {
    const auto before = previous.empty() ? previous : previous.subspan(place * k, k);
    const auto graph = entry.place_graphs[place];
    const auto match =
        entry.channel.counts()
            ? entry.matcher.best_at(graph, entry.place_roots[place], z, before, ticker)
            : entry.matcher.best(graph, z, before, ticker);
    costs[place] = match.cost;
    std::copy(match.nodes.begin(), match.nodes.end(), embedding.begin() + place * k);
  }
}

/// Places as they come, those of one graph by their matched rows.
std::vector<std::size_t> GraphletBank::order_of_places(
    const Entry& entry, std::span<const std::int32_t> embedding) const {
  const auto& pattern = entry.matcher.pattern();
  const auto k = static_cast<std::size_t>(pattern.n_nodes());
  std::vector<std::size_t> order(entry.place_graphs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!entry.channel.counts()) return order;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const auto graph = entry.place_graphs[begin];
    while (end < order.size() && entry.place_graphs[end] == graph) ++end;
    if (end == begin + 1) continue;
    const TieOrder ties(*graphs_, graph, pattern);
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
              order.begin() + static_cast<std::ptrdiff_t>(end), [&](std::size_t a, std::size_t b) {
                return ties.precedes(embedding.subspan(a * k, k), embedding.subspan(b * k, k));
              });
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
  for (const auto place : order_of_places(entry, embedding)) {
    const double weight = weights[place];
    if (weight == 0.0) continue;
    const auto graph = entry.place_graphs[place];
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
