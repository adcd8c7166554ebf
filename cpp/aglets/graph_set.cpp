#include "graph_set.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace aglets {

namespace {

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

void check_offsets(const std::vector<std::int64_t>& offsets, std::size_t rows,
                   const char* message) {
  require(!offsets.empty() && offsets.front() == 0 &&
              std::is_sorted(offsets.begin(), offsets.end()) &&
              offsets.back() == static_cast<std::int64_t>(rows),
          message);
}

}  // namespace

GraphSet::GraphSet(GraphColumns columns) : columns_(std::move(columns)) {
  const auto& c = columns_;
  check_offsets(c.node_offsets, c.labels.size(), "node_offsets do not fit the label column");
  check_offsets(c.edge_offsets, c.edges.size() / 2, "edge_offsets do not fit the edge table");
  require(c.node_offsets.size() == c.edge_offsets.size(),
          "node_offsets and edge_offsets must have one entry per graph and one more");
  require(c.attributes.size() == c.labels.size() * c.n_attributes,
          "attributes must have one row per node");
  require(c.edge_labels.empty() || c.edge_labels.size() == c.edges.size() / 2,
          "edge_labels must have one entry per edge");
  require(c.edge_attributes.size() == c.edges.size() / 2 * c.n_edge_attributes,
          "edge_attributes must have one row per edge");
  require(c.edges.size() / 2 < (std::size_t{1} << 31), "a GraphSet holds at most 2^31 edges");
  for (std::int32_t graph = 0; graph < size(); ++graph) {
    require(c.node_offsets[graph + 1] - c.node_offsets[graph] < (std::int64_t{1} << 31),
            "a graph holds at most 2^31 nodes");
    largest_graph_ = std::max(largest_graph_, n_nodes(graph));
  }
  for (const auto label : c.labels) {
    require(label >= -1, "labels must be codes of at least -1");
    n_labels_ = std::max(n_labels_, label + 1);
  }
  for (const auto label : c.edge_labels) {
    require(label >= -1, "edge_labels must be codes of at least -1");
    n_edge_labels_ = std::max(n_edge_labels_, label + 1);
  }
  index_neighbours();
  index_labels();
  columns_.edges = {};  // the lists of neighbours say the same
}

void GraphSet::index_neighbours() {
  const auto& c = columns_;
  neighbour_offsets_.assign(c.labels.size() + 1, 0);
  masks_.assign(c.labels.size(), 0);
  for (std::int32_t graph = 0; graph < size(); ++graph) {
    const auto base = c.node_offsets[graph];
    for (auto edge = c.edge_offsets[graph]; edge < c.edge_offsets[graph + 1]; ++edge) {
      const auto u = c.edges[2 * edge], v = c.edges[2 * edge + 1];
      require(u >= 0 && v >= 0 && u < n_nodes(graph) && v < n_nodes(graph) && u != v,
              "edges must join two different nodes of their own graph");
      ++neighbour_offsets_[base + u + 1];
      ++neighbour_offsets_[base + v + 1];
    }
  }
  std::partial_sum(neighbour_offsets_.begin(), neighbour_offsets_.end(),
                   neighbour_offsets_.begin());
  neighbours_.resize(c.edges.size());
  auto next = neighbour_offsets_;
  for (std::int32_t graph = 0; graph < size(); ++graph) {
    const auto base = c.node_offsets[graph];
    const bool small = has_masks(graph);
    for (auto edge = c.edge_offsets[graph]; edge < c.edge_offsets[graph + 1]; ++edge) {
      const auto u = c.edges[2 * edge], v = c.edges[2 * edge + 1];
      neighbours_[next[base + u]++] = {v, static_cast<std::int32_t>(edge)};
      neighbours_[next[base + v]++] = {u, static_cast<std::int32_t>(edge)};
      if (small) {
        masks_[base + u] |= std::uint64_t{1} << v;
        masks_[base + v] |= std::uint64_t{1} << u;
      }
    }
  }
  for (std::size_t row = 0; row < c.labels.size(); ++row) {
    const auto begin = neighbours_.begin() + neighbour_offsets_[row];
    const auto end = neighbours_.begin() + neighbour_offsets_[row + 1];
    std::sort(begin, end, [](Neighbour a, Neighbour b) { return a.node < b.node; });
    require(std::adjacent_find(begin, end,
                               [](Neighbour a, Neighbour b) { return a.node == b.node; }) == end,
            "edges must not repeat");
  }
}

void GraphSet::index_labels() {
  const auto& c = columns_;
  by_label_.resize(c.labels.size());
  bucket_offsets_.assign(1, 0);
  for (std::int32_t graph = 0; graph < size(); ++graph) {
    const auto base = c.node_offsets[graph];
    const auto begin = by_label_.begin() + base, end = begin + n_nodes(graph);
    std::iota(begin, end, 0);
    std::stable_sort(begin, end, [&](std::int32_t a, std::int32_t b) {
      return c.labels[base + a] < c.labels[base + b];
    });
    for (auto node = begin; node != end; ++node) {
      const auto label = c.labels[base + *node];
      if (node == begin || label != buckets_.back().label)
        buckets_.push_back({label, node - by_label_.begin()});
    }
    bucket_offsets_.push_back(static_cast<std::int64_t>(buckets_.size()));
  }
  buckets_.push_back({-1, static_cast<std::int64_t>(by_label_.size())});
}

std::int32_t GraphSet::edge_between(std::int32_t graph, std::int32_t u, std::int32_t v) const {
  const auto base = first_node(graph);
  auto from_u = neighbours(base + u), from_v = neighbours(base + v);
  if (from_v.size() < from_u.size()) {
    std::swap(from_u, from_v);
    std::swap(u, v);
  }
  const auto found = std::lower_bound(from_u.begin(), from_u.end(), v,
                                      [](Neighbour a, std::int32_t b) { return a.node < b; });
  return found != from_u.end() && found->node == v ? found->edge : -1;
}

std::span<const std::int32_t> GraphSet::nodes_with_label(std::int32_t graph,
                                                         std::int32_t label) const {
  if (label < 0) return {};
  const auto begin = buckets_.begin() + bucket_offsets_[graph];
  const auto end = buckets_.begin() + bucket_offsets_[graph + 1];
  const auto found = std::lower_bound(begin, end, label,
                                      [](const Bucket& a, std::int32_t b) { return a.label < b; });
  if (found == end || found->label != label) return {};
  return {by_label_.data() + found->begin, by_label_.data() + (found + 1)->begin};
}

}  // namespace aglets
