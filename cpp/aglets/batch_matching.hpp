#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "graphlet_bank.hpp"
#include "matching.hpp"

namespace aglets {

/// Costs of many graphlets (rows) on all graphs (columns), infinite where there is no
/// embedding, and the nodes of the best embeddings.
struct Matches {
  std::vector<double> costs;
  std::vector<std::int32_t> nodes;
};

/// Any graphlets on any graphs. Nodes come graphlet by graphlet and graph by
/// graph, -1 where there is no embedding.
Matches match_patterns(const GraphSet& graphs, std::span<const Pattern> patterns,
                       std::span<const FlatAttributes> z, int n_threads, Budget& budget);

/// Graphlets of a bank that do not count; `place_matching` has all of them. `z` and `previous` are
/// flat in the order of the handles; nodes come in that layout, too, for supporting graphs only.
Matches match_bank(const GraphletBank& bank, std::span<const std::int32_t> handles,
                   FlatAttributes z, std::span<const std::int32_t> previous, int n_threads,
                   Budget& budget);

/// GraphletBank::pull for many graphlets; `weights` has a number per graphlet and supporting graph,
/// flat in the order of the handles.
std::vector<double> pull_bank(const GraphletBank& bank, std::span<const std::int32_t> handles,
                              FlatAttributes z, std::span<const std::int32_t> embedding,
                              std::span<const double> weights, int n_threads = 1);

}  // namespace aglets
