#include "aglets/lasso.hpp"

#include <nanobind/nanobind.h>

#include <stdexcept>

#include "aglets/group_lasso.hpp"
#include "aglets/group_norm.hpp"
#include "arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace aglets::python {

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
      [](nb::ndarray<const double, nb::c_contig, nb::device::cpu> Q, Vector<double> scale,
         Matrix<double> q, Vector<double> penalty, double sharing, Matrix<double> start, double tol,
         int max_sweeps) {
        const auto n = start.shape(0), n_outputs = start.shape(1);
        const bool one = Q.size() == n * n;
        if ((!one && Q.size() != n * n * n_outputs) || scale.size() != n_outputs ||
            q.shape(0) != n || q.shape(1) != n_outputs || penalty.size() != n)
          throw std::invalid_argument("Q, scale, q, penalty and start must agree in size");
        auto B = as_vector<double>(start);
        const GroupProblem problem{as_span(Q), as_span(scale), as_span(q), as_span(penalty),
                                   sharing};
        int sweeps = 0;
        {
          nb::gil_scoped_release release;
          sweeps = group_lasso(problem, B, tol, max_sweeps);
        }
        return nb::make_tuple(as_array(std::move(B), {n, n_outputs}), sweeps);
      },
      "Q"_a, "scale"_a, "q"_a, "penalty"_a, "sharing"_a, "start"_a, "tol"_a, "max_sweeps"_a,
      "(B, sweeps): B minimises sum_k 1/2 scale_k b_k'Q_k b_k - q_k'b_k plus the penalty of rows.");
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
