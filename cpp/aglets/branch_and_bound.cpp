#include "branch_and_bound.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assignment.hpp"
#include "distance.hpp"
#include "tie_order.hpp"

namespace aglets {

namespace {

constexpr double infinity = HUGE_VAL;

/// Largest graph for which the bound without edges is worth its time.
constexpr std::int32_t edgeless_limit = 64;

/// Looks for an embedding that costs less than a given limit.
class BoundedSearch {
public:
  BoundedSearch(const GraphSet& graphs, std::int32_t graph, const Pattern& pattern,
                FlatAttributes z, Ticker& ticker)
      : graphs_(graphs),
        graph_(graph),
        base_(graphs.first_node(graph)),
        n_(graphs.n_nodes(graph)),
        first_edge_(graphs.first_edge(graph)),
        n_edges_(graphs.n_edge_attributes() > 0 ? graphs.n_edges(graph) : 0),
        k_(pattern.n_nodes()),
        pattern_(pattern),
        ticker_(ticker),
        edges_of_(k_),
        distance_(static_cast<std::size_t>(k_) * n_, infinity),
        edge_distance_(static_cast<std::size_t>(pattern.n_edges()) * n_edges_),
        used_(n_, false),
        placed_(k_, -1) {
    for (int index = 0; index < pattern.n_edges(); ++index) {
      edges_of_[pattern.edges[index].u].push_back(index);
      edges_of_[pattern.edges[index].v].push_back(index);
    }
    for (int node = 0; node < k_; ++node)
      for (const auto image : graphs.nodes_with_label(graph, pattern.labels[node]))
        if (graphs.neighbours(base_ + image).size() >= edges_of_[node].size())
          distance(node, image) =
              squared_distance(node_row(z, graphs, node), graphs.attributes(base_ + image));
    for (int edge = 0; edge < pattern.n_edges(); ++edge)
      for (std::int32_t image = 0; image < n_edges_; ++image)
        edge_distance(edge, image) = squared_distance(edge_row(z, graphs, pattern, edge),
                                                      graphs.edge_attributes(first_edge_ + image));
  }

  /// Allows only this image for the node from now on.
  void pin(int node, std::int32_t image) {
    const double kept = distance(node, image);
    std::fill_n(&distance(node, 0), n_, infinity);
    distance(node, image) = kept;
  }

  /// Allows a node or an edge of the pattern only those images whose rows are
  /// wanted; false if none is left.
  template <class Wanted>
  bool keep_rows(const TieOrder& order, int place, Wanted&& wanted) {
    bool any_left = false;
    const auto keep = [&](double& cost, std::span<const double> row) {
      if (!wanted(row)) cost = infinity;
      any_left = any_left || cost < infinity;
    };
    if (order.is_edge(place)) {
      for (std::int32_t image = 0; image < n_edges_; ++image)
        keep(edge_distance(order.edge(place), image), graphs_.edge_attributes(first_edge_ + image));
    } else {
      for (std::int32_t image = 0; image < n_; ++image)
        keep(distance(place, image), graphs_.attributes(base_ + image));
    }
    return any_left;
  }

  /// Roots the pattern at `root` and computes, for each node and image, the
  /// minimum cost of the part that hangs below it, injectivity aside.
  void root_at(int root) {
    order_.assign(1, root);
    parent_.assign(k_, -1);
    parent_edge_.assign(k_, -1);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      for (const int edge : edges_of_[order_[i]]) {
        const int other = other_end(edge, order_[i]);
        if (other == root || parent_[other] >= 0) continue;
        parent_[other] = order_[i];
        parent_edge_[other] = edge;
        order_.push_back(other);
      }
    }
    lower_ = distance_;
    for (auto node = order_.rbegin(); *node != root; ++node)
      for (std::int32_t image = 0; image < n_; ++image)
        if (lower(parent_[*node], image) < infinity)
          lower(parent_[*node], image) += min_below(*node, image);
  }

  double bound(std::int32_t root_image) const { return lower(order_.front(), root_image); }

  /// The best embedding that costs less than `limit`; costs `infinity` if there
  /// is none. With `any`, the first one found will do.
  Match search(double limit, bool any) {
    std::vector<std::int32_t> images;
    for (std::int32_t image = 0; image < n_; ++image)
      if (bound(image) < limit) images.push_back(image);
    std::stable_sort(images.begin(), images.end(),
                     [&](auto a, auto b) { return bound(a) < bound(b); });
    best_ = {infinity, {}};
    limit_ = limit;
    any_ = any;
    for (const auto image : images) {
      if (bound(image) >= limit_ || (any_ && !best_.nodes.empty())) break;
      place(order_.front(), image, distance(order_.front(), image));
    }
    return std::move(best_);
  }

private:
  struct Option {
    std::int32_t image;
    double own;    // cost of placing the node here, with its edges to placed nodes
    double total;  // with the bound on what hangs below it
  };
  struct Hanging {
    int node;
    std::vector<Option> options;
  };

  double& distance(int node, std::int32_t image) {
    return distance_[static_cast<std::size_t>(node) * n_ + image];
  }
  double& edge_distance(int edge, std::int32_t image) {
    return edge_distance_[static_cast<std::size_t>(edge) * n_edges_ + image];
  }
  double& lower(int node, std::int32_t image) {
    return lower_[static_cast<std::size_t>(node) * n_ + image];
  }
  double lower(int node, std::int32_t image) const {
    return lower_[static_cast<std::size_t>(node) * n_ + image];
  }

  int other_end(int edge, int node) const {
    return pattern_.edges[edge].u == node ? pattern_.edges[edge].v : pattern_.edges[edge].u;
  }

  /// Cost of pattern edge `edge` on graph edge `found`; infinite if it does not fit.
  double edge_cost(int edge, std::int32_t found) const {
    if (found < 0 || graphs_.edge_label(found) != pattern_.edges[edge].label) return infinity;
    if (edge_distance_.empty()) return 0.0;
    return edge_distance_[static_cast<std::size_t>(edge) * n_edges_ + (found - first_edge_)];
  }

  double min_below(int node, std::int32_t parent_image) const {
    double lowest = infinity;
    for (const auto [image, found] : graphs_.neighbours(base_ + parent_image))
      lowest = std::min(lowest, edge_cost(parent_edge_[node], found) + lower(node, image));
    return lowest;
  }

  void place(int node, std::int32_t image, double cost) {
    ticker_.tick();
    placed_[node] = image;
    used_[image] = true;
    branch(cost);
    used_[image] = false;
    placed_[node] = -1;
  }

  void branch(double cost) {
    auto hanging = hanging_nodes();
    if (hanging.empty()) {
      accept(cost, placed_);
      return;
    }
    std::vector<std::int32_t> images;
    const double rest = assign(hanging, images);
    if (cost + rest >= limit_ || cost + edgeless_bound() >= limit_) return;
    if (is_rest_independent(hanging)) {
      auto nodes = placed_;
      double total = cost;
      for (std::size_t i = 0; i < hanging.size(); ++i) {
        nodes[hanging[i].node] = images[i];
        for (const auto& option : hanging[i].options)
          if (option.image == images[i]) total += option.own;
      }
      accept(total, nodes);
      return;
    }
    const auto fewest = std::min_element(
        hanging.begin(), hanging.end(),
        [](const Hanging& a, const Hanging& b) { return a.options.size() < b.options.size(); });
    auto next = std::move(*fewest);
    std::stable_sort(next.options.begin(), next.options.end(),
                     [](const Option& a, const Option& b) { return a.total < b.total; });
    for (const auto& option : next.options) {
      if (any_ && !best_.nodes.empty()) return;
      if (cost + option.total >= limit_) return;
      place(next.node, option.image, cost + option.own);
    }
  }

  /// Nodes not placed whose parent is, with the images they may still take.
  std::vector<Hanging> hanging_nodes() const {
    std::vector<Hanging> hanging;
    for (const int node : order_) {
      if (placed_[node] >= 0 || parent_[node] < 0 || placed_[parent_[node]] < 0) continue;
      hanging.push_back({node, {}});
      for (const auto [image, found] : graphs_.neighbours(base_ + placed_[parent_[node]])) {
        if (used_[image] || lower(node, image) == infinity) continue;
        double edges = 0.0;
        for (const int edge : edges_of_[node]) {
          const int other = placed_[other_end(edge, node)];
          if (other >= 0) edges += edge_cost(edge, graphs_.edge_between(graph_, image, other));
        }
        if (edges == infinity) continue;
        const double own = edges + distance_[static_cast<std::size_t>(node) * n_ + image];
        hanging.back().options.push_back({image, own, edges + lower(node, image)});
      }
    }
    return hanging;
  }

  /// Minimum total with a different image for every node that is not placed, edges
  /// aside: what counts in small, dense graphs, where nearly every injection fits.
  double edgeless_bound() const {
    if (n_ > edgeless_limit) return 0.0;
    std::vector<Hanging> rest;
    for (int node = 0; node < k_; ++node) {
      if (placed_[node] >= 0) continue;
      rest.push_back({node, {}});
      for (std::int32_t image = 0; image < n_; ++image) {
        const double own = distance_[static_cast<std::size_t>(node) * n_ + image];
        if (!used_[image] && own < infinity) rest.back().options.push_back({image, own, own});
      }
    }
    std::vector<std::int32_t> images;
    return assign(rest, images);
  }

  /// Minimum total with a different image for each hanging node.
  static double assign(const std::vector<Hanging>& hanging, std::vector<std::int32_t>& images) {
    double total = 0.0;
    images.clear();
    for (const auto& [node, options] : hanging) {
      if (options.empty()) return infinity;
      const auto lowest =
          std::min_element(options.begin(), options.end(),
                           [](const Option& a, const Option& b) { return a.total < b.total; });
      total += lowest->total;
      images.push_back(lowest->image);
    }
    auto sorted = images;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return total;
    return assign_by_flow(hanging, images);
  }

  static double assign_by_flow(const std::vector<Hanging>& hanging,
                               std::vector<std::int32_t>& images) {
    std::vector<std::int32_t> columns;
    for (const auto& [node, options] : hanging)
      for (const auto& option : options) columns.push_back(option.image);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::vector<double> costs(hanging.size() * columns.size(), infinity);
    for (std::size_t row = 0; row < hanging.size(); ++row)
      for (const auto& option : hanging[row].options)
        costs[row * columns.size() +
              (std::lower_bound(columns.begin(), columns.end(), option.image) - columns.begin())] =
            option.total;
    const auto column_of = min_cost_assignment(costs, static_cast<int>(hanging.size()),
                                               static_cast<int>(columns.size()));
    if (column_of.empty()) return infinity;
    double total = 0.0;
    for (std::size_t row = 0; row < hanging.size(); ++row) {
      total += costs[row * columns.size() + column_of[row]];
      images[row] = columns[column_of[row]];
    }
    return total;
  }

  /// True if the hanging nodes are all that is left and no edge joins two of them.
  bool is_rest_independent(const std::vector<Hanging>& hanging) const {
    const auto n_placed =
        std::count_if(placed_.begin(), placed_.end(), [](auto i) { return i >= 0; });
    if (n_placed + static_cast<std::ptrdiff_t>(hanging.size()) != k_) return false;
    for (const auto& edge : pattern_.edges)
      if (placed_[edge.u] < 0 && placed_[edge.v] < 0) return false;
    return true;
  }

  void accept(double cost, const std::vector<std::int32_t>& nodes) {
    if (cost >= limit_) return;
    best_ = {cost, nodes};
    limit_ = clear_limit(cost);
  }

  const GraphSet& graphs_;
  const std::int32_t graph_;
  const std::int64_t base_;
  const std::int32_t n_;
  const std::int32_t first_edge_;
  const std::int32_t n_edges_;  // 0 where edges have no attributes
  const int k_;
  const Pattern& pattern_;
  Ticker& ticker_;
  std::vector<std::vector<int>> edges_of_;
  std::vector<double> distance_;       // node by image; infinite where they do not fit
  std::vector<double> edge_distance_;  // pattern edge by graph edge
  std::vector<double> lower_;
  std::vector<int> order_, parent_, parent_edge_;
  std::vector<bool> used_;
  std::vector<std::int32_t> placed_;
  Match best_;
  double limit_ = infinity;
  bool any_ = false;
};

/// Among embeddings that cost the same, moves to the first one, settling place
/// after place: ever earlier rows are asked for until there is none, and then all
/// images with the row that was reached stay allowed, for later places may need
/// another of them.
void settle_ties(const TieOrder& order, BoundedSearch& search, Match& best) {
  const double limit = tie_limit(best.cost) + 1e-300;
  for (int place = 0; place < order.n_places(); ++place) {
    for (;;) {
      const auto reached = order.row(place, best.nodes);
      auto earlier = search;
      if (!earlier.keep_rows(order, place, [&](auto row) { return row_precedes(row, reached); }))
        break;
      earlier.root_at(order.node(place));
      auto found = earlier.search(limit, true);
      if (found.nodes.empty()) break;
      best = {std::min(best.cost, found.cost), std::move(found.nodes)};
    }
    const auto reached = order.row(place, best.nodes);
    search.keep_rows(order, place, [&](auto row) { return std::ranges::equal(row, reached); });
  }
}

int node_of_largest_degree(const Pattern& pattern) {
  std::vector<int> degree(pattern.n_nodes(), 0);
  for (const auto& edge : pattern.edges) {
    ++degree[edge.u];
    ++degree[edge.v];
  }
  return static_cast<int>(std::max_element(degree.begin(), degree.end()) - degree.begin());
}

Match best_of(BoundedSearch& search, const TieOrder& order, const Pattern& pattern,
              const Match& incumbent) {
  search.root_at(node_of_largest_degree(pattern));
  auto best = search.search(clear_limit(incumbent.cost), false);
  if (best.nodes.empty()) return incumbent;
  settle_ties(order, search, best);
  return best;
}

}  // namespace

Match branch_and_bound(const GraphSet& graphs, std::int32_t graph, const Pattern& pattern,
                       FlatAttributes z, const Match& incumbent, Ticker& ticker) {
  BoundedSearch search(graphs, graph, pattern, z, ticker);
  return best_of(search, TieOrder(graphs, graph, pattern), pattern, incumbent);
}

Match branch_and_bound_at(const GraphSet& graphs, std::int32_t graph, const Pattern& pattern,
                          FlatAttributes z, std::int32_t image, const Match& incumbent,
                          Ticker& ticker) {
  BoundedSearch search(graphs, graph, pattern, z, ticker);
  search.pin(0, image);
  return best_of(search, TieOrder(graphs, graph, pattern), pattern, incumbent);
}

}  // namespace aglets
