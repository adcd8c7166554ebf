#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "graphlet_bank.hpp"
#include "matching.hpp"
#include "sparse_rows.hpp"

namespace aglets {

/// The minimum cost of each place and the nodes of its best embedding, flat in the
/// order of the handles.
struct PlaceMatches {
  std::vector<double> costs;
  std::vector<std::int32_t> nodes;
};

/// All places of graphlets of a bank. `z` and `previous` (nodes of an earlier call,
/// or empty) are flat in the order of the handles.
PlaceMatches match_places(const GraphletBank& bank, std::span<const std::int32_t> handles,
                          FlatAttributes z, std::span<const std::int32_t> previous, int n_threads,
                          Budget& budget);

/// Values of graphlets (rows) on the graphs that hold them from the score
/// exp(-rho cost) of each place: its own one for `best`, else what the channel
/// makes of the sum. Scores of one graph are added in an order that does not depend on
/// the numbering of its nodes (`GraphletBank::sum_order`, else the largest first).
SparseRows pool_places(const GraphletBank& bank, std::span<const std::int32_t> handles,
                       std::span<const double> scores, int n_threads = 1);

/// The z-gradient of sum_i c_Hi value_Hi over graphs i, flat as `z`: weights are
/// -2 rho c, one per graphlet and supporting graph. A graphlet that counts has one
/// term per place.
std::vector<double> pull_places(const GraphletBank& bank, std::span<const std::int32_t> handles,
                                FlatAttributes z, std::span<const std::int32_t> embedding,
                                std::span<const double> scores, std::span<const double> weights,
                                int n_threads = 1);

/// Places of any graphlets on any graphs: `n_places` has a row per graphlet and a
/// column per graph; places come in that order, those of one graph cheapest first and
/// then in TieOrder.
struct FoundPlaces {
  std::vector<std::int32_t> n_places;
  std::vector<double> costs;
  std::vector<std::int32_t> nodes;
};

FoundPlaces find_places(const GraphSet& graphs, std::span<const Pattern> patterns,
                        std::span<const FlatAttributes> z, int n_threads, Budget& budget);

}  // namespace aglets
