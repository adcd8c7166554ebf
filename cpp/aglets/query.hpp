#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "channel.hpp"

namespace aglets {

/// What to look for: residuals a_ki = -dloss/df_k(G_i), output by output, the
/// length scale and the size limit of the graphlets, and the channels in which
/// they may enter. A graphlet's coefficients are penalised by
/// sharing |.|_2 + (1 - sharing) |.|_1 over outputs; with one output that is |.|.
struct Query {
  std::span<const double> residual;
  double rho;
  int maxpat;
  std::vector<Channel> channels = {Channel{}};
  std::size_t n_outputs = 1;
  double sharing = 1.0;

  bool counts() const {
    return std::ranges::any_of(channels, [](const Channel& channel) { return channel.counts(); });
  }
};

}  // namespace aglets
