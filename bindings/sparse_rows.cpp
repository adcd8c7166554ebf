#include "aglets/sparse_rows.hpp"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "arrays.hpp"
#include "limits.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace aglets::python {

namespace {

void check_columns(const SparseRows& rows, std::size_t begin, std::size_t end) {
  if (begin > end || end > rows.n_graphs())
    throw std::invalid_argument("columns must be within the graphs");
}

}  // namespace

void register_sparse_rows(nb::module_& module) {
  nb::class_<SparseRows>(module, "SparseRows",
                         "Rows of numbers, one column per graph, most of them zero.")
      .def(nb::init<std::size_t>(), "n_graphs"_a)
      .def_static(
          "of", [](Matrix<double> rows) { return SparseRows::of(as_span(rows), rows.shape(1)); },
          "rows"_a, "What is not zero of a matrix.")
      .def("__len__", &SparseRows::size)
      .def_prop_ro("n_graphs", &SparseRows::n_graphs)
      .def_prop_ro("n_values", &SparseRows::n_values)
      .def(
          "lengths",
          [](const SparseRows& rows) {
            std::vector<std::int64_t> lengths;
            for (std::size_t j = 0; j < rows.size(); ++j)
              lengths.push_back(static_cast<std::int64_t>(rows.graphs(j).size()));
            return as_array(std::move(lengths));
          },
          "Number of values of each row.")
      .def("joined", &SparseRows::joined, "more"_a, "These rows, and more below.")
      .def(
          "chosen",
          [](const SparseRows& rows, Vector<bool> mask) { return rows.chosen(as_span(mask)); },
          "mask"_a, "Some of the rows.")
      .def(
          "changed",
          [](const SparseRows& rows, Vector<bool> mask, const SparseRows& by) {
            return rows.changed(as_span(mask), by);
          },
          "mask"_a, "by"_a, "With others in the place of some rows.")
      .def(
          "with_values",
          [](const SparseRows& rows, Vector<double> flat) {
            return rows.with_values(as_span(flat));
          },
          "flat"_a, "Other values in the same graphs.")
      .def(
          "flat", [](const SparseRows& rows) { return as_array(rows.flat()); },
          "The values, row by row.")
      .def(
          "dense",
          [](const SparseRows& rows, std::size_t begin, std::size_t end) {
            check_columns(rows, begin, end);
            auto found = without_gil([&] { return rows.dense(begin, end); });
            return as_array(std::move(found), {rows.size(), end - begin});
          },
          "begin"_a, "end"_a, "Graphs begin to end - 1 with all zeros.")
      .def(
          "combined",
          [](const SparseRows& rows, Matrix<double> coef, int n_threads) {
            auto found =
                without_gil([&] { return rows.combined(as_span(coef), coef.shape(1), n_threads); });
            return as_array(std::move(found), {coef.shape(1), rows.n_graphs()});
          },
          "coef"_a, "n_threads"_a = 1, "sum_j coef_jk row_j, a row per output k.")
      .def(
          "dots",
          [](const SparseRows& rows, Matrix<double> weights, int n_threads) {
            if (weights.shape(1) != rows.n_graphs())
              throw std::invalid_argument("weights must have one column per graph");
            auto found = without_gil([&] { return rows.dots(as_span(weights), n_threads); });
            found.resize(rows.size() * weights.shape(0));
            return as_array(std::move(found), {rows.size(), weights.shape(0)});
          },
          "weights"_a, "n_threads"_a = 1, "sum_i row_ji weights_ki, with axes j, k.")
      .def(
          "spread",
          [](const SparseRows& rows, Matrix<double> coef, Matrix<double> weights, int n_threads) {
            auto found = without_gil(
                [&] { return rows.spread(as_span(coef), as_span(weights), n_threads); });
            return as_array(std::move(found));
          },
          "coef"_a, "weights"_a, "n_threads"_a = 1,
          "sum_k coef_jk weights_ki for each value, row by row.")
      .def(
          "n_pairs",
          [](const SparseRows& rows, Vector<double> weights, std::size_t begin, std::size_t end) {
            return rows.n_pairs(as_span(weights), begin, end);
          },
          "weights"_a, "begin"_a, "end"_a, "How many products `gram` adds up.")
      .def(
          "gram",
          [](const SparseRows& rows, Vector<double> weights, std::size_t begin, std::size_t end) {
            auto found = without_gil([&] { return rows.gram(as_span(weights), begin, end); });
            return as_array(std::move(found), {rows.size(), rows.size()});
          },
          "weights"_a, "begin"_a, "end"_a,
          "sum_i weight_i row_ji row_li over columns begin to end - 1 that have a weight.");
}

}  // namespace aglets::python
