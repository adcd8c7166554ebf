#include "aglets/leads.hpp"

#include <cmath>

#include "aglets/embedding_lists.hpp"
#include "aglets/graphlet_bank.hpp"
#include "aglets/tie_order.hpp"
#include "check.hpp"
#include "graphs.hpp"

using namespace aglets;

namespace {

const Pattern path{{0, 0, 0}, {{0, 1, 0}, {1, 2, 0}}};

std::vector<PlainGraph> some_graphs() {
  std::mt19937 random(5);
  std::vector<PlainGraph> plain;
  for (int i = 0; i < 12; ++i) plain.push_back(random_graph(random, 7, 1 + i % 2, 0.4));
  // Nodes of the last one do not fit into a byte.
  PlainGraph chain;
  for (int i = 0; i < 300; ++i) chain.labels.push_back(i > 250 ? 0 : 1);
  for (int i = 1; i < 300; ++i) chain.edges.push_back({i - 1, i});
  plain.push_back(chain);
  return plain;
}

}  // namespace

TEST(what_a_bank_remembers_changes_nothing_it_finds) {
  Budget budget({});
  Ticker ticker(budget);
  for (const auto& graphs : {graph_set(some_graphs()), tied_graph_set(some_graphs(), 3)}) {
    const PatternMatcher matcher(*graphs, path);
    for (const Channel channel : {Channel{}, Channel{Pooling::sum, CountScale::raw}}) {
      // Room for no list, for some lists, for all.
      for (const std::int64_t table_bytes : {0, 1, 60}) {
        GraphletBank bank(graphs, table_bytes);
        bank.add(path, bank.find_support(path, ticker), ticker, channel);
        REQUIRE(!bank.has_table(0));
        std::mt19937 random(7);
        std::normal_distribution<double> normal;
        std::vector<double> z(flat_size(path, *graphs)), costs(bank.n_places(0));
        std::vector<std::int32_t> embedding(bank.n_sites(0)), previous;
        for (int step = 0; step < 60; ++step) {
          const double size = std::pow(10.0, -step % 6);
          for (auto& value : z) value += size * normal(random);
          bank.match(0, z, previous, costs, embedding, ticker);
          std::int32_t last = -1;
          std::vector<std::int32_t> images;
          std::size_t image = 0;
          for (std::size_t place = 0; place < costs.size(); ++place) {
            const auto graph = bank.place_graphs(0)[place];
            if (graph != last) {
              images = matcher.root_images(graph, ticker);
              image = 0;
              last = graph;
            }
            const auto before = previous.empty()
                                    ? std::span<const std::int32_t>{}
                                    : std::span<const std::int32_t>(previous).subspan(3 * place, 3);
            const auto expected = channel.counts()
                                      ? matcher.best_at(graph, images[image++], z, before, ticker)
                                      : matcher.best(graph, z, before, ticker);
            const auto found = std::span<const std::int32_t>(embedding).subspan(3 * place, 3);
            REQUIRE(std::abs(costs[place] - expected.cost) <= 1e-12 * (1.0 + expected.cost));
            REQUIRE(TieOrder(*graphs, graph, path).same(found, expected.nodes));
          }
          // Now and then nothing is known from before.
          previous = step % 7 == 6 ? std::vector<std::int32_t>{} : embedding;
        }
      }
    }
  }
}

TEST(a_lead_holds_until_attributes_have_moved_half_of_it) {
  Leads leads;
  leads.reset(1, 1);
  const std::vector<std::int32_t> node{4};
  leads.move_to(std::vector<double>{0.0});
  REQUIRE(!leads.holds(0));
  leads.remember(0, node, 1.0, 9.0);  // at distances 1 and 3
  REQUIRE(leads.holds(0));
  leads.move_to(std::vector<double>{0.99});
  REQUIRE(leads.holds(0) && leads.nodes(0)[0] == 4);
  leads.move_to(std::vector<double>{1.0});
  REQUIRE(!leads.holds(0));
  // More references than are kept: nothing is known after that.
  leads.move_to(std::vector<double>{0.0});
  for (int i = 0; i < 5000; ++i) {
    leads.move_to(std::vector<double>{static_cast<double>(i)});
    REQUIRE(!leads.holds(0) || i < 1);
    leads.remember(0, node, 4.0, 4.0);  // no lead
  }
  leads.remember(0, std::vector<std::int32_t>{70000}, 1.0, HUGE_VAL);
  REQUIRE(!leads.holds(0));
}

TEST(lists_keep_what_a_byte_can_name) {
  EmbeddingLists lists;
  lists.reset(2);
  REQUIRE(lists.state(0) == EmbeddingLists::State::unknown);
  REQUIRE(!lists.keep(0, std::vector<std::int32_t>{1, 256}));
  REQUIRE(lists.keep(1, std::vector<std::int32_t>{1, 255}));
  REQUIRE(lists.state(1) == EmbeddingLists::State::listed && lists.nodes(1)[1] == 255);
}
