#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace aglets {

/// Gram matrices of the same rows under the weights of several outputs. With rows of shape
/// (n_rows, n_graphs) and weights of shape (n_outputs, n_graphs), both stored row by row, entry
/// (j, l, k) of the result is sum_i weights_ki rows_ji rows_li: what second derivatives of losses
/// are made of. Graphs without weight and rows that are zero there are passed by.
std::vector<double> grams(std::span<const double> rows, std::span<const double> weights,
                          std::size_t n_graphs);

/// Takes the last row out of such matrices: what is left if its coefficient follows the others,
/// Q_jl - Q_jz Q_lz / Q_zz with z the last row, of shape (n_rows - 1, n_rows - 1, n_outputs). Where
/// rounding is all that is left of Q_jj, the row does the same as the last one, and its entry is 0.
std::vector<double> without_last(std::span<const double> Q, std::size_t n_rows,
                                 std::size_t n_outputs);

}  // namespace aglets
