#include "residuals.hpp"

#include <algorithm>
#include <utility>

#include "distance.hpp"

namespace aglets {

namespace {

/// How many residuals back an evaluation is worth remembering.
constexpr std::size_t remembered_residuals = 32;

/// Of many outputs fewer are kept: their distances are computed in every search, and soon cost more
/// than gradients that need not be.
constexpr std::size_t remembered_numbers = std::size_t{1} << 19;

std::size_t n_remembered(std::size_t n_numbers, std::size_t n_outputs) {
  if (n_outputs == 1) return remembered_residuals;
  return std::clamp<std::size_t>(remembered_numbers / std::max<std::size_t>(n_numbers, 1), 4,
                                 remembered_residuals);
}

double divided_by(Divisor divisor, std::int32_t n_nodes) {
  const auto size = static_cast<double>(std::max(n_nodes, 1));  // empty graphs hold no pattern
  if (divisor == Divisor::one) return 1.0;
  return divisor == Divisor::nodes ? size : std::sqrt(size);
}

}  // namespace

ResidualLayout ResidualLayout::of(std::size_t n_outputs) {
  if (n_outputs == 1) return {1, 1};
  const std::size_t block = n_outputs <= 4 ? 4 : 8;
  return {n_outputs, (n_outputs + block - 1) / block * block};
}

std::vector<double> laid_out(const Query& query, const GraphSet& graphs, Divisor divisor) {
  const auto n_graphs = static_cast<std::size_t>(graphs.size());
  const auto layout = ResidualLayout::of(query.n_outputs);
  std::vector<double> residual(n_graphs * layout.stride, 0.0);
  for (std::size_t graph = 0; graph < n_graphs; ++graph) {
    const double by = divided_by(divisor, graphs.n_nodes(static_cast<std::int32_t>(graph)));
    for (std::size_t output = 0; output < layout.n_outputs; ++output)
      residual[graph * layout.stride + output] = query.residual[output * n_graphs + graph] / by;
  }
  return residual;
}

void ResidualHistory::set(std::vector<double> residual, ResidualLayout layout, double sharing) {
  if (layout != layout_ || sharing != sharing_) kept_.clear();
  layout_ = layout;
  sharing_ = sharing;
  kept_.push_back(std::move(residual));
  if (kept_.size() > n_remembered(kept_.back().size(), layout.n_outputs)) kept_.pop_front();
  ++n_set_;
  first_kept_ = n_set_ - static_cast<std::int64_t>(kept_.size());
  drift_.clear();
  for (const auto& earlier : kept_)
    drift_.push_back(std::sqrt(squared_distance(earlier, kept_.back())));
}

}  // namespace aglets
