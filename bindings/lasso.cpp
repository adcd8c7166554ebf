#include "aglets/lasso.hpp"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <stdexcept>

#include "aglets/grams.hpp"
#include "aglets/group_lasso.hpp"
#include "aglets/group_norm.hpp"
#include "arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace aglets::python {

/// A matrix for each output; the outputs are the last axis.
using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void register_lasso(nb::module_& module) {
  module.def(
      "lasso",
      [](Matrix<double> Q, Vector<double> q, Vector<double> penalty, Vector<double> start,
         double tol, int max_sweeps) {
        const auto n = start.size();
        if (Q.shape(0) != n || Q.shape(1) != n || q.size() != n || penalty.size() != n)
          throw std::invalid_argument("Q, q, penalty and start must agree in size");
        auto b = as_vector<double>(start);
        const int sweeps = lasso(as_span(Q), as_span(q), as_span(penalty), b, tol, max_sweeps);
        return nb::make_tuple(as_array(std::move(b)), sweeps);
      },
      "Q"_a, "q"_a, "penalty"_a, "start"_a, "tol"_a, "max_sweeps"_a,
      "(b, sweeps): b minimises 1/2 b'Qb - q'b + sum_j penalty_j |b_j|.");
  module.def(
      "group_lasso",
      [](Cube Q, Vector<std::int32_t> rows, Vector<double> scale, Matrix<double> slope,
         Vector<double> penalty, double sharing, Matrix<double> start, double tol, int max_sweeps) {
        const auto n = start.shape(0), n_outputs = start.shape(1), size = Q.shape(0);
        if (Q.shape(1) != size || (Q.shape(2) != 1 && Q.shape(2) != n_outputs) ||
            rows.size() != n || scale.size() != n_outputs || slope.shape(0) != n ||
            slope.shape(1) != n_outputs || penalty.size() != n)
          throw std::invalid_argument(
              "Q, rows, scale, slope, penalty and start must agree in size");
        for (const auto row : as_span(rows))
          if (row < 0 || static_cast<std::size_t>(row) >= size)
            throw std::invalid_argument("rows must be positions in Q");
        auto B = as_vector<double>(start);
        const GroupProblem problem{as_span(Q),     size,           as_span(rows),
                                   as_span(scale), as_span(slope), as_span(penalty),
                                   sharing};
        int sweeps = 0;
        {
          nb::gil_scoped_release release;
          sweeps = group_lasso(problem, B, tol, max_sweeps);
        }
        return nb::make_tuple(as_array(std::move(B), {n, n_outputs}), sweeps);
      },
      "Q"_a, "rows"_a, "scale"_a, "slope"_a, "penalty"_a, "sharing"_a, "start"_a, "tol"_a,
      "max_sweeps"_a,
      "(B, sweeps): with D the change from the start, B minimises sum_k 1/2 scale_k d_k'Q_k d_k - "
      "slope_k'd_k plus the penalty of rows; Q_k is of the given rows of Q.");
  module.def(
      "grams",
      [](Matrix<double> rows, Matrix<double> weights) {
        const auto n = rows.shape(0), n_graphs = rows.shape(1), n_outputs = weights.shape(0);
        if (weights.shape(1) != n_graphs)
          throw std::invalid_argument("rows and weights must agree in size");
        std::vector<double> found;
        {
          nb::gil_scoped_release release;
          found = grams(as_span(rows), as_span(weights), n_graphs);
        }
        found.resize(n * n * n_outputs);
        return as_array(std::move(found), {n, n, n_outputs});
      },
      "rows"_a, "weights"_a, "sum_i weights_ki rows_ji rows_li, with axes j, l, k.");
  module.def(
      "without_last",
      [](Cube Q) {
        const auto n = Q.shape(0), n_outputs = Q.shape(2);
        if (n == 0 || Q.shape(1) != n) throw std::invalid_argument("Q must be square");
        return as_array(without_last(as_span(Q), n, n_outputs), {n - 1, n - 1, n_outputs});
      },
      "Q"_a, "Q_jl - Q_jz Q_lz / Q_zz of each output, with z the last row.");
  module.def(
      "dual_norms",
      [](Matrix<double> g, double sharing) {
        const auto n = g.shape(0), n_outputs = g.shape(1);
        std::vector<double> norms(n), scratch;
        for (std::size_t i = 0; i < n; ++i)
          norms[i] = dual_norm(as_span(g).subspan(i * n_outputs, n_outputs), sharing, scratch);
        return as_array(std::move(norms));
      },
      "g"_a, "sharing"_a,
      "For each row of g, the smallest lambda at which coefficients with that gradient are zero.");
}

}  // namespace aglets::python
