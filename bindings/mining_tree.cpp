#include "aglets/mining_tree.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <stdexcept>

#include "aglets/search.hpp"
#include "arrays.hpp"
#include "codes.hpp"
#include "limits.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace aglets::python {

namespace {

NodeRef checked_ref(const MiningTree& tree, std::int64_t id) {
  const auto ref = NodeRef::from_id(id);
  if (!tree.contains(ref)) throw std::out_of_range("the tree has no such node");
  return ref;
}

Query query_from(const MiningTree& tree, const Vector<double>& residual, double rho, int maxpat) {
  if (residual.size() != static_cast<std::size_t>(tree.graphs().size()))
    throw std::invalid_argument("residual must have one entry per graph of the tree");
  return {as_span(residual), rho, maxpat};
}

}  // namespace

void register_mining_tree(nb::module_& module) {
  nb::class_<Starts>(module, "Starts", "Node types and the attributes graphlets start with.")
      .def(
          "__init__",
          [](Starts* self, Vector<std::int32_t> type_labels, Matrix<double> type_starts,
             Matrix<double> edge_starts) {
            new (self) Starts{as_vector<std::int32_t>(type_labels), as_vector<double>(type_starts),
                              as_vector<double>(edge_starts)};
          },
          "type_labels"_a, "type_starts"_a, "edge_starts"_a);

  nb::class_<MiningTree>(module, "MiningTree", "Minimum DFS codes of a training set, on demand.")
      .def(nb::init<std::shared_ptr<const GraphSet>, const Starts&, int>(), "graphs"_a, "starts"_a,
           "maxpat"_a)
      .def_prop_ro("maxpat", &MiningTree::maxpat)
      .def_prop_ro("n_nodes", &MiningTree::n_nodes)
      .def_prop_ro("n_bytes", &MiningTree::n_bytes)
      .def(
          "search",
          [](MiningTree& tree, Vector<double> residual, double rho, double lam, int maxpat,
             double look_ahead, int n_threads, std::optional<std::int64_t> max_nodes,
             std::optional<std::int64_t> max_bytes, std::optional<double> max_seconds) {
            const auto query = query_from(tree, residual, rho, maxpat);
            const auto limits = limits_from(max_nodes, max_bytes, max_seconds);
            auto found = without_gil([&] {
              Budget budget(limits, signal_pending, tree.n_nodes(), tree.n_bytes());
              return find_violators(tree, query, lam, look_ahead, n_threads, budget);
            });
            return nb::make_tuple(as_array(std::move(found.nodes)), as_array(std::move(found.g)),
                                  as_array(std::move(found.g_bar)),
                                  as_array(std::move(found.sizes)), found.n_visited, found.n_made);
          },
          "residual"_a, "rho"_a, "lam"_a, "maxpat"_a, "look_ahead"_a = 1.0, "n_threads"_a = 1,
          "max_nodes"_a = nb::none(), "max_bytes"_a = nb::none(), "max_seconds"_a = nb::none(),
          "(nodes, g, g_bar, sizes, n_visited, n_made) of every tree node with |g| > lam.")
      .def(
          "largest",
          [](MiningTree& tree, Vector<double> residual, double rho, int maxpat,
             std::optional<std::int64_t> max_nodes, std::optional<std::int64_t> max_bytes,
             std::optional<double> max_seconds) {
            const auto query = query_from(tree, residual, rho, maxpat);
            const auto limits = limits_from(max_nodes, max_bytes, max_seconds);
            const auto best = without_gil([&] {
              Budget budget(limits, signal_pending, tree.n_nodes(), tree.n_bytes());
              return find_largest(tree, query, budget);
            });
            return nb::make_tuple(best.value, best.node, best.n_visited, best.n_made);
          },
          "residual"_a, "rho"_a, "maxpat"_a, "max_nodes"_a = nb::none(), "max_bytes"_a = nb::none(),
          "max_seconds"_a = nb::none(),
          "(max |g|, its node or -1, n_visited, n_made) over all graphlets.")
      .def(
          "pattern",
          [](const MiningTree& tree, std::int64_t id) {
            const auto code = tree.code(checked_ref(tree, id));
            return nb::make_tuple(as_array(std::vector<std::int32_t>(code.types())),
                                  edge_array(code.edges()), edge_label_array(code.edges()));
          },
          "node"_a, "(types, edges, edge_labels) of a node, in DFS code order.")
      .def(
          "find",
          [](MiningTree& tree, Vector<std::int32_t> types, Matrix<std::int32_t> edges,
             Vector<std::int32_t> edge_labels) {
            const auto code = code_from(types, edges, edge_labels);
            return without_gil([&] {
              Budget budget({}, signal_pending, tree.n_nodes(), tree.n_bytes());
              return find_node(tree, code, budget);
            });
          },
          "types"_a, "edges"_a, "edge_labels"_a,
          "The node with this code, as `pattern` gives it; -1 if there is none.")
      .def(
          "supports",
          [](const MiningTree& tree, std::int64_t id) {
            const auto ref = checked_ref(tree, id);
            const auto graphs = tree.support_graphs(ref);
            const auto costs = tree.support_costs(ref);
            return nb::make_tuple(as_array(std::vector<std::int32_t>(graphs.begin(), graphs.end())),
                                  as_array(std::vector<double>(costs.begin(), costs.end())));
          },
          "node"_a, "(graphs, costs): where the node's pattern occurs and its initial cost there.");
}

}  // namespace aglets::python
