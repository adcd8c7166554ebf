#include "assignment.hpp"

#include <cmath>
#include <limits>

namespace aglets {

std::vector<int> min_cost_assignment(const std::vector<double>& costs, int n_rows, int n_columns) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (n_rows > n_columns) return {};
  // Column 0 is a virtual one at which each row's augmenting path starts.
  std::vector<double> row_potential(n_rows + 1, 0.0), column_potential(n_columns + 1, 0.0);
  std::vector<int> row_of(n_columns + 1, 0), previous(n_columns + 1, 0);
  for (int row = 1; row <= n_rows; ++row) {
    std::vector<double> distance(n_columns + 1, infinity);
    std::vector<bool> done(n_columns + 1, false);
    int column = 0;
    row_of[0] = row;
    do {
      done[column] = true;
      const int current = row_of[column];
      double lowest = infinity;
      int next = -1;
      for (int j = 1; j <= n_columns; ++j) {
        if (done[j]) continue;
        const double reduced =
            costs[(current - 1) * n_columns + j - 1] - row_potential[current] - column_potential[j];
        if (reduced < distance[j]) {
          distance[j] = reduced;
          previous[j] = column;
        }
        if (distance[j] < lowest) {
          lowest = distance[j];
          next = j;
        }
      }
      if (next < 0) return {};
      for (int j = 0; j <= n_columns; ++j) {
        if (done[j]) {
          row_potential[row_of[j]] += lowest;
          column_potential[j] -= lowest;
        } else {
          distance[j] -= lowest;
        }
      }
      column = next;
    } while (row_of[column] != 0);
    while (column != 0) {
      row_of[column] = row_of[previous[column]];
      column = previous[column];
    }
  }
  std::vector<int> column_of(n_rows, -1);
  for (int j = 1; j <= n_columns; ++j)
    if (row_of[j] != 0) column_of[row_of[j] - 1] = j - 1;
  return column_of;
}

}  // namespace aglets
