#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace aglets::python {
void register_budget(nb::module_& module);
void register_graph_set(nb::module_& module);
void register_enumeration(nb::module_& module);
void register_mining_tree(nb::module_& module);
void register_sparse_rows(nb::module_& module);
void register_matching(nb::module_& module);
void register_lasso(nb::module_& module);
}  // namespace aglets::python

NB_MODULE(_core, module) {
  module.doc() = "The compiled core of aglets: graphs, mining tree, matching.";
  aglets::python::register_budget(module);
  aglets::python::register_graph_set(module);
  aglets::python::register_enumeration(module);
  aglets::python::register_mining_tree(module);
  aglets::python::register_sparse_rows(module);
  aglets::python::register_matching(module);
  aglets::python::register_lasso(module);
}
