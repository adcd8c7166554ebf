#pragma once

#include <cstdint>

#include "matching.hpp"

namespace aglets {

/// The best embedding of an attributed pattern in one graph, for graphs with too
/// many embeddings to look at. Nodes are placed along a breadth-first tree of the
/// pattern. The bound is exact on that tree but for injectivity (dynamic
/// programming from the leaves), and nodes that hang on placed ones are given
/// different images by a minimum-cost assignment: stars and cliques are then solved
/// without search. `incumbent` is the previous embedding or empty; ties go to it,
/// then to the first in TieOrder. Memory: nodes of the graph times nodes of the
/// pattern, and edges times edges where edges have attributes.
Match branch_and_bound(const GraphSet& graphs, std::int32_t graph, const Pattern& pattern,
                       FlatAttributes z, const Match& incumbent, Ticker& ticker);

/// The same among embeddings that put the pattern's first node on `image`.
Match branch_and_bound_at(const GraphSet& graphs, std::int32_t graph, const Pattern& pattern,
                          FlatAttributes z, std::int32_t image, const Match& incumbent,
                          Ticker& ticker);

}  // namespace aglets
