#include "aglets/mining_tree.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "aglets/root_costs.hpp"
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

void check_refs(const MiningTree& tree, const Vector<std::int64_t>& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) checked_ref(tree, nodes(i));
}

Query query_from(const MiningTree& tree, const Matrix<double>& residual, double rho, int maxpat,
                 const std::vector<Pooling>& pooling, CountScale scale, double sharing) {
  if (residual.shape(1) != static_cast<std::size_t>(tree.graphs().size()) || residual.shape(0) == 0)
    throw std::invalid_argument("residual must have a row per output and a column per graph");
  if (pooling.empty() || pooling.size() > 32)
    throw std::invalid_argument("pooling must name from 1 to 32 channels");
  Query query{as_span(residual), rho, maxpat, {}, residual.shape(0), sharing};
  for (const auto one : pooling) query.channels.push_back({one, scale});
  return query;
}

}  // namespace

void register_mining_tree(nb::module_& module) {
  nb::enum_<Pooling>(module, "Pooling", "How scores at root images become one number per graph.")
      .value("best", Pooling::best)
      .value("sum", Pooling::sum)
      .value("mean", Pooling::mean);
  nb::enum_<CountScale>(module, "CountScale", "What is taken of a sum or a mean.")
      .value("raw", CountScale::raw)
      .value("root", CountScale::root);

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
      .def_prop_ro("work_spent", &MiningTree::work_spent)
      .def_prop_ro("keeps_roots", &MiningTree::keeps_roots)
      .def(
          "growth",
          [](MiningTree& tree) {
            auto counts = without_gil([&] { return growth_of(tree); });
            const auto n = counts.size() / 2;
            return as_array(std::move(counts), {n, 2});
          },
          "Numbers of backward and forward children plus one, 0 if not made, in tree order.")
      .def(
          "grow_as",
          [](MiningTree& tree, Matrix<std::int32_t> growth, bool keeps_roots) {
            const std::span<const std::int32_t> counts(growth.data(), growth.size());
            without_gil([&] {
              Budget budget({}, signal_pending);
              grow_as(tree, counts, keeps_roots, budget);
            });
          },
          "growth"_a, "keeps_roots"_a, "Grow a new tree to the state of another one.")
      .def(
          "search",
          [](MiningTree& tree, Matrix<double> residual, double rho, double lam, int maxpat,
             const std::vector<Pooling>& pooling, CountScale count_scale, double sharing,
             double look_ahead, int n_threads, std::optional<std::int64_t> max_work,
             std::optional<std::int64_t> max_nodes, std::optional<std::int64_t> max_bytes,
             std::optional<double> max_seconds) {
            const auto query =
                query_from(tree, residual, rho, maxpat, pooling, count_scale, sharing);
            const auto limits = limits_from(max_work, max_nodes, max_bytes, max_seconds);
            auto found = without_gil([&] {
              Budget budget(limits, signal_pending);
              return find_violators(tree, query, lam, look_ahead, n_threads, budget);
            });
            const auto n = found.nodes.size(), n_outputs = query.n_outputs;
            return nb::make_tuple(
                as_array(std::move(found.nodes)), as_array(std::move(found.g), {n, n_outputs}),
                as_array(std::move(found.g_bar), {n, n_outputs}), as_array(std::move(found.sizes)),
                found.n_visited, found.n_made, as_array(std::move(found.channels)),
                as_array(std::move(found.norms)));
          },
          "residual"_a, "rho"_a, "lam"_a, "maxpat"_a, "pooling"_a, "count_scale"_a, "sharing"_a,
          "look_ahead"_a = 1.0, "n_threads"_a = 1, "max_work"_a = nb::none(),
          "max_nodes"_a = nb::none(), "max_bytes"_a = nb::none(), "max_seconds"_a = nb::none(),
          "(nodes, g, g_bar, sizes, n_visited, n_made, channels, norms) of every tree node and "
          "channel whose g exceeds lam; g and g_bar have a column per output.")
      .def(
          "largest",
          [](MiningTree& tree, Matrix<double> residual, double rho, int maxpat,
             const std::vector<Pooling>& pooling, CountScale count_scale, double sharing,
             std::optional<std::int64_t> max_work, std::optional<std::int64_t> max_nodes,
             std::optional<std::int64_t> max_bytes, std::optional<double> max_seconds) {
            const auto query =
                query_from(tree, residual, rho, maxpat, pooling, count_scale, sharing);
            const auto limits = limits_from(max_work, max_nodes, max_bytes, max_seconds);
            const auto best = without_gil([&] {
              Budget budget(limits, signal_pending);
              return find_largest(tree, query, budget);
            });
            return nb::make_tuple(best.value, best.node, best.n_visited, best.n_made);
          },
          "residual"_a, "rho"_a, "maxpat"_a, "pooling"_a, "count_scale"_a, "sharing"_a,
          "max_work"_a = nb::none(), "max_nodes"_a = nb::none(), "max_bytes"_a = nb::none(),
          "max_seconds"_a = nb::none(),
          "(max |g|, its node or -1, n_visited, n_made) over all graphlets and channels.")
      .def_prop_ro(
          "roots",
          [](const MiningTree& tree) {
            std::vector<std::int64_t> nodes;
            std::vector<std::int32_t> types;
            for (std::int32_t root = 0; root < tree.n_roots(); ++root) {
              nodes.push_back(NodeRef{0, root}.id());
              types.push_back(tree.node({0, root}).to_type);
            }
            return nb::make_tuple(as_array(std::move(nodes)), as_array(std::move(types)));
          },
          "(nodes, types) of the patterns of one node.")
      .def(
          "children",
          [](MiningTree& tree, Vector<std::int64_t> nodes, int maxpat,
             std::optional<std::int64_t> max_work, std::optional<std::int64_t> max_nodes,
             std::optional<std::int64_t> max_bytes, std::optional<double> max_seconds) {
            check_refs(tree, nodes);
            const auto limits = limits_from(max_work, max_nodes, max_bytes, max_seconds);
            auto found = without_gil([&] {
              Budget budget(limits, signal_pending);
              return find_children(tree, as_span(nodes), maxpat, budget);
            });
            const auto count = found.nodes.size();
            return nb::make_tuple(
                as_array(std::move(found.parents)), as_array(std::move(found.nodes)),
                as_array(std::move(found.edges), {count, 3}), as_array(std::move(found.to_types)));
          },
          "nodes"_a, "maxpat"_a, "max_work"_a = nb::none(), "max_nodes"_a = nb::none(),
          "max_bytes"_a = nb::none(), "max_seconds"_a = nb::none(),
          "(parents, nodes, edges, to_types) of the children of some nodes.")
      .def(
          "signed_sums",
          [](MiningTree& tree, Vector<std::int64_t> nodes, Matrix<double> residual, double rho,
             const std::vector<Pooling>& pooling, CountScale count_scale,
             std::optional<std::int64_t> max_work, std::optional<std::int64_t> max_nodes,
             std::optional<std::int64_t> max_bytes, std::optional<double> max_seconds) {
            check_refs(tree, nodes);
            const auto query =
                query_from(tree, residual, rho, tree.maxpat(), pooling, count_scale, 1.0);
            const auto limits = limits_from(max_work, max_nodes, max_bytes, max_seconds);
            auto sums = without_gil([&] {
              Budget budget(limits, signal_pending);
              return find_signed_sums(tree, as_span(nodes), query, budget);
            });
            const auto n = nodes.size(), n_channels = pooling.size(), n_outputs = query.n_outputs;
            return nb::make_tuple(as_array(std::move(sums.up), {n, n_channels, n_outputs}),
                                  as_array(std::move(sums.down), {n, n_channels, n_outputs}));
          },
          "nodes"_a, "residual"_a, "rho"_a, "pooling"_a, "count_scale"_a, "max_work"_a = nb::none(),
          "max_nodes"_a = nb::none(), "max_bytes"_a = nb::none(), "max_seconds"_a = nb::none(),
          "(up, down), by node, channel and output: sums of a_i values_i with a_i > 0, and of "
          "-a_i values_i with a_i < 0.")
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
              Budget budget({}, signal_pending);
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
          "node"_a, "(graphs, costs): where the node's pattern occurs and its initial cost there.")
      .def(
          "root_costs",
          [](MiningTree& tree, std::int64_t id) {
            const auto ref = checked_ref(tree, id);
            const auto by_support = without_gil([&] {
              Budget budget({}, signal_pending);
              return root_costs_of(tree, ref, budget);
            });
            std::vector<std::int32_t> graphs;
            std::vector<double> costs;
            for (const auto& [graph, cost] : by_support) {
              graphs.push_back(graph);
              costs.push_back(cost);
            }
            return nb::make_tuple(as_array(std::move(graphs)), as_array(std::move(costs)));
          },
          "node"_a,
          "(graphs, costs): for each image of the root its graph and its initial cost, ascending "
          "within a graph.");
}

}  // namespace aglets::python
