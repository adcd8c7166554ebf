#include "aglets/dfs_code.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <set>
#include <tuple>

#include "aglets/enumeration.hpp"
#include "check.hpp"
#include "graphs.hpp"

using namespace aglets;

namespace {

using Structure = std::pair<std::vector<std::int32_t>, std::set<std::pair<int, int>>>;

/// The smallest relabelling over all permutations: equal exactly for isomorphic patterns.
Structure canonical(const DfsCode& code) {
  std::vector<int> order(code.n_nodes());
  for (int i = 0; i < code.n_nodes(); ++i) order[i] = i;
  Structure best;
  do {
    Structure found;
    found.first.resize(order.size());
    for (int node = 0; node < code.n_nodes(); ++node) found.first[order[node]] = code.type(node);
    for (const auto& edge : code.edges())
      found.second.insert(std::minmax(order[edge.from], order[edge.to]));
    if (best.first.empty() || found < best) best = found;
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

class Collect final : public PatternVisitor {
public:
  bool visit(const DfsCode& code, const std::vector<Support>& supports, Account&) override {
    REQUIRE(is_minimum(code));
    ++seen[canonical(code)];
    n_supports += static_cast<int>(supports.size());
    return true;
  }
  std::unique_ptr<PatternVisitor> fresh() const override { return std::make_unique<Collect>(); }
  void join(PatternVisitor& other) override {
    for (const auto& [structure, count] : static_cast<Collect&>(other).seen)
      seen[structure] += count;
    n_supports += static_cast<Collect&>(other).n_supports;
  }

  std::map<Structure, int> seen;
  int n_supports = 0;
};

/// Canonical structures of all connected edge subsets, the slow way.
std::set<Structure> all_structures(const std::vector<PlainGraph>& graphs, std::size_t maxpat) {
  std::set<Structure> all;
  for (const auto& graph : graphs) {
    for (const auto label : graph.labels) all.insert(canonical(DfsCode(label)));
    for (unsigned subset = 1; subset < (1u << graph.edges.size()); ++subset) {
      // Grow a spanning walk; what it reaches must be all the subset's edges.
      std::vector<std::pair<int, int>> rest;
      for (std::size_t i = 0; i < graph.edges.size(); ++i)
        if ((subset >> i) & 1) rest.push_back(graph.edges[i]);
      std::map<int, int> number{{rest[0].first, 0}};
      DfsCode code(graph.labels[rest[0].first]);
      for (bool grew = true; grew;) {
        grew = false;
        for (auto edge = rest.begin(); edge != rest.end(); ++edge) {
          auto [u, v] = *edge;
          if (!number.count(u)) std::swap(u, v);
          if (!number.count(u)) continue;
          if (!number.count(v)) {
            number[v] = code.n_nodes();
            code.push(
                {static_cast<std::int16_t>(number[u]), static_cast<std::int16_t>(number[v]), 0},
                graph.labels[v]);
          } else {
            const auto from = std::max(number[u], number[v]), to = std::min(number[u], number[v]);
            code.push({static_cast<std::int16_t>(from), static_cast<std::int16_t>(to), 0},
                      code.type(to));
          }
          rest.erase(edge);
          grew = true;
          break;
        }
      }
      if (rest.empty() && number.size() <= maxpat) all.insert(canonical(code));
    }
  }
  return all;
}

/// A pattern with labels on its edges; -1 where there is none.
struct LabelledPattern {
  std::vector<std::int32_t> types;
  std::vector<std::vector<std::int32_t>> edges;
};

/// Nodes and edges in the order of a code.
using Written = std::tuple<std::vector<std::int32_t>, std::vector<std::array<int, 3>>>;

Written written(const DfsCode& code) {
  Written found;
  std::get<0>(found) = code.types();
  for (const auto& edge : code.edges())
    std::get<1>(found).push_back({edge.from, edge.to, edge.label});
  return found;
}

/// All codes of depth-first walks through a pattern: whether each is the minimum.
class AllWalks {
public:
  explicit AllWalks(const LabelledPattern& pattern) : pattern_(pattern) {
    for (std::size_t root = 0; root < pattern.types.size(); ++root) {
      nodes_ = {static_cast<int>(root)};
      DfsCode code(pattern.types[root]);
      continue_from(code);
    }
  }

  std::map<Written, bool> found;

private:
  void continue_from(DfsCode& code) {
    const int tip = code.n_nodes() - 1;
    bool stuck = true;
    // Rings are closed before the walk goes on.
    for (int to = 0; to < tip; ++to)
      if (label(nodes_[tip], nodes_[to]) >= 0 && !((code.adjacency(tip) >> to) & 1)) {
        stuck = false;
        push(code, tip, to);
      }
    // It goes on from the deepest node that has somewhere to go.
    for (int from = tip; stuck && from >= 0; from = code.parent(from))
      for (int next = 0; next < static_cast<int>(pattern_.types.size()); ++next)
        if (label(nodes_[from], next) >= 0 && std::ranges::count(nodes_, next) == 0) {
          stuck = false;
          nodes_.push_back(next);
          push(code, from, tip + 1);
          nodes_.pop_back();
        }
    if (stuck) found[written(code)] = is_minimum(code);
  }

  void push(DfsCode& code, int from, int to) {
    code.push({static_cast<std::int16_t>(from), static_cast<std::int16_t>(to),
               label(nodes_[from], nodes_[to])},
              pattern_.types[nodes_[to]]);
    continue_from(code);
    code.pop();
  }

  std::int32_t label(int u, int v) const { return pattern_.edges[u][v]; }

  const LabelledPattern& pattern_;
  std::vector<int> nodes_;
};

}  // namespace

TEST(of_all_walks_through_a_pattern_the_smallest_code_is_the_minimum_and_no_other) {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    const int n = 2 + round % 4, n_types = 1 + round % 3, n_labels = 1 + round / 3 % 2;
    LabelledPattern pattern;
    pattern.edges.assign(n, std::vector<std::int32_t>(n, -1));
    const auto connect = [&](int u, int v) {
      pattern.edges[u][v] = pattern.edges[v][u] = static_cast<std::int32_t>(random() % n_labels);
    };
    for (int node = 0; node < n; ++node) {
      pattern.types.push_back(static_cast<std::int32_t>(random() % n_types));
      if (node > 0) connect(node, static_cast<int>(random() % node));
    }
    for (int more = static_cast<int>(random() % 4); more > 0 && n > 2; --more) {
      const int u = static_cast<int>(random() % n), v = static_cast<int>(random() % n);
      if (u != v) connect(u, v);
    }
    const AllWalks walks(pattern);
    REQUIRE(std::ranges::count(walks.found | std::views::values, true) == 1);
  }
}

TEST(every_connected_subgraph_is_met_exactly_once) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    std::vector<PlainGraph> plain;
    for (int i = 0; i < 2; ++i) plain.push_back(random_graph(random, 5, 1 + round % 3, 0.55));
    const auto graphs = graph_set(plain);
    if (graphs->n_labels() == 0) continue;
    const StartCosts costs(*graphs, zero_starts(*graphs));
    for (const int n_threads : {1, 3}) {
      Budget budget({});
      Collect collect;
      walk_patterns(*graphs, costs, 4, n_threads, budget, collect);
      std::set<Structure> met;
      for (const auto& [structure, count] : collect.seen) {
        REQUIRE(count == 1);
        met.insert(structure);
      }
      REQUIRE(met == all_structures(plain, 4));
    }
  }
}

TEST(pop_undoes_push) {
  DfsCode code(0);
  code.push({0, 1, 0}, 1);
  code.push({1, 2, 0}, 1);
  const auto before = code.adjacency(0);
  code.push({2, 0, 0}, 0);
  REQUIRE(code.last_backward() == 0);
  code.pop();
  REQUIRE(code.adjacency(0) == before);
  REQUIRE(code.last_backward() == -1);
  REQUIRE(code.n_edges() == 2);
}

TEST(symmetric_codes_are_tested_without_walking_all_their_symmetries) {
  DfsCode star(0);
  star.push({0, 1, 0}, 0);
  for (std::int16_t leaf = 2; leaf < 40; ++leaf) star.push({1, leaf, 0}, 0);
  REQUIRE(is_minimum(star));
}
