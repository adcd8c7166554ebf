#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace aglets {

/// All embeddings of a pattern, graph by graph, a byte per node. Graphs may be left out:
/// those with too many embeddings, or with nodes that a byte cannot name.
class EmbeddingLists {
public:
  /// What is known of a graph. Without a list its embeddings must be searched; in a crowded
  /// graph they are too many to be listed at all.
  enum class State : std::uint8_t { unknown, listed, unlisted, crowded };

  void reset(std::size_t n_graphs) {
    states_.assign(n_graphs, State::unknown);
    begins_.assign(n_graphs, 0);
    sizes_.assign(n_graphs, 0);
    nodes_ = {};
  }

  State state(std::size_t graph) const { return states_[graph]; }
  void set_state(std::size_t graph, State state) { states_[graph] = state; }

  std::span<const std::uint8_t> nodes(std::size_t graph) const {
    return std::span<const std::uint8_t>(nodes_).subspan(begins_[graph], sizes_[graph]);
  }

  /// Keeps the embeddings of a graph; false if a byte cannot name all nodes.
  bool keep(std::size_t graph, std::span<const std::int32_t> nodes) {
    for (const auto node : nodes)
      if (node > 255) return false;
    begins_[graph] = nodes_.size();
    sizes_[graph] = static_cast<std::uint32_t>(nodes.size());
    nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
    states_[graph] = State::listed;
    return true;
  }

private:
  std::vector<State> states_;
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> sizes_;
  std::vector<std::uint8_t> nodes_;
};

}  // namespace aglets
