#include "aglets/matching.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "aglets/batch_matching.hpp"
#include "aglets/graphlet_bank.hpp"
#include "aglets/occurrences.hpp"
#include "aglets/place_matching.hpp"
#include "arrays.hpp"
#include "limits.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace aglets::python {

namespace {

Pattern pattern_from(const Vector<std::int32_t>& labels, const Matrix<std::int32_t>& edges,
                     const Vector<std::int32_t>& edge_labels) {
  if (edges.shape(1) != 2 || edges.shape(0) != edge_labels.size())
    throw std::invalid_argument("edges must be pairs, one label each");
  Pattern pattern{as_vector<std::int32_t>(labels), {}};
  for (std::size_t i = 0; i < edges.shape(0); ++i)
    pattern.edges.push_back({edges(i, 0), edges(i, 1), edge_labels(i)});
  return pattern;
}

template <class Array>
auto optional_span(const std::optional<Array>& array) {
  return array ? as_span(*array) : decltype(as_span(*array))();
}

}  // namespace

void register_matching(nb::module_& module) {
  nb::class_<Pattern>(module, "Pattern", "A connected labelled graph to be matched.")
      .def(
          "__init__",
          [](Pattern* self, Vector<std::int32_t> labels, Matrix<std::int32_t> edges,
             Vector<std::int32_t> edge_labels) {
            auto pattern = pattern_from(labels, edges, edge_labels);
            check_pattern(pattern);
            new (self) Pattern(std::move(pattern));
          },
          "labels"_a, "edges"_a, "edge_labels"_a);

  module.def(
      "match",
      [](const GraphSet& graphs, const std::vector<Pattern>& patterns,
         const std::vector<Vector<double>>& z, int n_threads, std::optional<double> max_seconds) {
        std::vector<FlatAttributes> attributes;
        for (const auto& flat : z) attributes.push_back(as_span(flat));
        const auto n_graphs = static_cast<std::size_t>(graphs.size());
        auto all = without_gil([&] {
          Budget budget(limits_from({}, {}, {}, max_seconds), signal_pending);
          return match_patterns(graphs, patterns, attributes, n_threads, budget);
        });
        return nb::make_tuple(as_array(std::move(all.costs), {patterns.size(), n_graphs}),
                              as_array(std::move(all.nodes)));
      },
      "graphs"_a, "patterns"_a, "z"_a, "n_threads"_a = 1, "max_seconds"_a = nb::none(),
      "(costs, nodes): minimum cost of each pattern (row) in each graph (column), infinite where "
      "there is no embedding, and the nodes of the best embeddings, pattern by pattern and graph "
      "by graph, -1 where there is none.");

  module.def(
      "find_places",
      [](const GraphSet& graphs, const std::vector<Pattern>& patterns,
         const std::vector<Vector<double>>& z, int n_threads, std::optional<double> max_seconds) {
        std::vector<FlatAttributes> attributes;
        for (const auto& flat : z) attributes.push_back(as_span(flat));
        const auto n_graphs = static_cast<std::size_t>(graphs.size());
        auto all = without_gil([&] {
          Budget budget(limits_from({}, {}, {}, max_seconds), signal_pending);
          return find_places(graphs, patterns, attributes, n_threads, budget);
        });
        return nb::make_tuple(as_array(std::move(all.n_places), {patterns.size(), n_graphs}),
                              as_array(std::move(all.costs)), as_array(std::move(all.nodes)));
      },
      "graphs"_a, "patterns"_a, "z"_a, "n_threads"_a = 1, "max_seconds"_a = nb::none(),
      "(n_places, costs, nodes): how many images the root of each pattern (row) has in each graph "
      "(column), the minimum cost of each, cheapest first, and the nodes of its best embedding.");

  module.def(
      "find_occurrences",
      [](const GraphSet& graphs, const Pattern& pattern, Vector<double> z,
         std::int64_t max_embeddings, std::optional<double> max_seconds) {
        auto found = without_gil([&] {
          Budget budget(limits_from({}, {}, {}, max_seconds), signal_pending);
          return find_occurrences(graphs, pattern, as_span(z),
                                  static_cast<std::size_t>(max_embeddings), budget);
        });
        return nb::make_tuple(as_array(std::move(found.offsets)), as_array(std::move(found.costs)),
                              as_array(std::move(found.nodes)),
                              as_array(std::move(found.complete)));
      },
      "graphs"_a, "pattern"_a, "z"_a, "max_embeddings"_a, "max_seconds"_a = nb::none(),
      "(offsets, costs, nodes, complete): for each graph the distinct node sets that hold the "
      "pattern, the best first, and whether all of them are listed.");

  nb::class_<GraphletBank>(module, "GraphletBank", "Patterns in training, matched repeatedly.")
      .def(nb::init<std::shared_ptr<const GraphSet>, std::int64_t>(), "graphs"_a, "table_bytes"_a)
      .def("__len__", &GraphletBank::size)
      .def(
          "add",
          [](GraphletBank& bank, const Pattern& pattern, Vector<std::int32_t> support,
             Pooling pooling, CountScale count_scale) {
            auto graphs = as_vector<std::int32_t>(support);
            return without_gil([&] {
              Budget budget({}, signal_pending);
              Ticker ticker(budget);
              return bank.add(pattern, std::move(graphs), ticker, {pooling, count_scale});
            });
          },
          "pattern"_a, "support"_a, "pooling"_a = Pooling::best, "count_scale"_a = CountScale::raw,
          "Take up a pattern that exactly these graphs contain.")
      .def(
          "find_support",
          [](const GraphletBank& bank, const Pattern& pattern) {
            return as_array(without_gil([&] {
              Budget budget({}, signal_pending);
              Ticker ticker(budget);
              return bank.find_support(pattern, ticker);
            }));
          },
          "pattern"_a, "Graphs that contain a pattern.")
      .def("has_table", &GraphletBank::has_table, "handle"_a)
      .def(
          "support",
          [](const GraphletBank& bank, std::int32_t handle) {
            return as_array(std::vector<std::int32_t>(bank.support(handle)));
          },
          "handle"_a)
      .def(
          "place_graphs",
          [](const GraphletBank& bank, std::int32_t handle) {
            return as_array(std::vector<std::int32_t>(bank.place_graphs(handle)));
          },
          "handle"_a,
          "The graph of each place: one per image of the root if the graphlet counts, else one per "
          "supporting graph.")
      .def("n_places", &GraphletBank::n_places, "handle"_a)
      .def("n_attributes", &GraphletBank::n_attributes, "handle"_a)
      .def("n_sites", &GraphletBank::n_sites, "handle"_a)
      .def(
          "match",
          [](const GraphletBank& bank, Vector<std::int32_t> handles, Vector<double> z,
             std::optional<Vector<std::int32_t>> previous, int n_threads) {
            const auto n_graphs = static_cast<std::size_t>(bank.graphs().size());
            auto all = without_gil([&] {
              Budget budget({}, signal_pending);
              return match_bank(bank, as_span(handles), as_span(z), optional_span(previous),
                                n_threads, budget);
            });
            return nb::make_tuple(as_array(std::move(all.costs), {handles.size(), n_graphs}),
                                  as_array(std::move(all.nodes)));
          },
          "handles"_a, "z"_a, "previous"_a = nb::none(), "n_threads"_a = 1,
          "(costs, embedding) at attributes z, flat in the order of the handles.")
      .def(
          "pull",
          [](const GraphletBank& bank, Vector<std::int32_t> handles, Vector<double> z,
             Vector<std::int32_t> embedding, Vector<double> weights, int n_threads) {
            auto sum = without_gil([&] {
              return pull_bank(bank, as_span(handles), as_span(z), as_span(embedding),
                               as_span(weights), n_threads);
            });
            return as_array(std::move(sum));
          },
          "handles"_a, "z"_a, "embedding"_a, "weights"_a, "n_threads"_a = 1,
          "sum_i w_i (z - x_i), flat as z; weights has a number per graphlet and supporting graph.")
      .def(
          "match_places",
          [](const GraphletBank& bank, Vector<std::int32_t> handles, Vector<double> z,
             std::optional<Vector<std::int32_t>> previous, int n_threads) {
            auto all = without_gil([&] {
              Budget budget({}, signal_pending);
              return match_places(bank, as_span(handles), as_span(z), optional_span(previous),
                                  n_threads, budget);
            });
            return nb::make_tuple(as_array(std::move(all.costs)), as_array(std::move(all.nodes)));
          },
          "handles"_a, "z"_a, "previous"_a = nb::none(), "n_threads"_a = 1,
          "(costs, embedding) of all places at attributes z, flat in the order of the handles.")
      .def(
          "pool",
          [](const GraphletBank& bank, Vector<std::int32_t> handles, Vector<double> scores,
             int n_threads) {
            return without_gil(
                [&] { return pool_places(bank, as_span(handles), as_span(scores), n_threads); });
          },
          "handles"_a, "scores"_a, "n_threads"_a = 1,
          "Values of graphlets (rows) on graphs (columns) from the score exp(-rho cost) of each "
          "place.")
      .def(
          "pull_places",
          [](const GraphletBank& bank, Vector<std::int32_t> handles, Vector<double> z,
             Vector<std::int32_t> embedding, Vector<double> scores, Vector<double> weights,
             int n_threads) {
            auto sum = without_gil([&] {
              return pull_places(bank, as_span(handles), as_span(z), as_span(embedding),
                                 as_span(scores), as_span(weights), n_threads);
            });
            return as_array(std::move(sum));
          },
          "handles"_a, "z"_a, "embedding"_a, "scores"_a, "weights"_a, "n_threads"_a = 1,
          "The z-gradient of sum c value for weights -2 rho c, flat as z; weights has a number per "
          "graphlet and supporting graph.");
}

}  // namespace aglets::python
