#include "aglets/budget.hpp"

#include <nanobind/nanobind.h>

#include "limits.hpp"

namespace nb = nanobind;

namespace aglets::python {

Limits limits_from(std::optional<std::int64_t> work, std::optional<std::int64_t> nodes,
                   std::optional<std::int64_t> bytes, std::optional<double> seconds) {
  Limits limits;
  if (work) limits.work = *work;
  if (nodes) limits.nodes = *nodes;
  if (bytes) limits.bytes = *bytes;
  if (seconds) limits.seconds = *seconds;
  return limits;
}

bool signal_pending() {
  const nb::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

void register_budget(nb::module_& module) {
  nb::exception<BudgetExceeded>(module, "BudgetError", PyExc_RuntimeError);
}

}  // namespace aglets::python
