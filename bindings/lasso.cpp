#include "aglets/lasso.hpp"

#include <nanobind/nanobind.h>

#include <stdexcept>

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
}

}  // namespace aglets::python
