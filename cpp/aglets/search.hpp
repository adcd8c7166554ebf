#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "mining_tree.hpp"

namespace aglets {

/// What to look for: a residual a_i = -dloss/df per graph, and the length scale
/// and size limit of the graphlets.
struct Query {
  std::span<const double> residual;
  double rho;
  int maxpat;
};

struct Violators {
  std::vector<std::int64_t> nodes;
  std::vector<double> g;
  std::vector<double> g_bar;
  std::vector<std::int32_t> sizes;  // nodes of each pattern
  std::int64_t n_visited = 0;
  std::int64_t n_made = 0;
};

struct Largest {
  double value = 0.0;      // max |g|
  std::int64_t node = -1;  // where; -1 if no graphlet has g != 0
  std::int64_t n_visited = 0;
  std::int64_t n_made = 0;
};

/// Algorithm 2: every tree node with |g| > lam, in tree order. Subtrees with
/// g_bar <= lam are pruned (Theorem 2.1). A node that was never expanded has its
/// embeddings grown again, and while they are in hand every descendant with
/// g_bar > look_ahead * lam is expanded too, for the smaller lambdas to come.
Violators find_violators(MiningTree& tree, const Query& query, double lam, double look_ahead,
                         int n_threads, Budget& budget);

/// max |g| over all graphlets, best bound first with the incumbent as threshold:
/// lambda_max when the residual is that of the empty model.
Largest find_largest(MiningTree& tree, const Query& query, Budget& budget);

/// The tree node with this code, grown if need be; -1 if there is none, because
/// the code is not minimum or no graph holds its pattern.
std::int64_t find_node(MiningTree& tree, const DfsCode& code, Budget& budget);

}  // namespace aglets
