#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace aglets {

/// How far a mining tree has grown, so that another one can be grown to the same
/// state. Nodes come in tree order, parents before children. Two numbers for each: how
/// many backward and how many forward children it has, plus one; 0 if they were not made.
class GrowthPlan {
public:
  /// Throws std::invalid_argument unless the numbers are those of so many trees.
  GrowthPlan(std::span<const std::int32_t> counts, std::int32_t n_roots);

  bool backward(std::int32_t node) const { return counts_[2 * node] > 0; }
  bool forward(std::int32_t node) const { return counts_[2 * node + 1] > 0; }
  std::int32_t n_backward(std::int32_t node) const { return at_least_0(counts_[2 * node]); }
  std::int32_t n_forward(std::int32_t node) const { return at_least_0(counts_[2 * node + 1]); }

  /// Places of the roots, and of the children of a node, backward ones first.
  const std::vector<std::int32_t>& roots() const { return roots_; }
  std::vector<std::int32_t> children(std::int32_t node) const;

private:
  static std::int32_t at_least_0(std::int32_t count) { return count > 0 ? count - 1 : 0; }

  /// Places of so many nodes that follow each other, each behind all below the one before.
  std::vector<std::int32_t> siblings(std::int64_t first, std::int64_t count) const;

  std::vector<std::int32_t> counts_;
  std::vector<std::int32_t> sizes_;  // of subtrees
  std::vector<std::int32_t> roots_;
};

}  // namespace aglets
