#include "search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <memory>
#include <queue>
#include <stdexcept>
#include <unordered_map>

#include "extension.hpp"
#include "gradients.hpp"
#include "growth_plan.hpp"
#include "parallel.hpp"
#include "root_costs.hpp"

namespace aglets {

namespace {

/// Patterns with more embeddings than this are extended graph by graph.
constexpr std::size_t max_rows = 200000;

/// Makes children of tree nodes; one per thread.
template <class Id>
class Grower {
public:
  Grower(MiningTree& tree, const Query& query, double threshold)
      : tree_(tree),
        query_(query),
        threshold_(threshold),
        extender_(tree.graphs(), tree.costs(), tree.maxpat(), tree.keeps_roots()),
        gradients_(tree, query) {}

  /// Begins a task: charges its account, and forgets what earlier ones have grown.
  void begin(Account& account) {
    account_ = &account;
    has_begun_ = false;
    grown_.clear();
  }

  /// Makes the children that a walk of the query's maxpat needs, if they are
  /// missing, and those of descendants whose bound exceeds the threshold.
  void ensure_children(NodeRef ref) {
    const auto scope = missing(ref);
    if (!scope.backward && !scope.forward) return;
    begin_buffers();
    account_->check();
    auto code = tree_.code(ref);
    const auto supports = tree_.support_graphs(ref);
    const std::vector<std::int32_t> graphs(supports.begin(), supports.end());
    if (extender_.regrow(code, graphs, rows_, max_rows)) {
      grow(ref, code, rows_, scope);
    } else {
      rows_.release(*account_);
      auto& children = level(code.n_edges());
      extender_.extend_by_graph(code, graphs, scope, children);
      add_children(ref, children, scope);
    }
  }

  void set_threshold(double threshold) { threshold_ = threshold; }

  /// Makes from now on the children that a plan has, and no others.
  void follow(const GrowthPlan& plan) {
    plan_ = &plan;
    for (std::int32_t root = 0; root < tree_.n_roots(); ++root)
      planned_[NodeRef{0, root}.id()] = plan.roots()[root];
  }

  std::int64_t n_made() const { return n_made_; }
  const std::vector<Growth>& grown() const { return grown_; }

private:
  /// Most tasks grow nothing, so buffers are made ready when one does.
  void begin_buffers() {
    if (has_begun_) return;
    has_begun_ = true;
    extender_.begin_account(*account_);
    rows_.begin_account();
    for (auto& children : levels_) children.begin_account();
  }

  ExtensionScope missing(NodeRef ref) const {
    const auto& node = tree_.node(ref);
    if (plan_) {
      const auto place = planned_.at(ref.id());
      return {!node.backward.made() && plan_->backward(place),
              !node.forward.made() && plan_->forward(place) && node.n_nodes < query_.maxpat};
    }
    return {!node.backward.made(), !node.forward.made() && node.n_nodes < query_.maxpat};
  }

  void grow(NodeRef ref, DfsCode& code, const EmbeddingRows<Id>& rows, ExtensionScope scope) {
    auto& children = level(code.n_edges());
    extender_.extend(code, rows, scope, children);
    add_children(ref, children, scope);
    // An arena's top is left to the thread that will search its arena.
    const auto& node = tree_.node(ref);
    std::int32_t backward = node.backward.first, forward = node.forward.first;
    for (auto* child : children.all()) {
      const auto made_ref = tree_.child(ref, child->edge.is_forward() ? forward++ : backward++);
      const auto next = missing(made_ref);
      if (child->rows.size() <= max_rows && wants_growth(made_ref, next)) {
        code.push(child->edge, child->to_type);
        grow(made_ref, code, child->rows, next);
        code.pop();
      }
      child->rows.release(*account_);
    }
  }

  bool wants_growth(NodeRef ref, ExtensionScope next) {
    if ((!next.backward && !next.forward) || tree_.is_arena_root(ref)) return false;
    if (plan_) return true;
    // The largest patterns keep few rows and grow by rings only: cheaper now than again later.
    if (tree_.node(ref).n_nodes == tree_.maxpat()) return true;
    return threshold_ < HUGE_VAL && exceeds_threshold(ref);
  }

  bool exceeds_threshold(NodeRef ref) {
    for (std::size_t channel = 0; channel < query_.channels.size(); ++channel)
      if (gradients_.evaluate(ref, channel).g_bar > threshold_) return true;
    return false;
  }

  void add_children(NodeRef ref, const Children<Id>& children, ExtensionScope scope) {
    std::vector<NewChild> made;
    for (const auto* child : children.all())
      made.push_back(
          {child->edge, child->to_type, !child->rows.can_grow(), child->rows.supports()});
    tree_.add_children(ref, made, scope.backward, scope.forward, *account_);
    grown_.push_back({ref, scope.backward, scope.forward});
    n_made_ += static_cast<std::int64_t>(made.size());
    if (plan_) find_in_plan(ref);
  }

  /// Notes where the children of a node are in the plan.
  void find_in_plan(NodeRef ref) {
    const auto place = planned_.at(ref.id());
    const auto& node = tree_.node(ref);
    if (node.backward.count != plan_->n_backward(place) ||
        node.forward.count != plan_->n_forward(place))
      throw std::invalid_argument("no growth of this tree");
    const auto places = plan_->children(place);
    for (std::int32_t i = 0; i < node.backward.count; ++i)
      planned_[tree_.child(ref, node.backward.first + i).id()] = places[i];
    for (std::int32_t i = 0; i < node.forward.count; ++i)
      planned_[tree_.child(ref, node.forward.first + i).id()] = places[node.backward.count + i];
  }

  Children<Id>& level(int depth) {
    while (static_cast<int>(levels_.size()) <= depth) levels_.emplace_back();
    return levels_[depth];
  }

  MiningTree& tree_;
  const Query& query_;
  double threshold_;
  Account* account_ = nullptr;
  bool has_begun_ = false;
  Extender<Id> extender_;
  Gradients gradients_;
  std::deque<Children<Id>> levels_;
  EmbeddingRows<Id> rows_;
  std::int64_t n_made_ = 0;
  std::vector<Growth> grown_;
  const GrowthPlan* plan_ = nullptr;
  std::unordered_map<std::int64_t, std::int32_t> planned_;  // places in the plan, by node
};

template <class Visit>
void for_each_child(const MiningTree& tree, NodeRef parent, int maxpat, Visit&& visit) {
  // Copied: visiting may make nodes and so move them.
  const auto node = tree.node(parent);
  for (std::int32_t i = 0; i < node.backward.count; ++i)
    visit(tree.child(parent, node.backward.first + i));
  if (node.n_nodes >= maxpat) return;
  for (std::int32_t i = 0; i < node.forward.count; ++i)
    visit(tree.child(parent, node.forward.first + i));
}

/// A bit per channel of the query in which something below may still violate.
using OpenChannels = std::uint32_t;

/// An arena to be searched, and what came of it.
struct Task {
  NodeRef root;
  OpenChannels open;
  ArenaMark before;
  Violators found;
  std::vector<Growth> grown;
};

template <class Id>
class ViolatorSearch {
public:
  ViolatorSearch(MiningTree& tree, const Query& query, double lam, double look_ahead)
      : tree_(tree),
        query_(query),
        lam_(lam),
        grower_(tree, query, look_ahead * lam),
        gradients_(tree, query) {}

  void begin(Account& account) {
    account_ = &account;
    grower_.begin(account);
  }

  /// Visits the trunk; tops of arenas that survive the bound become tasks.
  void trunk(NodeRef ref, OpenChannels open, std::vector<Violators>& parts,
             std::vector<Task>& tasks) {
    open = still_open(ref, open, parts.back());
    if (open == 0) return;
    if (tree_.is_arena_root(ref)) {
      tasks.push_back({ref, open, tree_.mark(ref), {}, {}});
      parts.emplace_back();
      return;
    }
    grower_.ensure_children(ref);
    for_each_child(tree_, ref, query_.maxpat,
                   [&](NodeRef child) { trunk(child, open, parts, tasks); });
  }

  /// Everything below a node that has passed in the open channels.
  void below(NodeRef ref, OpenChannels open, Violators& found) {
    grower_.ensure_children(ref);
    for_each_child(tree_, ref, query_.maxpat, [&](NodeRef child) {
      const auto open_below = still_open(child, open, found);
      if (open_below != 0) below(child, open_below, found);
    });
  }

  std::int64_t n_made() const { return grower_.n_made(); }
  const std::vector<Growth>& grown() const { return grower_.grown(); }

private:
  /// Visits a node; says which of the open channels may have violators below it.
  OpenChannels still_open(NodeRef ref, OpenChannels open, Violators& found) {
    ++found.n_visited;
    OpenChannels passed = 0;
    for (OpenChannels rest = open; rest != 0; rest &= rest - 1) {
      const int channel = std::countr_zero(rest);
      account_->tick();
      if (passes(ref, channel, found)) passed |= OpenChannels{1} << channel;
    }
    return passed;
  }

  bool passes(NodeRef ref, int channel, Violators& found) {
    // A typical node is far enough from lambda to be judged by what is remembered of it.
    const auto known = gradients_.remembered(ref, channel);
    if (known.g_bar + known.slack <= lam_) return false;
    if (known.g_bar - known.slack > lam_ && known.g + known.slack <= lam_) return true;
    const auto [g, g_bar] = gradients_.evaluate(ref, channel);
    if (g > lam_) note(ref, channel, g, found);
    return g_bar > lam_;
  }

  void note(NodeRef ref, int channel, double norm, Violators& found) const {
    found.nodes.push_back(ref.id());
    found.sizes.push_back(tree_.node(ref).n_nodes);
    const auto g = gradients_.g(), g_bar = gradients_.g_bar();
    found.g.push_back(g.front());
    found.g_bar.push_back(g_bar.front());
    // What goes without saying is filled in by `complete`.
    if (query_.channels.size() > 1) found.channels.push_back(channel);
    if (g.size() == 1) return;
    found.g.insert(found.g.end(), g.begin() + 1, g.end());
    found.g_bar.insert(found.g_bar.end(), g_bar.begin() + 1, g_bar.end());
    found.norms.push_back(norm);
  }

  MiningTree& tree_;
  const Query& query_;
  double lam_;
  Account* account_ = nullptr;
  Grower<Id> grower_;
  Gradients gradients_;
};

template <class T>
void append(std::vector<T>& all, const std::vector<T>& part) {
  all.insert(all.end(), part.begin(), part.end());
}

void append(Violators& all, const Violators& part) {
  append(all.nodes, part.nodes);
  append(all.channels, part.channels);
  append(all.g, part.g);
  append(all.g_bar, part.g_bar);
  append(all.norms, part.norms);
  append(all.sizes, part.sizes);
  all.n_visited += part.n_visited;
  all.n_made += part.n_made;
}

/// Fills in the channels if there is one only, and the norms of single gradients.
void complete(Violators& all, const Query& query) {
  if (query.channels.size() == 1) all.channels.assign(all.nodes.size(), 0);
  if (query.n_outputs == 1)
    for (const double g : all.g) all.norms.push_back(std::abs(g));
}

/// Runs one task; what it grew is noted even if it does not come to an end.
template <class Id>
void search_arena(ViolatorSearch<Id>& search, Task& task, Account& account) {
  search.begin(account);
  const auto made_before = search.n_made();
  try {
    search.below(task.root, task.open, task.found);
  } catch (const BudgetExceeded&) {
    task.grown = search.grown();
    throw;
  }
  task.grown = search.grown();
  task.found.n_made = search.n_made() - made_before;
}

/// Adds to the tree's work what tasks spent, however the search ends.
class WorkOfTasks {
public:
  WorkOfTasks(MiningTree& tree, const Ledger& ledger, std::size_t n_tasks)
      : tree_(tree), ledger_(ledger), n_tasks_(n_tasks) {}
  ~WorkOfTasks() { tree_.add_work(ledger_.spent_before(n_tasks_).work - ledger_.before().work); }
  WorkOfTasks(const WorkOfTasks&) = delete;
  WorkOfTasks& operator=(const WorkOfTasks&) = delete;

  /// Counts only the first so many tasks.
  void limit(std::size_t n_tasks) { n_tasks_ = n_tasks; }

private:
  MiningTree& tree_;
  const Ledger& ledger_;
  std::size_t n_tasks_;
};

/// The same for one account.
class WorkOfAccount {
public:
  WorkOfAccount(MiningTree& tree, const Account& account) : tree_(tree), account_(account) {}
  ~WorkOfAccount() { tree_.add_work(account_.own().work); }
  WorkOfAccount(const WorkOfAccount&) = delete;
  WorkOfAccount& operator=(const WorkOfAccount&) = delete;

private:
  MiningTree& tree_;
  const Account& account_;
};

/// Limits were passed in task `last`: undoes what a search in tree order would
/// not have done, and throws what it would have thrown.
template <class Id>
[[noreturn]] void end_in_order(MiningTree& tree, std::vector<Task>& tasks, std::size_t last,
                               const Ledger& ledger, ViolatorSearch<Id>& search, Budget& budget) {
  const bool is_exact = ledger.is_exact(last);
  for (auto task = is_exact ? last + 1 : last; task < tasks.size(); ++task)
    tree.shrink_to(tasks[task].before, tasks[task].root, tasks[task].grown);
  if (is_exact) ledger.rethrow(last);
  Account account(budget, ledger.spent_before(last));
  const WorkOfAccount work(tree, account);
  search_arena(search, tasks[last], account);
  account.settle();
  throw std::logic_error("a task that passed the limits did not pass them again");
}

template <class Id>
Violators find_violators_with(MiningTree& tree, const Query& query, double lam, double look_ahead,
                              int n_threads, Account& account, Budget& budget) {
  const auto all_open = static_cast<OpenChannels>((std::uint64_t{1} << query.channels.size()) - 1);
  std::vector<Violators> trunk(1);  // trunk[i]: what the trunk shows before task i
  std::vector<Task> tasks;
  ViolatorSearch<Id> first(tree, query, lam, look_ahead);
  first.begin(account);
  for (std::int32_t root = 0; root < tree.n_roots(); ++root)
    first.trunk({0, root}, all_open, trunk, tasks);
  account.settle();
  trunk[0].n_made += first.n_made();
  Ledger ledger(budget.limits(), account.total(), tasks.size());
  WorkOfTasks work(tree, ledger, tasks.size());
  run_tasks(tasks.size(), n_threads, budget, [&] {
    auto search = std::make_shared<ViolatorSearch<Id>>(tree, query, lam, look_ahead);
    return [&, search](std::size_t task) {
      ledger.run(task, budget, [&](Account& own) { search_arena(*search, tasks[task], own); });
    };
  });
  const auto last = ledger.first_over();
  if (last < tasks.size()) {
    work.limit(ledger.is_exact(last) ? last + 1 : last);
    end_in_order(tree, tasks, last, ledger, first, budget);
  }
  Violators all;
  for (std::size_t i = 0; i < trunk.size(); ++i) {
    append(all, trunk[i]);
    if (i < tasks.size()) append(all, tasks[i].found);
  }
  complete(all, query);
  return all;
}

/// Share of the best waiting bound down to which find_largest looks ahead.
constexpr double largest_look_ahead = 0.5;

struct Waiting {
  double g_bar;
  std::int64_t order;  // older first among equals: the search stays deterministic
  NodeRef ref;

  bool operator<(const Waiting& other) const {
    return g_bar != other.g_bar ? g_bar < other.g_bar : order > other.order;
  }
};

template <class Id>
Largest find_largest_with(MiningTree& tree, const Query& query, Account& account) {
  Largest best;
  std::priority_queue<Waiting> waiting;
  Grower<Id> grower(tree, query, HUGE_VAL);
  grower.begin(account);
  Gradients gradients(tree, query);
  const auto meet = [&](NodeRef ref) {
    ++best.n_visited;
    double bound = 0.0;
    for (std::size_t channel = 0; channel < query.channels.size(); ++channel) {
      account.tick();
      const auto [g, g_bar] = gradients.evaluate(ref, channel);
      bound = std::max(bound, g_bar);
      if (g <= best.value) continue;
      best.value = g;
      best.node = ref.id();
    }
    if (bound > best.value) waiting.push({bound, best.n_visited, ref});
  };
  for (std::int32_t root = 0; root < tree.n_roots(); ++root) meet({0, root});
  while (!waiting.empty() && waiting.top().g_bar > best.value) {
    const auto ref = waiting.top().ref;
    waiting.pop();
    account.check();
    // Descendants with a bound near the next best will be wanted soon.
    const double next = waiting.empty() ? 0.0 : waiting.top().g_bar;
    grower.set_threshold(std::max(best.value, largest_look_ahead * next));
    grower.ensure_children(ref);
    for_each_child(tree, ref, query.maxpat, meet);
  }
  account.settle();
  best.n_made = grower.n_made();
  return best;
}

bool is_last_edge_of(const TreeNode& node, const CodeEdge& edge, std::int32_t to_type) {
  return node.edge.from == edge.from && node.edge.to == edge.to && node.edge.label == edge.label &&
         (!edge.is_forward() || node.to_type == to_type);
}

template <class Id>
Offspring find_children_with(MiningTree& tree, std::span<const std::int64_t> nodes, int maxpat,
                             Account& account) {
  const Query query{{}, 1.0, maxpat};
  Grower<Id> grower(tree, query, HUGE_VAL);
  grower.begin(account);
  Offspring found;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto parent = NodeRef::from_id(nodes[i]);
    grower.ensure_children(parent);
    for_each_child(tree, parent, maxpat, [&](NodeRef child) {
      account.tick();
      const auto& node = tree.node(child);
      found.parents.push_back(static_cast<std::int32_t>(i));
      found.nodes.push_back(child.id());
      found.edges.insert(found.edges.end(), {node.edge.from, node.edge.to, node.edge.label});
      found.to_types.push_back(node.to_type);
    });
  }
  account.settle();
  return found;
}

template <class Id>
std::int64_t find_node_with(MiningTree& tree, const DfsCode& code, Account& account) {
  constexpr NodeRef none{-1, -1};
  const Query query{{}, 1.0, code.n_nodes()};
  Grower<Id> grower(tree, query, HUGE_VAL);
  grower.begin(account);
  NodeRef reached = none;
  for (std::int32_t root = 0; root < tree.n_roots(); ++root)
    if (tree.node({0, root}).to_type == code.type(0)) reached = {0, root};
  for (const auto& edge : code.edges()) {
    if (reached.arena < 0) break;
    grower.ensure_children(reached);
    NodeRef next = none;
    for_each_child(tree, reached, query.maxpat, [&](NodeRef child) {
      if (is_last_edge_of(tree.node(child), edge, code.type(edge.to))) next = child;
    });
    reached = next;
  }
  return reached.arena < 0 ? -1 : reached.id();
}

/// Makes what a plan has below a node.
template <class Id>
void grow_below(MiningTree& tree, NodeRef ref, Grower<Id>& grower) {
  grower.ensure_children(ref);
  for_each_child(tree, ref, tree.maxpat(), [&](NodeRef child) { grow_below(tree, child, grower); });
}

void list_growth(const MiningTree& tree, NodeRef ref, std::vector<std::int32_t>& counts) {
  for (const auto& range : {tree.node(ref).backward, tree.node(ref).forward})
    counts.push_back(range.made() ? range.count + 1 : 0);
  for_each_child(tree, ref, tree.maxpat(),
                 [&](NodeRef child) { list_growth(tree, child, counts); });
}

/// What a tree holds counts against the limits; the work of earlier searches does not.
Spending held_by(const MiningTree& tree) { return {0, tree.n_nodes(), tree.n_bytes()}; }

}  // namespace

Violators find_violators(MiningTree& tree, const Query& query, double lam, double look_ahead,
                         int n_threads, Budget& budget) {
  const std::lock_guard lock(tree.mutex());
  Account account(budget, held_by(tree));
  const WorkOfAccount work(tree, account);
  if (query.counts()) keep_root_costs(tree, account);
  tree.prepare(query);
  return with_node_id(tree.graphs(), [&]<class Id>() {
    return find_violators_with<Id>(tree, query, lam, look_ahead, n_threads, account, budget);
  });
}

Largest find_largest(MiningTree& tree, const Query& query, Budget& budget) {
  const std::lock_guard lock(tree.mutex());
  Account account(budget, held_by(tree));
  const WorkOfAccount work(tree, account);
  if (query.counts()) keep_root_costs(tree, account);
  tree.prepare(query);
  return with_node_id(tree.graphs(),
                      [&]<class Id>() { return find_largest_with<Id>(tree, query, account); });
}

Offspring find_children(MiningTree& tree, std::span<const std::int64_t> nodes, int maxpat,
                        Budget& budget) {
  const std::lock_guard lock(tree.mutex());
  Account account(budget, held_by(tree));
  const WorkOfAccount work(tree, account);
  return with_node_id(tree.graphs(), [&]<class Id>() {
    return find_children_with<Id>(tree, nodes, maxpat, account);
  });
}

SignedSums find_signed_sums(MiningTree& tree, std::span<const std::int64_t> nodes,
                            const Query& query, Budget& budget) {
  const std::lock_guard lock(tree.mutex());
  Account account(budget, held_by(tree));
  const WorkOfAccount work(tree, account);
  if (query.counts()) keep_root_costs(tree, account);
  tree.prepare(query);
  Gradients gradients(tree, query);
  SignedSums sums;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t channel = 0; channel < query.channels.size(); ++channel) {
      account.tick();
      gradients.evaluate(NodeRef::from_id(nodes[i]), channel);
      for (std::size_t output = 0; output < query.n_outputs; ++output) {
        // The larger of the two sums is g_bar, and g is their difference.
        const double g = gradients.g()[output], g_bar = gradients.g_bar()[output];
        sums.up.push_back(g >= 0.0 ? g_bar : g_bar + g);
        sums.down.push_back(g >= 0.0 ? g_bar - g : g_bar);
      }
    }
  }
  account.settle();
  return sums;
}

std::int64_t find_node(MiningTree& tree, const DfsCode& code, Budget& budget) {
  if (code.n_nodes() > tree.maxpat()) return -1;
  const std::lock_guard lock(tree.mutex());
  // Not counted as work of the tree: a search has found the node before, here or elsewhere.
  Account account(budget, held_by(tree));
  return with_node_id(tree.graphs(),
                      [&]<class Id>() { return find_node_with<Id>(tree, code, account); });
}

std::vector<std::int32_t> growth_of(MiningTree& tree) {
  const std::lock_guard lock(tree.mutex());
  std::vector<std::int32_t> counts;
  counts.reserve(2 * static_cast<std::size_t>(tree.n_nodes()));
  for (std::int32_t root = 0; root < tree.n_roots(); ++root) list_growth(tree, {0, root}, counts);
  return counts;
}

void grow_as(MiningTree& tree, std::span<const std::int32_t> counts, bool keeps_roots,
             Budget& budget) {
  const std::lock_guard lock(tree.mutex());
  if (tree.n_nodes() != tree.n_roots()) throw std::invalid_argument("the tree has grown before");
  const GrowthPlan plan(counts, tree.n_roots());
  // Not counted as work of the tree: what it is grown as has spent it before.
  Account account(budget, held_by(tree));
  if (keeps_roots) keep_root_costs(tree, account);
  const Query query{{}, 1.0, tree.maxpat()};
  with_node_id(tree.graphs(), [&]<class Id>() {
    Grower<Id> grower(tree, query, HUGE_VAL);
    grower.begin(account);
    grower.follow(plan);
    for (std::int32_t root = 0; root < tree.n_roots(); ++root) grow_below(tree, {0, root}, grower);
  });
}

}  // namespace aglets
