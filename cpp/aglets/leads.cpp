#include "leads.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "distance.hpp"

namespace aglets {

namespace {

/// Part of a distance that is given away, far above rounding and what counts as a tie.
constexpr double margin = 1e-6;
/// References beyond this many are forgotten, with all leads.
constexpr std::size_t max_references = 4096;

}  // namespace

void Leads::reset(std::size_t n_places, std::size_t n_nodes) {
  n_nodes_ = n_nodes;
  references_.clear();
  is_used_ = true;
  reaches_.assign(n_places, -1.0f);
  references_of_.assign(n_places, 0);
  nodes_.resize(n_places * n_nodes);
}

void Leads::move_to(std::span<const double> z) {
  if (references_.size() == max_references) reset(reaches_.size(), n_nodes_);
  if (is_used_) references_.emplace_back();
  references_.back().assign(z.begin(), z.end());
  is_used_ = false;
  distances_.clear();
  for (const auto& reference : references_)
    distances_.push_back(std::sqrt(squared_distance(z, reference)));
}

void Leads::remember(std::size_t place, std::span<const std::int32_t> nodes, double cost,
                     double second_cost) {
  reaches_[place] = -1.0f;
  if (*std::max_element(nodes.begin(), nodes.end()) > std::numeric_limits<std::uint16_t>::max())
    return;
  const double distance = std::sqrt(cost), second = std::sqrt(second_cost);
  if (second_cost == HUGE_VAL)
    reaches_[place] = std::numeric_limits<float>::infinity();
  else
    reaches_[place] = static_cast<float>(0.5 * (second * (1.0 - margin) - distance));
  references_of_[place] = static_cast<std::uint16_t>(references_.size() - 1);
  is_used_ = true;
  std::transform(nodes.begin(), nodes.end(), nodes_.begin() + place * n_nodes_,
                 [](std::int32_t node) { return static_cast<std::uint16_t>(node); });
}

}  // namespace aglets
