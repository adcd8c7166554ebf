#include "root_costs.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "extension.hpp"

namespace aglets {

namespace {

template <class Id>
std::vector<RootRuns> look_up_root_costs(const MiningTree& tree, Account& account) {
  Extender<Id> extender(tree.graphs(), tree.costs(), tree.maxpat(), true);
  extender.begin_account(account);
  EmbeddingRows<Id> rows;
  std::vector<double> by_root;
  std::vector<RootRuns> roots(tree.n_arenas());
  for (std::int32_t arena = 0; arena < tree.n_arenas(); ++arena) {
    for (std::int32_t index = 0; index < tree.arena_size(arena); ++index) {
      const NodeRef ref{arena, index};
      const auto code = tree.code(ref);
      const auto before = roots[arena].costs.size();
      roots[arena].begin_node();
      for (const auto graph : tree.support_graphs(ref)) {
        extender.regrow(code, {&graph, 1}, rows);
        by_root.clear();
        for (const auto& support : rows.supports()) by_root.push_back(support.cost);
        roots[arena].add_support(by_root);
      }
      const auto added = static_cast<std::int64_t>(roots[arena].costs.size() - before);
      account.keep(0, RootRuns::bytes_for(1, tree.node(ref).n_supports, added));
    }
  }
  return roots;
}

}  // namespace

std::vector<RootCost> root_costs_of(MiningTree& tree, NodeRef ref, Budget& budget) {
  const std::lock_guard lock(tree.mutex());
  Account account(budget, {0, tree.n_nodes(), tree.n_bytes()});
  keep_root_costs(tree, account);
  const auto graphs = tree.support_graphs(ref);
  const auto by_support = tree.root_costs(ref);
  std::vector<RootCost> all;
  for (std::size_t i = 0; i < graphs.size(); ++i)
    for (std::size_t run = 0; run < by_support[i].costs.size(); ++run)
      all.insert(all.end(), by_support[i].counts[run], {graphs[i], by_support[i].costs[run]});
  return all;
}

void keep_root_costs(MiningTree& tree, Account& account) {
  if (tree.keeps_roots()) return;
  tree.keep_roots(with_node_id(tree.graphs(),
                               [&]<class Id>() { return look_up_root_costs<Id>(tree, account); }));
}

}  // namespace aglets
