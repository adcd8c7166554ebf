#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "channel.hpp"
#include "graph_set.hpp"
#include "query.hpp"

namespace aglets {

/// How residuals lie in memory: graph by graph, the outputs of one graph side by
/// side and filled up with zeros to `stride`, so that outputs can be summed in wide
/// registers. One output has a stride of 1.
struct ResidualLayout {
  std::size_t n_outputs = 1;
  std::size_t stride = 1;

  static ResidualLayout of(std::size_t n_outputs);
  bool operator==(const ResidualLayout&) const = default;
};

/// The residuals of a query as the sums over graphs read them.
std::vector<double> laid_out(const Query& query, const GraphSet& graphs, Divisor divisor);

/// The last few residuals and how far each is from the current one. A gradient
/// moves by at most |a - a'|_2 |psi|_2 from residual a' to a, over several outputs
/// with the norm over all of them, so an old gradient may still decide.
class ResidualHistory {
public:
  /// Distances between residuals of other outputs or another sharing say
  /// nothing: the history then begins again.
  void set(std::vector<double> residual, ResidualLayout layout, double sharing);

  /// The residual set last; null if there is none yet.
  const double* current() const { return kept_.empty() ? nullptr : kept_.back().data(); }
  std::int64_t current_number() const { return n_set_ - 1; }

  /// Distance of the current residual to the one with this number; infinite if
  /// that is forgotten.
  double drift_since(std::int64_t number) const {
    return number < first_kept_ ? HUGE_VAL : drift_[static_cast<std::size_t>(number - first_kept_)];
  }

private:
  std::deque<std::vector<double>> kept_;  // the current one at the end
  std::vector<double> drift_;             // distance of each to the current one
  std::int64_t n_set_ = 0;                // ever set
  std::int64_t first_kept_ = 0;           // number of the first one kept
  ResidualLayout layout_;
  double sharing_ = 1.0;
};

}  // namespace aglets
