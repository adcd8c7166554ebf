#include "aglets/enumeration.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "codes.hpp"
#include "limits.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace aglets::python {

namespace {

/// Calls `walk` with starting costs and a budget, while other Python threads run.
template <class Walk>
auto walked(const GraphSet& graphs, const Starts& starts, const Limits& limits, Walk&& walk) {
  return without_gil([&] {
    const StartCosts costs(graphs, starts);
    Budget budget(limits, signal_pending);
    return walk(costs, budget);
  });
}

}  // namespace

void register_enumeration(nb::module_& module) {
  module.def(
      "count_patterns",
      [](const GraphSet& graphs, const Starts& starts, int maxpat, int n_threads,
         std::optional<std::int64_t> max_work, std::optional<std::int64_t> max_bytes,
         std::optional<double> max_seconds) {
        const auto limits = limits_from(max_work, {}, max_bytes, max_seconds);
        const auto found = walked(graphs, starts, limits, [&](const auto& costs, Budget& budget) {
          return count_patterns(graphs, costs, maxpat, n_threads, budget);
        });
        return std::pair(found.by_size, found.complete);
      },
      "graphs"_a, "starts"_a, "maxpat"_a, "n_threads"_a = 1, "max_work"_a = nb::none(),
      "max_bytes"_a = nb::none(), "max_seconds"_a = nb::none(),
      "(Number of patterns by (nodes, edges), whether the budget lasted until all were counted).");

  module.def(
      "frequent_patterns",
      [](const GraphSet& graphs, const Starts& starts, int maxpat, std::size_t min_support,
         int n_threads, std::optional<std::int64_t> max_work, std::optional<std::int64_t> max_bytes,
         std::optional<double> max_seconds) {
        const auto limits = limits_from(max_work, {}, max_bytes, max_seconds);
        auto found = walked(graphs, starts, limits, [&](const auto& costs, Budget& budget) {
          FrequentVisitor visitor(min_support);
          walk_patterns(graphs, costs, maxpat, n_threads, budget, visitor);
          return std::move(visitor.found);
        });
        nb::list patterns;
        for (auto& pattern : found) {
          patterns.append(nb::make_tuple(as_array(std::move(pattern.types)),
                                         edge_array(pattern.edges), edge_label_array(pattern.edges),
                                         as_array(std::move(pattern.graphs)),
                                         as_array(std::move(pattern.costs))));
        }
        return patterns;
      },
      "graphs"_a, "starts"_a, "maxpat"_a, "min_support"_a, "n_threads"_a = 1,
      "max_work"_a = nb::none(), "max_bytes"_a = nb::none(), "max_seconds"_a = nb::none(),
      "(types, edges, edge_labels, graphs, costs) of each pattern with this support or more.");
}

}  // namespace aglets::python
