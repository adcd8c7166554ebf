#include "core_case.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "aglets/branch_and_bound.hpp"
#include "aglets/enumeration.hpp"
#include "aglets/graphlet_bank.hpp"
#include "aglets/search.hpp"
#include "aglets/tie_order.hpp"

using namespace aglets;

namespace {

void require(bool holds, const std::string& fact) {
  if (!holds) throw std::logic_error("not so: " + fact);
}

/// Bytes one after another, and zeros once they are used up.
class Bytes {
public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  int next() { return at_ < bytes_.size() ? bytes_[at_++] : 0; }
  int below(int limit) { return next() % limit; }
  bool flag() { return (next() & 1) != 0; }
  /// Few different values, so that costs tie.
  double value() { return (next() % 9 - 4) / 2.0; }

private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

GraphColumns read_columns(Bytes& bytes) {
  GraphColumns columns;
  columns.node_offsets = columns.edge_offsets = {0};
  columns.n_attributes = static_cast<std::size_t>(bytes.below(3));
  columns.n_edge_attributes = static_cast<std::size_t>(bytes.below(2));
  const bool has_edge_labels = bytes.flag();
  const int n_graphs = bytes.below(4), n_labels = 1 + bytes.below(3);
  for (int graph = 0; graph < n_graphs; ++graph) {
    const int n = bytes.below(7);
    for (int node = 0; node < n; ++node) {
      columns.labels.push_back(bytes.below(n_labels + 1) - (bytes.next() > 250 ? 1 : 0));
      for (std::size_t i = 0; i < columns.n_attributes; ++i)
        columns.attributes.push_back(bytes.value());
    }
    for (int u = 0; u < n; ++u) {
      for (int v = u + 1; v < n; ++v) {
        if (!bytes.flag()) continue;
        columns.edges.insert(columns.edges.end(), {u, v});
        if (has_edge_labels) columns.edge_labels.push_back(bytes.below(2));
        for (std::size_t i = 0; i < columns.n_edge_attributes; ++i)
          columns.edge_attributes.push_back(bytes.value());
      }
    }
    columns.node_offsets.push_back(static_cast<std::int64_t>(columns.labels.size()));
    columns.edge_offsets.push_back(static_cast<std::int64_t>(columns.edges.size() / 2));
  }
  return columns;
}

/// Columns with a fault somewhere are refused, or they are graphs after all.
void damage(GraphColumns& columns, Bytes& bytes) {
  const auto any = [&](auto& values) -> auto* {
    return values.empty() ? nullptr
                          : &values[static_cast<std::size_t>(bytes.next()) % values.size()];
  };
  const auto wild = [&] { return bytes.next() - 128; };
  switch (bytes.below(6)) {
    case 0:
      if (auto* place = any(columns.node_offsets)) *place = wild();
      break;
    case 1:
      if (auto* place = any(columns.edge_offsets)) *place = wild();
      break;
    case 2:
      if (auto* place = any(columns.edges)) *place = wild();
      break;
    case 3:
      if (auto* place = any(columns.labels)) *place = wild();
      break;
    case 4:
      columns.attributes.resize(static_cast<std::size_t>(bytes.next()));
      break;
    default:
      if (!columns.edge_labels.empty()) columns.edge_labels.pop_back();
      break;
  }
}

Starts read_starts(const GraphSet& graphs, Bytes& bytes) {
  Starts starts;
  for (std::int32_t label = 0; label < graphs.n_labels(); ++label)
    for (int copy = 0; copy <= (bytes.next() > 200 ? 1 : 0); ++copy) {
      starts.type_labels.push_back(label);
      for (std::size_t i = 0; i < graphs.n_attributes(); ++i)
        starts.type_starts.push_back(bytes.value());
    }
  for (std::size_t i = 0; i < graphs.n_edge_labels() * graphs.n_edge_attributes(); ++i)
    starts.edge_starts.push_back(bytes.value());
  return starts;
}

using Found = std::vector<FrequentVisitor::Found>;

Found all_patterns(const GraphSet& graphs, const StartCosts& costs, int maxpat, int n_threads) {
  Budget budget({});
  FrequentVisitor visitor(1);
  walk_patterns(graphs, costs, maxpat, n_threads, budget, visitor);
  return std::move(visitor.found);
}

DfsCode code_of(const FrequentVisitor::Found& pattern) {
  DfsCode code(pattern.types[0]);
  for (const auto& edge : pattern.edges) code.push(edge, pattern.types[edge.to]);
  return code;
}

void compare_patterns(const Found& one, const Found& many) {
  require(one.size() == many.size(), "threads count the same patterns");
  std::set<std::vector<std::int32_t>> codes;
  for (std::size_t i = 0; i < one.size(); ++i) {
    require(one[i].types == many[i].types && one[i].costs == many[i].costs,
            "threads meet patterns in one order");
    require(is_minimum(code_of(one[i])), "codes of the tree are minimum");
    auto key = one[i].types;
    for (const auto& edge : one[i].edges) key.insert(key.end(), {edge.from, edge.to, edge.label});
    require(codes.insert(key).second, "a pattern is met once");
  }
}

/// Violators by the bound against all patterns.
void compare_search(const std::shared_ptr<const GraphSet>& graphs, const Starts& starts,
                    const Found& all, int maxpat, Bytes& bytes) {
  std::vector<double> residual;
  for (std::int32_t graph = 0; graph < graphs->size(); ++graph) residual.push_back(bytes.value());
  const Query query{residual, 0.5, maxpat};
  const double lam = 0.1 + bytes.below(8) / 4.0;
  std::size_t expected = 0;
  bool is_clear = true;  // no gradient so close to lambda that rounding decides
  double largest = 0.0;
  for (const auto& pattern : all) {
    double g = 0.0;
    for (std::size_t i = 0; i < pattern.graphs.size(); ++i)
      g += residual[pattern.graphs[i]] * std::exp(-0.5 * pattern.costs[i]);
    expected += std::abs(g) > lam;
    is_clear = is_clear && std::abs(std::abs(g) - lam) > 1e-9;
    largest = std::max(largest, std::abs(g));
  }
  MiningTree tree(graphs, starts, maxpat);
  Budget unlimited({});
  Limits limits;
  limits.work = 16 * bytes.next();
  std::vector<std::int64_t> nodes, work;
  for (const int n_threads : {1, 2}) {
    MiningTree limited(graphs, starts, maxpat);
    Budget budget(limits);
    try {
      find_violators(limited, query, lam, 0.3, n_threads, budget);
    } catch (const BudgetExceeded&) {
    }
    nodes.push_back(limited.n_nodes());
    work.push_back(limited.work_spent());
    const auto after = find_violators(limited, query, lam, 0.3, n_threads, unlimited);
    require(!is_clear || after.nodes.size() == expected, "a cut search goes on rightly");
  }
  require(nodes[0] == nodes[1] && work[0] == work[1], "threads cut at one place");
  require(std::abs(find_largest(tree, query, unlimited).value - largest) < 1e-9,
          "the largest gradient is found");
  require(!is_clear || find_violators(tree, query, lam, 1.0, 1, unlimited).nodes.size() == expected,
          "no violator is lost");
}

/// All matchers on one pattern, trained a little.
void compare_matchers(const std::shared_ptr<const GraphSet>& graphs, const Pattern& pattern,
                      Bytes& bytes) {
  std::vector<double> z(flat_size(pattern, *graphs));
  for (auto& value : z) value = bytes.value();
  Budget budget({});
  Ticker ticker(budget);
  const PatternMatcher matcher(*graphs, pattern);
  for (std::int32_t graph = 0; graph < graphs->size(); ++graph) {
    const auto best = matcher.best(graph, z, {}, ticker);
    require(matcher.occurs(graph, ticker) == !best.nodes.empty(),
            "an embedding is where it occurs");
    if (best.nodes.empty()) continue;
    const TieOrder order(*graphs, graph, pattern);
    const auto agrees = [&](double cost, const std::vector<std::int32_t>& nodes) {
      return std::abs(cost - best.cost) < 1e-9 && !order.precedes(nodes, best.nodes) &&
             !order.precedes(best.nodes, nodes);
    };
    const auto bounded = branch_and_bound(*graphs, graph, pattern, z, {HUGE_VAL, {}}, ticker);
    require(agrees(bounded.cost, bounded.nodes), "branch and bound agrees with backtracking");
    require(matcher.best(graph, z, best.nodes, ticker).nodes == best.nodes, "the best stays");
    GraphletBank bank(graphs, 1 << 20);
    bank.add(pattern, {graph}, ticker);
    std::vector<double> costs(1);
    std::vector<std::int32_t> sites(pattern.labels.size());
    bank.match(0, z, {}, costs, sites, ticker);
    require(agrees(costs[0], sites), "a table agrees with backtracking");
  }
}

/// A pattern out of nowhere, which may be none.
Pattern wild_pattern(Bytes& bytes) {
  Pattern pattern;
  const int n = bytes.below(6);
  for (int node = 0; node < n; ++node) pattern.labels.push_back(bytes.below(4) - 1);
  const int n_edges = bytes.below(8);
  for (int edge = 0; edge < n_edges; ++edge)
    pattern.edges.push_back({bytes.below(7) - 1, bytes.below(7) - 1, bytes.below(3) - 1});
  return pattern;
}

Pattern labelled(const FrequentVisitor::Found& found, const StartCosts& costs) {
  Pattern pattern;
  for (const auto type : found.types) pattern.labels.push_back(costs.label_of(type));
  for (const auto& edge : found.edges) pattern.edges.push_back({edge.from, edge.to, edge.label});
  return pattern;
}

}  // namespace

void run_core_case(std::span<const std::uint8_t> input) {
  Bytes bytes(input);
  auto columns = read_columns(bytes);
  const bool is_damaged = bytes.next() > 220;
  if (is_damaged) damage(columns, bytes);
  std::shared_ptr<const GraphSet> graphs;
  try {
    graphs = std::make_shared<const GraphSet>(std::move(columns));
  } catch (const std::invalid_argument&) {
    require(is_damaged, "sound columns are taken");
    return;
  }
  try {
    const auto pattern = wild_pattern(bytes);
    check_pattern(pattern);
    compare_matchers(graphs, pattern, bytes);
  } catch (const std::invalid_argument&) {
  }
  if (graphs->n_labels() > 8) return;
  const auto starts = read_starts(*graphs, bytes);
  const StartCosts costs(*graphs, starts);
  const int maxpat = 1 + bytes.below(5);
  const auto all = all_patterns(*graphs, costs, maxpat, 1);
  compare_patterns(all, all_patterns(*graphs, costs, maxpat, 3));
  compare_search(graphs, starts, all, maxpat, bytes);
  if (!all.empty())
    compare_matchers(
        graphs, labelled(all[static_cast<std::size_t>(bytes.next()) % all.size()], costs), bytes);
}
