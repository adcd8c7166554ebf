#include "graphlet_bank.hpp"

#include <algorithm>
#include <numeric>

#include "table_costs.hpp"
#include "tie_order.hpp"

namespace aglets {

GraphletBank::GraphletBank(std::shared_ptr<const GraphSet> graphs, std::int64_t table_bytes)
    : graphs_(std::move(graphs)), table_bytes_(table_bytes) {}

std::int32_t GraphletBank::add(Pattern pattern, std::vector<std::int32_t> support, Ticker& ticker) {
  auto entry = std::make_unique<Entry>(*graphs_, std::move(pattern), std::move(support));
  entry->has_table = collect(*entry, ticker);
  if (entry->has_table) {
    fill_table(*entry);
  } else {
    entry->embeddings = {};
    entry->ends = {};
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

/// All embeddings, sorted within each graph so that the first of equal cost is
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
    for (const auto row : order)
      entry.embeddings.insert(entry.embeddings.end(), nodes(row).begin(), nodes(row).end());
    entry.ends.push_back(entry.embeddings.size() / k);
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
  for (std::size_t place = 0; place < entry.support.size(); ++place) {
    const auto graph = entry.support[place];
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
                         std::span<std::int32_t> sites, Ticker& ticker) const {
  const auto& entry = *entries_[handle];
  if (entry.has_table)
    match_table(entry, z, previous, costs, sites);
  else
    match_graphs(entry, z, previous, costs, sites, ticker);
}

void GraphletBank::match_table(const Entry& entry, FlatAttributes z,
                               std::span<const std::int32_t> previous, std::span<double> costs,
                               std::span<std::int32_t> sites) const {
  const auto& pattern = entry.matcher.pattern();
  const auto k = static_cast<std::size_t>(pattern.n_nodes());
  const auto n_columns = entry.embeddings.size() / k;
  std::vector<double> all(n_columns);
  table_costs(entry.table.data(), z.size(), n_columns, z.data(), all.data());
  std::size_t begin = 0;
  for (std::size_t place = 0; place < entry.support.size(); ++place) {
    const auto first = all.begin() + begin, last = all.begin() + entry.ends[place];
    const double least = *std::min_element(first, last);
    costs[place] = least;
    const double limit = tie_limit(least);
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
    std::copy_n(nodes(chosen), k, sites.data() + place * k);
    begin = entry.ends[place];
  }
}

void GraphletBank::match_graphs(const Entry& entry, FlatAttributes z,
                                std::span<const std::int32_t> previous, std::span<double> costs,
                                std::span<std::int32_t> sites, Ticker& ticker) const {
  const auto k = static_cast<std::size_t>(entry.matcher.pattern().n_nodes());
  for (std::size_t place = 0; place < entry.support.size(); ++place) {
    const auto before = previous.empty() ? previous : previous.subspan(place * k, k);
    const auto match = entry.matcher.best(entry.support[place], z, before, ticker);
    costs[place] = match.cost;
    std::copy(match.nodes.begin(), match.nodes.end(), sites.begin() + place * k);
  }
}

void GraphletBank::pull(std::int32_t handle, FlatAttributes z, std::span<const std::int32_t> sites,
                        std::span<const double> weights, std::span<double> sum) const {
  const auto& entry = *entries_[handle];
  const auto& pattern = entry.matcher.pattern();
  const auto k = static_cast<std::size_t>(pattern.n_nodes());
  const auto d = graphs_->n_attributes(), width = graphs_->n_edge_attributes();
  std::fill(sum.begin(), sum.end(), 0.0);
  for (std::size_t place = 0; place < entry.support.size(); ++place) {
    const double weight = weights[place];
    if (weight == 0.0) continue;
    const auto graph = entry.support[place];
    const auto base = graphs_->first_node(graph);
    const auto* nodes = sites.data() + place * k;
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
