#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace aglets {

/// How far the attributes z of one graphlet may move until another embedding can be the
/// best of a place. The root of a cost is a distance from z, so a step of length s changes
/// each by at most s: while 2 s is less than the lead that the best embedding had over all
/// others, it still is the best one, and nobody has to look at the others.
///
/// Leads are taken at references, which are attributes of earlier calls; whether one holds
/// is certain, so that what is found does not depend on what is remembered.
class Leads {
public:
  /// Forgets everything.
  void reset(std::size_t n_places, std::size_t n_nodes);

  /// Names the attributes at which leads are asked for and taken from now on.
  void move_to(std::span<const double> z);

  /// True if the embedding remembered for a place is the best one here.
  bool holds(std::size_t place) const {
    return distances_[references_of_[place]] < reaches_[place];
  }
  std::span<const std::uint16_t> nodes(std::size_t place) const {
    return std::span<const std::uint16_t>(nodes_).subspan(place * n_nodes_, n_nodes_);
  }

  /// Remembers the best embedding of a place, its cost here, and the lowest cost of others
  /// that match other attributes. Nodes that are too large to be kept give no lead.
  void remember(std::size_t place, std::span<const std::int32_t> nodes, double cost,
                double second_cost);

private:
  std::size_t n_nodes_ = 0;
  std::vector<std::vector<double>> references_;  // the last one is where we are
  std::vector<double> distances_;                // from here to each
  bool is_used_ = true;                          // whether a place refers to the last one
  std::vector<float> reaches_;                   // half the lead of each place
  std::vector<std::uint16_t> references_of_;
  std::vector<std::uint16_t> nodes_;
};

}  // namespace aglets
