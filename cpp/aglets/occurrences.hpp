#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "graph_set.hpp"
#include "matching.hpp"
#include "pattern.hpp"

namespace aglets {

/// Where a graphlet lies in graphs: one occurrence per distinct set of nodes, with the
/// embedding of minimum cost among those on that set. AGIS looks at the first only; a reader
/// wants to see all.
struct Occurrences {
  std::vector<std::int64_t> offsets;   // per graph, one more for the end
  std::vector<double> costs;           // cheapest first within a graph
  std::vector<std::int32_t> nodes;     // as many per occurrence as the pattern has
  std::vector<std::uint8_t> complete;  // per graph; 0 where only the best one is listed
};

/// All occurrences of one graphlet in every graph. In a graph with more than
/// `max_embeddings` embeddings, or where finding them takes too many steps, only the
/// best occurrence is listed. Equal costs are ordered by their nodes.
Occurrences find_occurrences(const GraphSet& graphs, const Pattern& pattern, FlatAttributes z,
                             std::size_t max_embeddings, Budget& budget);

}  // namespace aglets
