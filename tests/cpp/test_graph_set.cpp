#include "aglets/graph_set.hpp"

#include <stdexcept>

#include "check.hpp"
#include "graphs.hpp"

using namespace aglets;

TEST(neighbours_masks_and_edges_agree) {
  const auto graphs = graph_set({{{0, 1, 0}, {{0, 2}, {1, 2}}}, {{1}, {}}});
  REQUIRE(graphs->size() == 2);
  REQUIRE(graphs->neighbours(2).size() == 2);
  REQUIRE(graphs->adjacency_masks(0)[2] == 3u);
  REQUIRE(graphs->edge_between(0, 2, 0) == 0);
  REQUIRE(graphs->edge_between(0, 0, 1) == -1);
  REQUIRE(graphs->nodes_with_label(0, 0).size() == 2);
  REQUIRE(graphs->nodes_with_label(1, 0).empty());
}

TEST(columns_that_do_not_fit_are_refused) {
  REQUIRE(throws<std::invalid_argument>([] { graph_set({{{0, 0}, {{0, 2}}}}); }));
  REQUIRE(throws<std::invalid_argument>([] { graph_set({{{0, 0}, {{1, 1}}}}); }));
  REQUIRE(throws<std::invalid_argument>([] { graph_set({{{0, 0}, {{0, 1}, {1, 0}}}}); }));
  REQUIRE(throws<std::invalid_argument>([] { graph_set({{{-2}, {}}}); }));
}
