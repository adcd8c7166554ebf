#pragma once

#include <cstdint>
#include <span>

#include "graph_set.hpp"

namespace aglets {

/// How many places ahead attributes are asked for.
inline constexpr std::size_t places_ahead = 12;

/// Asks memory for the attributes of some nodes of a graph, and does not wait. In large sets the
/// attributes of embeddings lie far apart, and waiting for them is most of the work of a pass.
template <class Node>
void fetch_ahead([[maybe_unused]] const GraphSet& graphs, [[maybe_unused]] std::int32_t graph,
                 [[maybe_unused]] std::span<const Node> nodes) {
#if defined(__GNUC__) || defined(__clang__)
  const auto base = graphs.first_node(graph);
  for (const auto node : nodes) __builtin_prefetch(graphs.attributes(base + node).data());
#endif
}

}  // namespace aglets
