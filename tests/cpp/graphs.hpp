#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "aglets/graph_set.hpp"
#include "aglets/start_costs.hpp"

/// Graphs for the tests.
struct PlainGraph {
  std::vector<std::int32_t> labels;
  std::vector<std::pair<int, int>> edges;
};

inline std::shared_ptr<const aglets::GraphSet> graph_set(const std::vector<PlainGraph>& graphs,
                                                         unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> attribute(-1.0, 1.0);
  aglets::GraphColumns columns;
  columns.n_attributes = 2;
  columns.node_offsets = {0};
  columns.edge_offsets = {0};
  for (const auto& graph : graphs) {
    for (const auto label : graph.labels) {
      columns.labels.push_back(label);
      columns.attributes.push_back(attribute(random));
      columns.attributes.push_back(attribute(random));
    }
    for (const auto& [u, v] : graph.edges) {
      columns.edges.push_back(u);
      columns.edges.push_back(v);
    }
    columns.node_offsets.push_back(static_cast<std::int64_t>(columns.labels.size()));
    columns.edge_offsets.push_back(static_cast<std::int64_t>(columns.edges.size() / 2));
  }
  return std::make_shared<const aglets::GraphSet>(std::move(columns));
}

/// The same with attributes that are 0 or 1 on nodes and edges, so that
/// embeddings tie.
inline std::shared_ptr<const aglets::GraphSet> tied_graph_set(const std::vector<PlainGraph>& graphs,
                                                              unsigned seed) {
  std::mt19937 random(seed);
  const auto attribute = [&] { return static_cast<double>(random() % 2); };
  aglets::GraphColumns columns;
  columns.n_attributes = 1;
  columns.n_edge_attributes = 1;
  columns.node_offsets = {0};
  columns.edge_offsets = {0};
  for (const auto& graph : graphs) {
    for (const auto label : graph.labels) {
      columns.labels.push_back(label);
      columns.attributes.push_back(attribute());
    }
    for (const auto& [u, v] : graph.edges) {
      columns.edges.push_back(u);
      columns.edges.push_back(v);
      columns.edge_attributes.push_back(attribute());
    }
    columns.node_offsets.push_back(static_cast<std::int64_t>(columns.labels.size()));
    columns.edge_offsets.push_back(static_cast<std::int64_t>(columns.edges.size() / 2));
  }
  return std::make_shared<const aglets::GraphSet>(std::move(columns));
}

inline PlainGraph random_graph(std::mt19937& random, int n_nodes, int n_labels, double density) {
  PlainGraph graph;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int node = 0; node < n_nodes; ++node)
    graph.labels.push_back(static_cast<std::int32_t>(uniform(random) * n_labels));
  for (int u = 0; u < n_nodes; ++u)
    for (int v = u + 1; v < n_nodes; ++v)
      if (uniform(random) < density) graph.edges.push_back({u, v});
  return graph;
}

/// One type per label, all starting at zero.
inline aglets::Starts zero_starts(const aglets::GraphSet& graphs) {
  aglets::Starts starts;
  for (std::int32_t label = 0; label < graphs.n_labels(); ++label)
    starts.type_labels.push_back(label);
  starts.type_starts.assign(starts.type_labels.size() * graphs.n_attributes(), 0.0);
  return starts;
}
