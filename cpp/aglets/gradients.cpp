#include "gradients.hpp"

#include <algorithm>
#include <cmath>

#include "group_norm.hpp"
#include "signed_sums.hpp"

namespace aglets {

Gradients::Gradients(MiningTree& tree, const Query& query)
    : tree_(tree),
      query_(query),
      layout_(ResidualLayout::of(query.n_outputs)),
      g_(layout_.stride),
      g_bar_(layout_.stride) {
  for (const auto& channel : query.channels) {
    const auto& history = tree.history(channel.divisor());
    channels_.push_back({channel.slot(), &history, history.current()});
  }
}

SizedGradient Gradients::evaluate(NodeRef ref, std::size_t channel) {
  const auto* values = tree_.values(ref, query_.channels[channel], query_.rho);
  const auto graphs = tree_.support_graphs(ref);
  const auto& [slot, history, residual] = channels_[channel];
  auto& evaluation = tree_.evaluation(ref, slot);
  if (query_.n_outputs == 1) {
    sum_one_output(residual, graphs, values);
    evaluation.g = std::abs(g_[0]);
    evaluation.g_bar = g_bar_[0];
  } else {
    sum_outputs(residual, graphs, values);
    evaluation.g = dual_norm(g(), query_.sharing, scratch_);
    evaluation.g_bar = dual_norm(g_bar(), query_.sharing, scratch_);
  }
  evaluation.residual = history->current_number();
  return {evaluation.g, evaluation.g_bar};
}

void Gradients::sum_one_output(const double* residual, std::span<const std::int32_t> graphs,
                               const double* values) {
  const auto n = graphs.size();
  // Four sums of each sign side by side: one would wait for its own last addition.
  double positive[4] = {}, negative[4] = {};
  const auto add = [&](std::size_t i, int lane) {
    const double term = residual[graphs[i]] * values[i];
    positive[lane] += std::max(term, 0.0);
    negative[lane] += std::min(term, 0.0);
  };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int lane = 0; lane < 4; ++lane) add(i + lane, lane);
  for (; i < n; ++i) add(i, 0);
  const double up = (positive[0] + positive[1]) + (positive[2] + positive[3]);
  const double down = (negative[0] + negative[1]) + (negative[2] + negative[3]);
  g_[0] = up + down;
  g_bar_[0] = std::max(up, -down);
}

void Gradients::sum_outputs(const double* residual, std::span<const std::int32_t> graphs,
                            const double* values) {
  auto& up = g_;
  auto& down = g_bar_;
  signed_sums(residual, layout_.stride, graphs.data(), values, graphs.size(), up.data(),
              down.data());
  for (std::size_t output = 0; output < query_.n_outputs; ++output) {
    const double g = up[output] + down[output];
    g_bar_[output] = std::max(up[output], -down[output]);
    g_[output] = g;
  }
}

}  // namespace aglets
