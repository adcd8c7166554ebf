#pragma once

#include <cstddef>
#include <cstdint>

namespace aglets {

/// How the scores of a pattern in one graph become one number. A pattern is
/// anchored at its root, the first node of its code. For a node u of the graph,
/// s_u = max over embeddings that put the root on u of exp(-rho cost), 0 if there
/// is none. `best` is max_u s_u (psi of the paper), `sum` is c = sum_u s_u, a soft
/// number of places, and `mean` is c over the number of nodes of the graph. A
/// child in the tree keeps its parent's root and its embeddings restrict to its
/// parent's, so no s_u grows along the tree: Theorem 2.1 holds for each of them.
enum class Pooling : std::uint8_t { best, sum, mean };

/// What is taken of a sum or mean: itself or its square root, which grows with
/// it, so that the bounds hold for both.
enum class CountScale : std::uint8_t { raw, root };

/// By what the residual of a graph is divided: sums and means then share one
/// table of values.
enum class Divisor : std::uint8_t { one, nodes, root_of_nodes };

inline constexpr std::size_t n_divisors = 3;
inline constexpr std::size_t n_count_scales = 2;

struct Channel {
  Pooling pooling = Pooling::best;
  CountScale scale = CountScale::raw;

  static constexpr std::size_t n_slots = 5;

  bool counts() const { return pooling != Pooling::best; }
  /// A number of its own for each channel, from 0 for `best`.
  std::size_t slot() const {
    if (!counts()) return 0;
    return (pooling == Pooling::sum ? 1 : 2) + (scale == CountScale::raw ? 0 : 2);
  }
  Divisor divisor() const {
    if (pooling != Pooling::mean) return Divisor::one;
    return scale == CountScale::raw ? Divisor::nodes : Divisor::root_of_nodes;
  }
};

}  // namespace aglets
