#include "dfs_code.hpp"

#include <bit>
#include <utility>

namespace aglets {

int DfsCode::last_backward() const {
  if (edges_.empty() || edges_.back().is_forward()) return -1;
  return edges_.back().to;
}

void DfsCode::push_node(std::int32_t type) {
  types_.push_back(type);
  parents_.push_back(-1);
  adjacency_.push_back(0);
}

void DfsCode::push(CodeEdge edge, std::int32_t to_type) {
  if (edge.is_forward()) {
    push_node(to_type);
    parents_.back() = edge.from;
  }
  adjacency_[edge.from] |= std::uint64_t{1} << edge.to;
  adjacency_[edge.to] |= std::uint64_t{1} << edge.from;
  labels_[edge.from * max_nodes + edge.to] = edge.label;
  labels_[edge.to * max_nodes + edge.from] = edge.label;
  edges_.push_back(edge);
}

void DfsCode::pop() {
  const auto edge = edges_.back();
  edges_.pop_back();
  adjacency_[edge.from] &= ~(std::uint64_t{1} << edge.to);
  if (edge.is_forward()) {
    types_.pop_back();
    parents_.pop_back();
    adjacency_.pop_back();
  } else {
    adjacency_[edge.to] &= ~(std::uint64_t{1} << edge.from);
  }
}

namespace {

constexpr std::uint64_t bit(int node) { return std::uint64_t{1} << node; }

/// Walks the pattern in every way that follows the code, looking for a step at
/// which another walk would be smaller.
class WalkComparison {
public:
  explicit WalkComparison(const DfsCode& code) : code_(code) {}

  bool finds_smaller() {
    const auto first = key(code_.edge(0).label, code_.type(1));
    for (int root = 0; root < code_.n_nodes(); ++root) {
      if (code_.type(root) < code_.type(0)) return true;
      if (code_.type(root) != code_.type(0)) continue;
      place(0, root);
      for (auto rest = code_.adjacency(root); rest != 0; rest &= rest - 1) {
        const int next = std::countr_zero(rest);
        const auto found = key(code_.edge_label(root, next), code_.type(next));
        if (found < first) return true;
        if (found != first) continue;
        place(1, next);
        if (smaller_from(1, 2, bit(root) | bit(next), 0)) return true;
      }
    }
    return false;
  }

private:
  using Key = std::pair<std::int32_t, std::int32_t>;
  static Key key(std::int32_t edge_label, std::int32_t type) { return {edge_label, type}; }

  void place(int number, int node) {
    node_[number] = static_cast<std::int8_t>(node);
    number_[node] = static_cast<std::int8_t>(number);
  }

  /// `step` edges agree with the code and discovered `n_placed` nodes, `visited`;
  /// `closed` are the ends of backward edges the rightmost node has used.
  bool smaller_from(int step, int n_placed, std::uint64_t visited, std::uint64_t closed) {
    if (step == code_.n_edges()) return false;
    const auto edge = code_.edge(step);
    const int rightmost = n_placed - 1;
    const int tip = node_[rightmost];
    const auto open =
        code_.adjacency(tip) & visited & ~closed & ~bit(node_[code_.parent(rightmost)]);
    return edge.is_forward() ? smaller_forward(edge, step, n_placed, visited, open)
                             : smaller_backward(edge, step, n_placed, visited, closed, open);
  }

  bool smaller_backward(CodeEdge edge, int step, int n_placed, std::uint64_t visited,
                        std::uint64_t closed, std::uint64_t open) {
    int lowest = n_placed;
    for (auto rest = open; rest != 0; rest &= rest - 1) {
      const int number = number_[std::countr_zero(rest)];
      if (number < lowest) lowest = number;
    }
    if (lowest != edge.to) return lowest < edge.to;
    const int end = node_[edge.to];
    const auto label = code_.edge_label(node_[edge.from], end);
    if (label != edge.label) return label < edge.label;
    return smaller_from(step + 1, n_placed, visited, closed | bit(end));
  }

  bool smaller_forward(CodeEdge edge, int step, int n_placed, std::uint64_t visited,
                       std::uint64_t open) {
    if (open != 0) return true;  // a backward edge comes before any forward one
    for (int number = n_placed - 1; number != edge.from; number = code_.parent(number))
      if ((code_.adjacency(node_[number]) & ~visited) != 0) return true;  // deeper comes first
    const int from = node_[edge.from];
    const auto wanted = key(edge.label, code_.type(edge.to));
    std::uint64_t equal = 0;
    for (auto rest = code_.adjacency(from) & ~visited; rest != 0; rest &= rest - 1) {
      const int next = std::countr_zero(rest);
      const auto found = key(code_.edge_label(from, next), code_.type(next));
      if (found < wanted) return true;
      if (found == wanted) equal |= bit(next);
    }
    for (auto rest = equal; rest != 0; rest &= rest - 1) {
      const int next = std::countr_zero(rest);
      if (has_twin(next, equal & (bit(next) - 1))) continue;
      place(n_placed, next);
      if (smaller_from(step + 1, n_placed + 1, visited | bit(next), 0)) return true;
    }
    return false;
  }

  /// Swapping twins changes nothing, so one of them stands for all.
  bool has_twin(int node, std::uint64_t among) const {
    for (; among != 0; among &= among - 1) {
      const int other = std::countr_zero(among);
      const auto ours = code_.adjacency(node) & ~bit(other);
      if (ours != (code_.adjacency(other) & ~bit(node))) continue;
      bool same_labels = true;
      for (auto rest = ours; rest != 0; rest &= rest - 1) {
        const int end = std::countr_zero(rest);
        same_labels &= code_.edge_label(node, end) == code_.edge_label(other, end);
      }
      if (same_labels) return true;
    }
    return false;
  }

  const DfsCode& code_;
  std::int8_t node_[DfsCode::max_nodes];
  std::int8_t number_[DfsCode::max_nodes];
};

}  // namespace

bool is_minimum(const DfsCode& code) {
  return code.n_edges() == 0 || !WalkComparison(code).finds_smaller();
}

}  // namespace aglets
