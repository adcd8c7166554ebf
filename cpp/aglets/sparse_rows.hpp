#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace aglets {

/// Rows of numbers, one column per graph, of which only those are kept that may differ from zero:
/// most patterns occur in few graphs. Values never change; what is made of rows shares those that
/// stay the same, so that a step of a few graphlets copies nothing of the others.
///
/// Every sum is taken in an order that does not depend on the number of threads.
class SparseRows {
public:
  using Graphs = std::shared_ptr<const std::vector<std::int32_t>>;  // ascending
  using Values = std::shared_ptr<const std::vector<double>>;

  explicit SparseRows(std::size_t n_graphs) : n_graphs_(n_graphs) {}

  /// What is not zero of a matrix that is stored row by row.
  static SparseRows of(std::span<const double> matrix, std::size_t n_graphs);

  std::size_t size() const { return rows_.size(); }
  std::size_t n_graphs() const { return n_graphs_; }
  std::size_t n_values() const;
  std::span<const std::int32_t> graphs(std::size_t row) const { return *rows_[row].graphs; }
  std::span<const double> values(std::size_t row) const { return *rows_[row].values; }

  void append(Graphs graphs, std::vector<double> values);

  SparseRows joined(const SparseRows& more) const;
  SparseRows chosen(std::span<const bool> mask) const;
  /// The chosen rows are replaced, in their order.
  SparseRows changed(std::span<const bool> mask, const SparseRows& by) const;
  /// The same graphs with other values, flat.
  SparseRows with_values(std::span<const double> flat) const;

  std::vector<double> flat() const;
  /// Columns begin .. end - 1, stored row by row.
  std::vector<double> dense(std::size_t begin, std::size_t end) const;

  /// sum_j coef_jk row_j for each output k: shape (n_outputs, n_graphs).
  std::vector<double> combined(std::span<const double> coef, std::size_t n_outputs,
                               int n_threads) const;
  /// sum_i row_ji weights_ki: shape (n_rows, n_outputs), weights (n_outputs, n_graphs).
  std::vector<double> dots(std::span<const double> weights, int n_threads) const;
  /// sum_k coef_jk weights_ki where row j has a value in graph i, flat.
  std::vector<double> spread(std::span<const double> coef, std::span<const double> weights,
                             int n_threads) const;

  /// How many products of two values `gram` would add up in these columns.
  double n_pairs(std::span<const double> weights, std::size_t begin, std::size_t end) const;
  /// sum_i weight_i row_ji row_li over columns begin .. end - 1 with a weight.
  std::vector<double> gram(std::span<const double> weights, std::size_t begin,
                           std::size_t end) const;

private:
  struct Row {
    Graphs graphs;
    Values values;
  };
  struct Part;

  /// The part of a row in columns begin .. end - 1.
  Part part(std::size_t row, std::size_t begin, std::size_t end) const;
  /// Columns begin .. end - 1 of `combined` for several outputs.
  void combine_outputs(std::span<const double> coef, std::size_t n_outputs, std::size_t begin,
                       std::size_t end, double* found) const;

  std::size_t n_graphs_;
  std::vector<Row> rows_;
};

}  // namespace aglets
