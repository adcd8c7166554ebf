#pragma once

#include <cstdint>
#include <vector>

namespace aglets {

/// One edge of a DFS code: from node `from` to node `to` (numbers in order of
/// discovery). Forward edges discover `to` (from < to), backward ones close a
/// ring (from > to).
struct CodeEdge {
  std::int16_t from;
  std::int16_t to;
  std::int32_t label;

  bool is_forward() const { return from < to; }
};

/// A connected pattern written as a DFS code (gSpan, Yan and Han 2002): the
/// types of its nodes in order of discovery and its edges in order of the walk.
/// A pattern of one node has no edges. Nodes number at most 64, so that sets of
/// them are machine words.
class DfsCode {
public:
  static constexpr int max_nodes = 64;

  explicit DfsCode(std::int32_t root_type) { push_node(root_type); }

  int n_nodes() const { return static_cast<int>(types_.size()); }
  int n_edges() const { return static_cast<int>(edges_.size()); }
  std::int32_t type(int node) const { return types_[node]; }
  const CodeEdge& edge(int index) const { return edges_[index]; }
  const std::vector<std::int32_t>& types() const { return types_; }
  const std::vector<CodeEdge>& edges() const { return edges_; }

  /// The node from which `node` was discovered; -1 for the root.
  int parent(int node) const { return parents_[node]; }
  std::uint64_t adjacency(int node) const { return adjacency_[node]; }
  std::int32_t edge_label(int u, int v) const { return labels_[u * max_nodes + v]; }

  /// Label of the edge by which `node` was discovered.
  std::int32_t discovery_label(int node) const { return edge_label(parents_[node], node); }

  /// Last node closed by a backward edge of the rightmost node, or -1.
  int last_backward() const;

  void push(CodeEdge edge, std::int32_t to_type);
  void pop();

private:
  void push_node(std::int32_t type);

  std::vector<std::int32_t> types_;
  std::vector<CodeEdge> edges_;
  std::vector<int> parents_;
  std::vector<std::uint64_t> adjacency_;
  // Dense table of edge labels, indexed u * max_nodes + v; entries of absent edges are stale.
  std::vector<std::int32_t> labels_ = std::vector<std::int32_t>(max_nodes * max_nodes);
};

/// True if no other walk of the pattern gives a smaller code, so that the
/// pattern is met once in the tree. Compares all walks with the code step by
/// step and stops at the first smaller one. Cost: a few operations on masks per
/// step of every walk that agrees with the code so far; walks that differ by a
/// swap of twin nodes are taken once.
bool is_minimum(const DfsCode& code);

}  // namespace aglets
