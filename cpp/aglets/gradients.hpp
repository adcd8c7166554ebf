#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mining_tree.hpp"
#include "query.hpp"

namespace aglets {

/// Sizes of the gradient g_k = sum_i a_ki value_i of an untrained graphlet and of
/// the bounds g_bar_k of Theorem 2.1 on |g_k| of everything below it, with the sums
/// split by the sign of a_ki. With one output the size of g is |g|, with several
/// the dual norm of the query's penalty: a graphlet enters if it exceeds lambda,
/// and nothing below enters unless the size of g_bar does, because the norm
/// grows with every |g_k|.
struct SizedGradient {
  double g;
  double g_bar;
};

/// Sizes at another residual, and how far the current ones can be from them.
struct RememberedGradient {
  double g;
  double g_bar;
  double slack;
};

/// Evaluates gradients of tree nodes at the residual the tree was prepared for;
/// one per thread. Channels go by their place in the query.
class Gradients {
public:
  Gradients(MiningTree& tree, const Query& query);

  /// One pass over the node's supports for all outputs.
  SizedGradient evaluate(NodeRef ref, std::size_t channel);

  /// By output, of the last evaluation.
  std::span<const double> g() const { return {g_.data(), query_.n_outputs}; }
  std::span<const double> g_bar() const { return {g_bar_.data(), query_.n_outputs}; }

  /// What is known without looking at the supports: both sizes move by at most
  /// |a - a'|_2 |values|_2 when the residual goes from a' to a. The slack is
  /// infinite if the node was not evaluated for this rho lately.
  RememberedGradient remembered(NodeRef ref, std::size_t channel) const {
    const auto& evaluation = tree_.evaluation(ref, channels_[channel].slot);
    const double drift = channels_[channel].history->drift_since(evaluation.residual);
    if (evaluation.rho != query_.rho || drift == HUGE_VAL) return {0.0, 0.0, HUGE_VAL};
    // A hair more than the bound, for the rounding in both sums.
    const double slack = 1.000001 * drift * evaluation.value_norm + 1e-12 * evaluation.g_bar;
    return {evaluation.g, evaluation.g_bar, slack};
  }

private:
  /// What every visit needs of a channel.
  struct Source {
    std::size_t slot;
    const ResidualHistory* history;
    const double* residual;
  };

  void sum_one_output(const double* residual, std::span<const std::int32_t> graphs,
                      const double* values);
  void sum_outputs(const double* residual, std::span<const std::int32_t> graphs,
                   const double* values);

  MiningTree& tree_;
  const Query& query_;
  ResidualLayout layout_;
  std::vector<Source> channels_;
  std::vector<double> g_, g_bar_;
  std::vector<double> scratch_;
};

}  // namespace aglets
