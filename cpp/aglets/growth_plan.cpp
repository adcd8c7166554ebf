#include "growth_plan.hpp"

#include <stdexcept>

namespace aglets {

GrowthPlan::GrowthPlan(std::span<const std::int32_t> counts, std::int32_t n_roots)
    : counts_(counts.begin(), counts.end()), sizes_(counts.size() / 2, 0) {
  const auto n = static_cast<std::int64_t>(sizes_.size());
  if (counts.size() % 2 != 0 || n > INT32_MAX) throw std::invalid_argument("no growth of a tree");
  for (const auto count : counts_)
    if (count < 0 || count > n) throw std::invalid_argument("no growth of a tree");
  // From the last node on: what is below a node comes behind it.
  for (auto node = n - 1; node >= 0; --node) {
    const auto at = static_cast<std::int32_t>(node);
    const auto below = siblings(node + 1, std::int64_t{n_backward(at)} + n_forward(at));
    const auto end = below.empty() ? node + 1 : below.back() + sizes_[below.back()];
    sizes_[node] = static_cast<std::int32_t>(end - node);
  }
  roots_ = siblings(0, n_roots);
  const auto end = roots_.empty() ? 0 : roots_.back() + sizes_[roots_.back()];
  if (end != n) throw std::invalid_argument("no growth of this tree");
}

std::vector<std::int32_t> GrowthPlan::children(std::int32_t node) const {
  return siblings(std::int64_t{node} + 1, std::int64_t{n_backward(node)} + n_forward(node));
}

std::vector<std::int32_t> GrowthPlan::siblings(std::int64_t first, std::int64_t count) const {
  std::vector<std::int32_t> places;
  for (auto next = first; count > 0; --count) {
    if (next >= static_cast<std::int64_t>(sizes_.size()))
      throw std::invalid_argument("no growth of a tree");
    places.push_back(static_cast<std::int32_t>(next));
    next += sizes_[next];
  }
  return places;
}

}  // namespace aglets
