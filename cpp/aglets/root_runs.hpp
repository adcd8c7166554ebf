#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace aglets {

/// Minimum costs by root image of many (pattern, graph) pairs. The costs of one pair
/// are sorted and equal ones are a run with a count, so that graphs without
/// attributes keep one number per pair, and a sum over them does not depend on
/// how nodes are numbered.
struct RootRuns {
  std::vector<std::int64_t> first;   // by tree node: its first run
  std::vector<std::int32_t> n_runs;  // by support
  std::vector<double> costs;         // by run
  std::vector<std::int32_t> counts;  // by run: root images with this cost

  void begin_node() { first.push_back(static_cast<std::int64_t>(costs.size())); }

  /// Adds one graph's costs, which come in any order and are sorted here.
  void add_support(std::span<double> by_root) {
    std::sort(by_root.begin(), by_root.end());
    const auto before = costs.size();
    for (const double cost : by_root) {
      if (costs.size() > before && costs.back() == cost) {
        ++counts.back();
      } else {
        costs.push_back(cost);
        counts.push_back(1);
      }
    }
    n_runs.push_back(static_cast<std::int32_t>(costs.size() - before));
  }

  /// Keeps the first nodes, supports and runs.
  void shrink(std::size_t n_nodes, std::size_t n_supports, std::size_t n_costs) {
    first.resize(n_nodes);
    n_runs.resize(n_supports);
    costs.resize(n_costs);
    counts.resize(n_costs);
  }

  static constexpr std::int64_t bytes_for(std::int64_t n_nodes, std::int64_t n_supports,
                                          std::int64_t n_runs) {
    constexpr std::int64_t run = sizeof(double) + sizeof(std::int32_t);
    return n_nodes * std::int64_t{sizeof(std::int64_t)} +
           n_supports * std::int64_t{sizeof(std::int32_t)} + n_runs * run;
  }
};

}  // namespace aglets
