#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "mining_tree.hpp"
#include "query.hpp"

namespace aglets {

/// Tree nodes with the channels in which they violate; a node may come once per
/// channel. The gradients of one entry are neighbours, one per output.
struct Violators {
  std::vector<std::int64_t> nodes;
  std::vector<std::int32_t> channels;  // places in the query's channels
  std::vector<double> g;
  std::vector<double> g_bar;
  std::vector<double> norms;        // sizes of g over outputs, see SizedGradient
  std::vector<std::int32_t> sizes;  // nodes of each pattern
  std::int64_t n_visited = 0;
  std::int64_t n_made = 0;
};

struct Largest {
  double value = 0.0;      // the largest size of g
  std::int64_t node = -1;  // where; -1 if no graphlet has g != 0
  std::int64_t n_visited = 0;
  std::int64_t n_made = 0;
};

/// Algorithm 2: every tree node with |g| > lam in some channel, in tree order.
/// Subtrees with g_bar <= lam in all channels are pruned (Theorem 2.1). A node that was never
/// expanded has its embeddings grown again, and while they are in hand every descendant with g_bar
/// > look_ahead * lam is expanded too, for the smaller lambdas to come.
Violators find_violators(MiningTree& tree, const Query& query, double lam, double look_ahead,
                         int n_threads, Budget& budget);

/// max |g| over all graphlets and channels, best bound first with the incumbent as threshold:
/// lambda_max when the residual is that of the empty model.
Largest find_largest(MiningTree& tree, const Query& query, Budget& budget);

/// Children of some nodes, one entry each: whose child, its name, the last edge
/// of its code and the type of that edge's end.
struct Offspring {
  std::vector<std::int32_t> parents;  // positions among the nodes asked for
  std::vector<std::int64_t> nodes;
  std::vector<std::int32_t> edges;  // from, to, label
  std::vector<std::int32_t> to_types;
};

/// Children of nodes for walks of this maxpat, grown if need be: one round of a
/// search that several trees, each with a part of the graphs, make together.
Offspring find_children(MiningTree& tree, std::span<const std::int64_t> nodes, int maxpat,
                        Budget& budget);

/// g split by the sign of a_i, by node, channel and output, so that the parts of
/// several trees can be added: g = up - down, g_bar = max(up, down).
struct SignedSums {
  std::vector<double> up;
  std::vector<double> down;
};

SignedSums find_signed_sums(MiningTree& tree, std::span<const std::int64_t> nodes,
                            const Query& query, Budget& budget);

/// The tree node with this code, grown if need be; -1 if there is none, because
/// the code is not minimum or no graph holds its pattern.
std::int64_t find_node(MiningTree& tree, const DfsCode& code, Budget& budget);

/// How far the tree has grown, see GrowthPlan.
std::vector<std::int32_t> growth_of(MiningTree& tree);

/// Grows a tree that was just planted to the state of another one on the same graphs:
/// searches then do the same work on both. Throws std::invalid_argument if it is not of these.
void grow_as(MiningTree& tree, std::span<const std::int32_t> counts, bool keeps_roots,
             Budget& budget);

}  // namespace aglets
