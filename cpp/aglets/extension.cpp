#include "extension.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace aglets {

template <class Id>
Child<Id>& Children<Id>::add(int n_nodes) {
  if (sorted_.size() == pool_.size()) pool_.emplace_back();
  auto& child = pool_[sorted_.size()];
  child.rows.reset(n_nodes);
  sorted_.push_back(&child);
  return child;
}

template <class Id>
void Children<Id>::clear(Account& account) {
  for (auto* child : sorted_) child->rows.release(account);
  sorted_.clear();
}

template <class Id>
void Children<Id>::begin_account() {
  for (auto& child : pool_) child.rows.begin_account();
  sorted_.clear();
}

template <class Id>
void Children<Id>::sort() {
  // The pool hands out its members in order, so only the view is sorted.
  std::sort(sorted_.begin(), sorted_.end(),
            [](const Child<Id>* a, const Child<Id>* b) { return a->rank < b->rank; });
}

template <class Id>
Extender<Id>::Extender(const GraphSet& graphs, const StartCosts& costs, int maxpat, bool by_root)
    : graphs_(graphs),
      costs_(costs),
      maxpat_(maxpat),
      by_root_(by_root),
      plain_(!graphs.has_edge_labels() && !costs.has_edge_costs()) {}

template <class Id>
void Extender<Id>::begin_account(Account& account) {
  account_ = &account;
  graph_rows_.begin_account();
}

template <class Id>
void Extender<Id>::root_rows(std::int32_t type, Rows& rows) {
  rows.reset(1);
  scratch_.assign(Rows::stride_for(1), 0);
  for (std::int32_t graph = 0; graph < graphs_.size(); ++graph) {
    const auto base = graphs_.first_node(graph);
    const bool small = graphs_.has_masks(graph);
    for (const auto node : graphs_.nodes_with_label(graph, costs_.label_of(type))) {
      account_->tick();
      const auto cost = costs_.cost(base + node, type);
      rows.note(unit_of(graph, base + node), graph, cost);
      auto* row = rows.append(scratch_.data(), scratch_.size(),
                              small ? std::uint64_t{1} << node : 0, cost, *account_);
      Rows::set_node(row, 0, static_cast<Id>(node));
    }
  }
}

template <class Id>
void Extender<Id>::extend(DfsCode& code, const Rows& rows, ExtensionScope scope,
                          Children<Id>& children) {
  prepare(code, scope, children);
  keeps_rows_ = true;
  extend_rows(rows);
  children.sort();
  for (const auto* child : children.all())
    account_->add_work(static_cast<std::int64_t>(child->rows.size()));
}

template <class Id>
void Extender<Id>::extend_rows(const Rows& rows) {
  stride_ = rows.stride();
  std::uint32_t begin = 0;
  for (const auto& support : rows.supports()) {
    if (begin < support.end) extend_support(rows, support, begin);
    begin = support.end;
  }
}

template <class Id>
void Extender<Id>::extend_by_graph(DfsCode& code, const std::vector<std::int32_t>& graphs,
                                   ExtensionScope scope, Children<Id>& children) {
  prepare(code, scope, children);
  keeps_rows_ = false;
  for (const auto graph : graphs) {
    regrow(code, {&graph, 1}, graph_rows_);
    extend_rows(graph_rows_);
  }
  children.sort();
}

template <class Id>
void Extender<Id>::extend_support(const Rows& rows, const Support& support, std::uint32_t begin) {
  graph_ = support.graph;
  base_ = graphs_.first_node(graph_);
  unit_ = unit_of(graph_, base_ + Rows::node(rows.row(begin), 0));
  if (plain_ && graphs_.has_masks(graph_))
    extend_by_masks(rows, support, begin);
  else
    extend_by_lists(rows, support, begin);
}

template <class Id>
void Extender<Id>::prepare(DfsCode& code, ExtensionScope scope, Children<Id>& children) {
  code_ = &code;
  children_ = &children;
  children.clear(*account_);
  scope_.forward = scope.forward && code.n_nodes() < maxpat_;
  scope_.backward = scope.backward && code.n_nodes() > 2;
  path_.clear();
  next_on_path_.assign(code.n_nodes(), -1);
  for (int node = code.n_nodes() - 1; node >= 0; node = code.parent(node)) {
    if (!path_.empty()) next_on_path_[node] = path_.back();
    path_.push_back(node);
  }
  last_backward_ = code.last_backward();
  n_keys_ = static_cast<std::size_t>(graphs_.n_edge_labels()) * costs_.n_types();
  n_backward_ranks_ = static_cast<std::size_t>(code.n_nodes()) * graphs_.n_edge_labels();
  const auto n_ranks = n_backward_ranks_ + path_.size() * n_keys_;
  for (const auto rank : touched_) slots_[rank] = nullptr;
  touched_.clear();
  if (slots_.size() < n_ranks) slots_.resize(n_ranks, nullptr);
  stems_.clear();
  for (std::size_t depth = 0; depth < path_.size(); ++depth)
    stems_.push_back({path_[depth], true, n_backward_ranks_ + depth * n_keys_});
}

template <class Id>
void Extender<Id>::extend_by_masks(const Rows& rows, const Support& support, std::uint32_t begin) {
  const auto* adjacency = graphs_.adjacency_masks(graph_);
  const int tip = path_.front();
  const bool at_limit = tip + 1 == maxpat_;
  const bool child_at_limit = tip + 2 == maxpat_;
  for (auto index = begin; index < support.end; ++index) {
    account_->tick();
    const auto* row = rows.row(index);
    const auto used = Rows::used(row);
    if (scope_.backward) {
      auto open =
          adjacency[Rows::node(row, tip)] & used & ~(std::uint64_t{1} << Rows::node(row, path_[1]));
      for (auto depth = path_.size(); open != 0 && depth-- > 2;) {
        const auto end = std::uint64_t{1} << Rows::node(row, path_[depth]);
        if ((open & end) == 0) continue;
        open &= ~end;
        if (path_[depth] > last_backward_)
          touch_backward(row, path_[depth], 0, 0.0, !at_limit || open != 0);
      }
    }
    if (!scope_.forward) continue;
    for (auto& stem : stems_) {
      if (!stem.open) continue;
      const auto from = Rows::node(row, stem.node);
      for (auto rest = adjacency[from] & ~used; rest != 0; rest &= rest - 1) {
        const int node = std::countr_zero(rest);
        const bool keep =
            !child_at_limit || (adjacency[node] & used & ~(std::uint64_t{1} << from)) != 0;
        touch_forward(row, used | (std::uint64_t{1} << node), stem, node, 0, 0.0, keep);
      }
    }
  }
}

template <class Id>
void Extender<Id>::extend_by_lists(const Rows& rows, const Support& support, std::uint32_t begin) {
  const int n_nodes = code_->n_nodes();
  const int tip = path_.front();
  const bool small = graphs_.has_masks(graph_);
  if (places_.empty()) places_.resize(graphs_.largest_graph());
  for (auto index = begin; index < support.end; ++index) {
    account_->tick();
    const auto* row = rows.row(index);
    if (++stamp_ == 0) {  // stamps have wrapped around
      std::fill(places_.begin(), places_.end(), Place{});
      stamp_ = 1;
    }
    for (int position = 0; position < n_nodes; ++position)
      places_[Rows::node(row, position)] = {stamp_, position};
    const auto is_used = [&](std::int32_t node) { return places_[node].stamp == stamp_; };
    if (scope_.backward) {
      for (const auto [node, edge] : graphs_.neighbours(base_ + Rows::node(row, tip))) {
        const auto label = graphs_.edge_label(edge);
        if (label < 0 || !is_used(node)) continue;
        const int to = places_[node].position;
        if (to > last_backward_ && to != path_[1] && next_on_path_[to] >= 0)
          touch_backward(row, to, label, costs_.edge_cost(edge), true);
      }
    }
    if (!scope_.forward) continue;
    for (auto& stem : stems_) {
      if (!stem.open) continue;
      for (const auto [node, edge] : graphs_.neighbours(base_ + Rows::node(row, stem.node))) {
        const auto label = graphs_.edge_label(edge);
        if (label < 0 || is_used(node)) continue;
        const auto used = small ? Rows::used(row) | (std::uint64_t{1} << node) : 0;
        touch_forward(row, used, stem, node, label, costs_.edge_cost(edge),
                      n_nodes + 1 < maxpat_ || can_close_ring(node));
      }
    }
  }
}

template <class Id>
bool Extender<Id>::can_close_ring(std::int32_t node) const {
  int n_used = 0;
  for (const auto [other, edge] : graphs_.neighbours(base_ + node))
    n_used += places_[other].stamp == stamp_;
  return n_used > 1;
}

template <class Id>
void Extender<Id>::touch_backward(const std::uint64_t* row, int to, std::int32_t label,
                                  double edge_cost, bool keep) {
  const auto rank = static_cast<std::size_t>(to) * graphs_.n_edge_labels() + label;
  auto* child = slots_[rank];
  if (child == nullptr)
    child = resolve(
        rank, {static_cast<std::int16_t>(path_.front()), static_cast<std::int16_t>(to), label},
        code_->type(to));
  if (child == &rejected_) return;
  const auto cost = Rows::cost(row) + edge_cost;
  child->rows.note(unit_, graph_, cost);
  if (keep) keep_row(*child, row, Rows::used(row), cost, -1, 0);
}

template <class Id>
void Extender<Id>::touch_forward(const std::uint64_t* row, std::uint64_t used, Stem& stem,
                                 std::int32_t node, std::int32_t label, double edge_cost,
                                 bool keep) {
  const int n_nodes = path_.front() + 1;
  const auto first = costs_.first_type(base_ + node);
  const auto last = costs_.last_type(base_ + node);
  for (auto type = first; type < last; ++type) {
    const auto rank = stem.rank + static_cast<std::size_t>(label) * costs_.n_types() +
                      static_cast<std::size_t>(type);
    auto* child = slots_[rank];
    if (child == nullptr) {
      child = resolve(
          rank, {static_cast<std::int16_t>(stem.node), static_cast<std::int16_t>(n_nodes), label},
          type);
      if (child == &rejected_) close_if_barren(stem);
    }
    if (child == &rejected_) continue;
    const auto cost = Rows::cost(row) + edge_cost + costs_.cost(base_ + node, type);
    child->rows.note(unit_, graph_, cost);
    if (keep) keep_row(*child, row, used, cost, n_nodes, node);
  }
}

template <class Id>
void Extender<Id>::keep_row(Child<Id>& child, const std::uint64_t* row, std::uint64_t used,
                            double cost, int position, std::int32_t node) {
  child.rows.set_can_grow();
  if (!keeps_rows_) return;
  auto* grown = child.rows.append(row, stride_, used, cost, *account_);
  if (position >= 0) Rows::set_node(grown, position, static_cast<Id>(node));
}

template <class Id>
Child<Id>* Extender<Id>::resolve(std::size_t rank, CodeEdge edge, std::int32_t to_type) {
  touched_.push_back(rank);
  if (!may_be_minimum(edge, to_type) || !makes_minimum(edge, to_type))
    return slots_[rank] = &rejected_;
  auto& child = children_->add(code_->n_nodes() + (edge.is_forward() ? 1 : 0));
  child.edge = edge;
  child.to_type = to_type;
  child.rank = rank;
  return slots_[rank] = &child;
}

template <class Id>
bool Extender<Id>::makes_minimum(CodeEdge edge, std::int32_t to_type) {
  code_->push(edge, to_type);
  account_->add_work(code_->n_edges());
  const bool minimum = is_minimum(*code_);
  code_->pop();
  return minimum;
}

/// If not even an edge to a type above all others is minimum here, then none
/// is: a smaller walk found for that edge cannot have met the new node before
/// it became smaller, so it is smaller for every type.
template <class Id>
void Extender<Id>::close_if_barren(Stem& stem) {
  stem.open = makes_minimum({static_cast<std::int16_t>(stem.node),
                             static_cast<std::int16_t>(code_->n_nodes()), graphs_.n_edge_labels()},
                            costs_.n_types());
}

/// Cheap necessary conditions: the new edge may be smaller neither than the
/// first edge of the code nor than the edge by which the walk left the same node.
template <class Id>
bool Extender<Id>::may_be_minimum(CodeEdge edge, std::int32_t to_type) const {
  using Key = std::pair<std::int32_t, std::int32_t>;
  const auto& code = *code_;
  const auto root = code.type(0);
  if (to_type < root) return false;
  if (code.n_edges() == 0) return true;
  const Key first{code.edge(0).label, code.type(1)};
  const auto from_type = code.type(edge.from);
  if (from_type == root && Key{edge.label, to_type} < first) return false;
  if (to_type == root && Key{edge.label, from_type} < first) return false;
  const int branch = edge.is_forward() ? edge.from : edge.to;
  const auto reached = edge.is_forward() ? to_type : from_type;
  const int next = next_on_path_[branch];
  if (next < 0) return true;
  return Key{edge.label, reached} >= Key{code.discovery_label(next), code.type(next)};
}

template <class Id>
bool Extender<Id>::regrow(const DfsCode& code, std::span<const std::int32_t> graphs, Rows& rows,
                          std::size_t max_rows) {
  rows.reset(code.n_nodes());
  scratch_.assign(rows.stride(), 0);
  for (const auto graph : graphs) {
    base_ = graphs_.first_node(graph);
    graph_ = graph;
    const bool small = graphs_.has_masks(graph);
    for (const auto node : graphs_.nodes_with_label(graph, costs_.label_of(code.type(0)))) {
      Rows::set_node(scratch_.data(), 0, static_cast<Id>(node));
      unit_ = unit_of(graph, base_ + node);
      const auto cost = costs_.cost(base_ + node, code.type(0));
      const auto used = small ? std::uint64_t{1} << node : 0;
      if (small && plain_)
        regrow_by_masks(code, 0, used, cost, rows);
      else
        regrow_from(code, 0, graph, used, cost, rows);
    }
    if (rows.size() > max_rows) return false;
  }
  return true;
}

template <class Id>
void Extender<Id>::regrow_from(const DfsCode& code, int step, std::int32_t graph,
                               std::uint64_t used, double cost, Rows& rows) {
  account_->tick();
  if (step == code.n_edges()) {
    rows.note(unit_, graph, cost);
    rows.append(scratch_.data(), scratch_.size(), used, cost, *account_);
    return;
  }
  const auto edge = code.edge(step);
  const auto from = static_cast<std::int32_t>(Rows::node(scratch_.data(), edge.from));
  if (!edge.is_forward()) {
    const auto to = static_cast<std::int32_t>(Rows::node(scratch_.data(), edge.to));
    const auto found = graphs_.edge_between(graph, from, to);
    if (found >= 0 && graphs_.edge_label(found) == edge.label)
      regrow_from(code, step + 1, graph, used, cost + costs_.edge_cost(found), rows);
    return;
  }
  const auto type = code.type(edge.to);
  const bool small = graphs_.has_masks(graph);
  for (const auto [node, found] : graphs_.neighbours(base_ + from)) {
    if (graphs_.edge_label(found) != edge.label || !costs_.can_host(base_ + node, type)) continue;
    bool taken = small && ((used >> node) & 1) != 0;
    for (int position = 0; !small && !taken && position < edge.to; ++position)
      taken = static_cast<std::int32_t>(Rows::node(scratch_.data(), position)) == node;
    if (taken) continue;
    Rows::set_node(scratch_.data(), edge.to, static_cast<Id>(node));
    regrow_from(code, step + 1, graph, small ? used | (std::uint64_t{1} << node) : 0,
                cost + costs_.edge_cost(found) + costs_.cost(base_ + node, type), rows);
  }
}

/// `regrow_from` where edges have neither labels nor costs: it finds the same rows in the same
/// order, and reads a word per node instead of lists.
template <class Id>
void Extender<Id>::regrow_by_masks(const DfsCode& code, int step, std::uint64_t used, double cost,
                                   Rows& rows) {
  account_->tick();
  if (step == code.n_edges()) {
    rows.note(unit_, graph_, cost);
    rows.append(scratch_.data(), scratch_.size(), used, cost, *account_);
    return;
  }
  const auto edge = code.edge(step);
  const auto open = graphs_.adjacency_masks(graph_)[Rows::node(scratch_.data(), edge.from)];
  if (!edge.is_forward()) {
    if ((open >> Rows::node(scratch_.data(), edge.to) & 1) != 0)
      regrow_by_masks(code, step + 1, used, cost, rows);
    return;
  }
  const auto type = code.type(edge.to);
  for (auto rest = open & ~used; rest != 0; rest &= rest - 1) {
    const int node = std::countr_zero(rest);
    if (!costs_.can_host(base_ + node, type)) continue;
    Rows::set_node(scratch_.data(), edge.to, static_cast<Id>(node));
    regrow_by_masks(code, step + 1, used | (std::uint64_t{1} << node),
                    cost + costs_.cost(base_ + node, type), rows);
  }
}

template class Children<std::uint8_t>;
template class Children<std::uint16_t>;
template class Children<std::uint32_t>;
template class Extender<std::uint8_t>;
template class Extender<std::uint16_t>;
template class Extender<std::uint32_t>;

}  // namespace aglets
