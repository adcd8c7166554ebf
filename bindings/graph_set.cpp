#include "aglets/graph_set.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>

#include "arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace aglets::python {

void register_graph_set(nb::module_& module) {
  nb::class_<GraphSet>(module, "GraphSet", "Labelled, attributed, undirected graphs in columns.")
      .def(
          "__init__",
          [](GraphSet* self, Vector<std::int64_t> node_offsets, Vector<std::int32_t> labels,
             Matrix<double> attributes, Vector<std::int64_t> edge_offsets,
             Matrix<std::int32_t> edges, std::optional<Vector<std::int32_t>> edge_labels,
             std::optional<Matrix<double>> edge_attributes) {
            GraphColumns columns;
            columns.node_offsets = as_vector<std::int64_t>(node_offsets);
            columns.labels = as_vector<std::int32_t>(labels);
            columns.attributes = as_vector<double>(attributes);
            columns.n_attributes = attributes.shape(1);
            columns.edge_offsets = as_vector<std::int64_t>(edge_offsets);
            columns.edges = as_vector<std::int32_t>(edges);
            if (edge_labels) columns.edge_labels = as_vector<std::int32_t>(*edge_labels);
            if (edge_attributes) {
              columns.edge_attributes = as_vector<double>(*edge_attributes);
              columns.n_edge_attributes = edge_attributes->shape(1);
            }
            new (self) GraphSet(std::move(columns));
          },
          "node_offsets"_a, "labels"_a, "attributes"_a, "edge_offsets"_a, "edges"_a,
          "edge_labels"_a = nb::none(), "edge_attributes"_a = nb::none())
      .def("__len__", &GraphSet::size)
      .def_prop_ro("n_attributes", &GraphSet::n_attributes)
      .def_prop_ro("n_edge_attributes", &GraphSet::n_edge_attributes)
      .def_prop_ro("n_labels", &GraphSet::n_labels)
      .def_prop_ro("n_edge_labels", &GraphSet::n_edge_labels);
}

}  // namespace aglets::python
