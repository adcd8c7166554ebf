#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "budget.hpp"
#include "channel.hpp"
#include "embedding_lists.hpp"
#include "graph_set.hpp"
#include "leads.hpp"
#include "matching.hpp"
#include "pattern.hpp"
#include "sparse_rows.hpp"

namespace aglets {

/// Patterns in training, ready to be matched repeatedly with other
/// attributes. Molecules hold few embeddings of a pattern each, so the attributes
/// of all of them are laid out once, column by column; costs for new z are then one
/// streaming pass. Embeddings with the same attributes share a column if most do. Where
/// the table would be too large, graphs are searched again, but only those in which the
/// attributes have moved far enough for another embedding to be the best (`Leads`), and in
/// lists of their embeddings, as long as there is room. Neither changes what is found.
///
/// A graphlet that counts has a *place* in a graph for each image of its root (its
/// first node); any other one has a single place in each supporting graph. Places
/// stay the same whatever the attributes; each has a best embedding and its cost.
class GraphletBank {
public:
  /// `table_bytes` limits the table of one pattern.
  GraphletBank(std::shared_ptr<const GraphSet> graphs, std::int64_t table_bytes);
  GraphletBank(const GraphletBank&) = delete;
  GraphletBank& operator=(const GraphletBank&) = delete;

  /// Adds a pattern that exactly the graphs `support` contain; returns its handle.
  std::int32_t add(Pattern pattern, std::vector<std::int32_t> support, Ticker& ticker,
                   Channel channel = {});

  /// Graphs that contain the pattern, for patterns that come from elsewhere.
  std::vector<std::int32_t> find_support(const Pattern& pattern, Ticker& ticker) const;

  std::int32_t size() const { return static_cast<std::int32_t>(entries_.size()); }
  const GraphSet& graphs() const { return *graphs_; }
  const Pattern& pattern(std::int32_t handle) const { return entries_[handle]->matcher.pattern(); }
  const std::vector<std::int32_t>& support(std::int32_t handle) const {
    return *entries_[handle]->support;
  }
  /// The same, to be kept with the values of the graphlet.
  SparseRows::Graphs shared_support(std::int32_t handle) const { return entries_[handle]->support; }
  bool has_table(std::int32_t handle) const { return entries_[handle]->has_table; }
  std::size_t n_attributes(std::int32_t handle) const {
    return flat_size(pattern(handle), *graphs_);
  }
  const Channel& channel(std::int32_t handle) const { return entries_[handle]->channel; }
  /// The graph of each place, ascending.
  const std::vector<std::int32_t>& place_graphs(std::int32_t handle) const {
    return entries_[handle]->place_graphs();
  }
  /// The order in which places are added up, graph by graph: one that does not depend on how nodes
  /// are numbered. Empty without a table.
  std::span<const std::int32_t> sum_order(std::int32_t handle) const {
    return entries_[handle]->sum_order;
  }
  std::size_t n_places(std::int32_t handle) const { return place_graphs(handle).size(); }
  std::size_t n_sites(std::int32_t handle) const {
    return n_places(handle) * static_cast<std::size_t>(pattern(handle).n_nodes());
  }

  /// For each place the minimum cost at attributes `z` and the nodes of the best
  /// embedding. `previous` holds such nodes from an earlier call, or is
  /// empty. Ties as in PatternMatcher.
  void match(std::int32_t handle, FlatAttributes z, std::span<const std::int32_t> previous,
             std::span<double> costs, std::span<std::int32_t> embedding, Ticker& ticker) const;

  /// sum_i weights_i (z - x_i), x_i the attributes at the embedding of place i: the
  /// z-gradient up to factors that do not depend on z's direction. Places of one
  /// graph are taken in an order that does not depend on how its nodes are numbered.
  void pull(std::int32_t handle, FlatAttributes z, std::span<const std::int32_t> embedding,
            std::span<const double> weights, std::span<double> sum) const;

private:
  struct Entry {
    Entry(const GraphSet& graphs, Pattern pattern, std::vector<std::int32_t> support,
          Channel channel)
        : matcher(graphs, std::move(pattern)),
          support(std::make_shared<const std::vector<std::int32_t>>(std::move(support))),
          channel(channel) {}
    /// The graph of each place; without counting there is one in every supporting graph.
    const std::vector<std::int32_t>& place_graphs() const {
      return channel.counts() ? own_places : *support;
    }
    PatternMatcher matcher;
    SparseRows::Graphs support;
    Channel channel;
    std::vector<std::int32_t> own_places;   // their graphs, if it counts
    std::vector<std::int32_t> place_roots;  // images of the root; empty unless it counts
    bool has_table = false;
    std::vector<std::int32_t> embeddings;  // node lists, rows in tie order within a place
    std::vector<std::int32_t> sum_order;   // of places, if it counts
    std::vector<std::size_t> ends;         // last embedding of each place, plus one
    std::size_t n_columns = 0;             // of the table
    std::vector<double> table;             // attributes: flat_size rows
    std::vector<std::int32_t> columns;     // of embeddings; empty if each has its own
    mutable Leads leads;                   // without a table
    mutable EmbeddingLists lists;          // without a table
    mutable std::mutex mutex;              // for these two
  };

  /// What a search of one graph needs, kept from one to the next.
  struct Scratch {
    std::vector<std::int32_t> found;
    std::vector<double> node_costs;
    std::vector<double> costs;
  };

  bool collect(Entry& entry, Ticker& ticker) const;
  void find_places(Entry& entry, Ticker& ticker) const;
  std::vector<std::size_t> order_of_places(const Entry& entry,
                                           std::span<const std::int32_t> embedding,
                                           std::span<const double> weights) const;
  void write_row(std::int32_t graph, const Pattern& pattern, const std::int32_t* nodes,
                 std::span<double> row) const;
  void fill_table(Entry& entry) const;
  void match_table(const Entry& entry, FlatAttributes z, std::span<const std::int32_t> previous,
                   std::span<double> costs, std::span<std::int32_t> embedding) const;
  template <class Cost>
  void match_costs(const Entry& entry, Cost&& cost, std::span<const std::int32_t> previous,
                   std::span<double> costs, std::span<std::int32_t> embedding) const;
  void match_graphs(const Entry& entry, FlatAttributes z, std::span<const std::int32_t> previous,
                    std::span<double> costs, std::span<std::int32_t> embedding,
                    Ticker& ticker) const;
  void list_costs(const Entry& entry, std::int32_t graph, FlatAttributes z, Scratch& scratch) const;
  bool list_embeddings(const Entry& entry, std::size_t supporting, std::vector<std::int32_t>& found,
                       Ticker& ticker) const;
  void match_place(const Entry& entry, std::size_t place, std::span<const std::int32_t> previous,
                   const Scratch& scratch, std::span<std::int32_t> nodes) const;
  Match search_place(const Entry& entry, std::size_t place, FlatAttributes z,
                     std::span<const std::int32_t> previous, Ticker& ticker) const;

  std::shared_ptr<const GraphSet> graphs_;
  std::int64_t table_bytes_;
  mutable std::atomic<std::int64_t> list_bytes_;  // that lists may still take
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace aglets
