#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace aglets {

/// One end of an edge as seen from the other end: the neighbour's position in
/// its graph and the row of the edge in the set's edge table.
struct Neighbour {
  std::int32_t node;
  std::int32_t edge;
};

/// The columns from which a GraphSet is built. `edges` holds pairs of node
/// positions local to their graph, one pair per row, without loops or repeats.
/// A label of -1 is a label nobody knows: such a node matches nothing.
/// `edge_labels` may be empty: all edges then carry label 0.
struct GraphColumns {
  std::vector<std::int64_t> node_offsets;
  std::vector<std::int32_t> labels;
  std::vector<double> attributes;
  std::size_t n_attributes = 0;
  std::vector<std::int64_t> edge_offsets;
  std::vector<std::int32_t> edges;
  std::vector<std::int32_t> edge_labels;
  std::vector<double> edge_attributes;
  std::size_t n_edge_attributes = 0;
};

/// Labelled, attributed, undirected graphs in columns: compressed rows for the
/// adjacency, and for graphs of at most 64 nodes also one bit mask per node,
/// which turns "unused neighbours" into two instructions. Immutable.
class GraphSet {
public:
  static constexpr std::int32_t mask_limit = 64;

  explicit GraphSet(GraphColumns columns);

  std::int32_t size() const { return static_cast<std::int32_t>(columns_.node_offsets.size()) - 1; }
  std::int32_t n_nodes(std::int32_t graph) const {
    return static_cast<std::int32_t>(columns_.node_offsets[graph + 1] -
                                     columns_.node_offsets[graph]);
  }
  std::int64_t n_nodes() const { return columns_.node_offsets.back(); }
  std::int64_t n_edges() const { return columns_.edge_offsets.back(); }
  std::int32_t largest_graph() const { return largest_graph_; }
  std::size_t n_attributes() const { return columns_.n_attributes; }
  std::size_t n_edge_attributes() const { return columns_.n_edge_attributes; }
  bool has_edge_labels() const { return !columns_.edge_labels.empty(); }

  /// Row of the graph's first node in the node table.
  std::int64_t first_node(std::int32_t graph) const { return columns_.node_offsets[graph]; }

  /// Row of the graph's first edge in the edge table, and the number of its edges.
  std::int32_t first_edge(std::int32_t graph) const {
    return static_cast<std::int32_t>(columns_.edge_offsets[graph]);
  }
  std::int32_t n_edges(std::int32_t graph) const {
    return static_cast<std::int32_t>(columns_.edge_offsets[graph + 1] -
                                     columns_.edge_offsets[graph]);
  }

  /// Number of label codes: one more than the largest label in use.
  std::int32_t n_labels() const { return n_labels_; }
  std::int32_t n_edge_labels() const { return n_edge_labels_; }

  std::int32_t label(std::int64_t row) const { return columns_.labels[row]; }
  std::int32_t edge_label(std::int32_t edge) const {
    return columns_.edge_labels.empty() ? 0 : columns_.edge_labels[edge];
  }
  std::span<const double> attributes(std::int64_t row) const {
    return {columns_.attributes.data() + row * columns_.n_attributes, columns_.n_attributes};
  }
  std::span<const double> edge_attributes(std::int64_t edge) const {
    return {columns_.edge_attributes.data() + edge * columns_.n_edge_attributes,
            columns_.n_edge_attributes};
  }

  /// Neighbours of a node (by its row), in ascending node position.
  std::span<const Neighbour> neighbours(std::int64_t row) const {
    return {neighbours_.data() + neighbour_offsets_[row],
            neighbours_.data() + neighbour_offsets_[row + 1]};
  }

  /// True where `adjacency_masks` of this graph may be used.
  bool has_masks(std::int32_t graph) const { return n_nodes(graph) <= mask_limit; }
  const std::uint64_t* adjacency_masks(std::int32_t graph) const {
    return masks_.data() + columns_.node_offsets[graph];
  }

  /// Edge row between two nodes of a graph, or -1.
  std::int32_t edge_between(std::int32_t graph, std::int32_t u, std::int32_t v) const;

  /// Positions of the graph's nodes that carry this label.
  std::span<const std::int32_t> nodes_with_label(std::int32_t graph, std::int32_t label) const;

private:
  void index_neighbours();
  void index_labels();

  GraphColumns columns_;
  std::int32_t n_labels_ = 0;
  std::int32_t n_edge_labels_ = 1;
  std::int32_t largest_graph_ = 0;
  std::vector<std::int64_t> neighbour_offsets_;
  std::vector<Neighbour> neighbours_;
  std::vector<std::uint64_t> masks_;
  // Nodes of each graph sorted by label, and where each (graph, label) bucket starts.
  std::vector<std::int32_t> by_label_;
  struct Bucket {
    std::int32_t label;
    std::int64_t begin;
  };
  std::vector<std::int64_t> bucket_offsets_;
  std::vector<Bucket> buckets_;
};

}  // namespace aglets
