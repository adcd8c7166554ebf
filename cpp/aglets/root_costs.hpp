#pragma once

#include <cstdint>
#include <vector>

#include "account.hpp"
#include "mining_tree.hpp"

namespace aglets {

/// Makes the tree keep costs by root image from now on, and looks them up for the
/// nodes it has: their embeddings are grown again once, graph by graph. If the budget
/// runs out on the way, the tree stays as it was.
void keep_root_costs(MiningTree& tree, Account& account);

/// The initial cost of a node's pattern at one image of its root.
struct RootCost {
  std::int32_t graph;
  double cost;
};

/// One entry per graph and image of the root, costs ascending within a graph.
std::vector<RootCost> root_costs_of(MiningTree& tree, NodeRef ref, Budget& budget);

}  // namespace aglets
