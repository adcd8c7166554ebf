#include "sparse_rows.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "budget.hpp"
#include "parallel.hpp"
#include "wide.hpp"

namespace aglets {

namespace {

/// Graphs of a task, and values below which a second thread costs more than it brings.
constexpr std::size_t GRAPHS_PER_TASK = 1 << 14, VALUES_PER_THREAD = 1 << 17;
/// Outputs that are summed side by side; numbers of several outputs that fit into the cache.
constexpr std::size_t TOGETHER = 8, NUMBERS_AT_ONCE = 1 << 12;

int useful(std::size_t n_values, int n_threads) {
  const auto most = 1 + std::min<std::size_t>(n_values / VALUES_PER_THREAD, 1024);
  return std::min(n_threads, static_cast<int>(most));
}

template <class Task>
void run(std::size_t n_tasks, int n_threads, Task&& task) {
  if (n_threads <= 1) {
    for (std::size_t i = 0; i < n_tasks; ++i) task(i);
    return;
  }
  Budget unlimited({});
  run_tasks(n_tasks, n_threads, unlimited, [&] { return task; });
}

void require(bool holds) {
  if (!holds) throw std::invalid_argument("rows, coefficients and weights must agree in size");
}

/// sum_i values_i weights[graphs_i], in four sums that do not wait for each other.
double dot(std::span<const std::int32_t> graphs, std::span<const double> values,
           const double* weights) {
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += values[i + k] * weights[graphs[i + k]];
  for (; i < values.size(); ++i) sums[0] += values[i] * weights[graphs[i]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// How many outputs there are with those that fill up the last `TOGETHER`.
std::size_t filled_up(std::size_t n_outputs) {
  return (n_outputs + TOGETHER - 1) / TOGETHER * TOGETHER;
}

/// `dot` of one row for several outputs, whose weights stand side by side for each graph.
AGLETS_WIDE void dot_outputs(const std::int32_t* graphs, const double* values, std::size_t n,
                             const double* weights, std::size_t stride, double* found) {
  for (std::size_t first = 0; first < stride; first += TOGETHER) {
    double sums[4][TOGETHER] = {};
    const double* block = weights + first;
    const auto add = [&](std::size_t i, std::size_t lane) {
      const double* weight = block + static_cast<std::size_t>(graphs[i]) * stride;
      const double value = values[i];
      for (std::size_t k = 0; k < TOGETHER; ++k) sums[lane][k] += value * weight[k];
    };
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
      for (std::size_t lane = 0; lane < 4; ++lane) add(i + lane, lane);
    for (; i < n; ++i) add(i, 0);
    for (std::size_t k = 0; k < TOGETHER; ++k)
      found[first + k] = (sums[0][k] + sums[1][k]) + (sums[2][k] + sums[3][k]);
  }
}

/// Adds the values of one row, each times the coefficients of all outputs, to sums that have the
/// outputs of a graph side by side.
AGLETS_WIDE void add_outputs(const std::int32_t* graphs, const double* values, std::size_t n,
                             const double* coef, std::size_t stride, std::size_t first_graph,
                             double* sums) {
  for (std::size_t i = 0; i < n; ++i) {
    double* f = sums + (static_cast<std::size_t>(graphs[i]) - first_graph) * stride;
    const double value = values[i];
    for (std::size_t first = 0; first < stride; first += TOGETHER)
      for (std::size_t k = 0; k < TOGETHER; ++k) f[first + k] += coef[first + k] * value;
  }
}

}  // namespace

struct SparseRows::Part {
  std::span<const std::int32_t> graphs;
  std::span<const double> values;
};

SparseRows::Part SparseRows::part(std::size_t row, std::size_t begin, std::size_t end) const {
  const auto all = graphs(row);
  const auto at = [&](std::size_t graph) {
    if (graph == 0) return std::size_t{0};
    if (graph >= n_graphs_) return all.size();
    const auto found = std::lower_bound(all.begin(), all.end(), static_cast<std::int32_t>(graph));
    return static_cast<std::size_t>(found - all.begin());
  };
  const auto first = at(begin), count = at(end) - first;
  return {all.subspan(first, count), values(row).subspan(first, count)};
}

SparseRows SparseRows::of(std::span<const double> matrix, std::size_t n_graphs) {
  SparseRows found(n_graphs);
  for (; !matrix.empty(); matrix = matrix.subspan(n_graphs)) {
    std::vector<std::int32_t> graphs;
    std::vector<double> values;
    for (std::size_t i = 0; i < n_graphs; ++i)
      if (matrix[i] != 0.0) {
        graphs.push_back(static_cast<std::int32_t>(i));
        values.push_back(matrix[i]);
      }
    found.append(std::make_shared<const std::vector<std::int32_t>>(std::move(graphs)),
                 std::move(values));
  }
  return found;
}

std::size_t SparseRows::n_values() const {
  std::size_t n = 0;
  for (const auto& row : rows_) n += row.values->size();
  return n;
}

void SparseRows::append(Graphs graphs, std::vector<double> values) {
  require(graphs->size() == values.size());
  rows_.push_back(
      {std::move(graphs), std::make_shared<const std::vector<double>>(std::move(values))});
}

SparseRows SparseRows::joined(const SparseRows& more) const {
  require(more.n_graphs_ == n_graphs_);
  auto all = *this;
  all.rows_.insert(all.rows_.end(), more.rows_.begin(), more.rows_.end());
  return all;
}

SparseRows SparseRows::chosen(std::span<const bool> mask) const {
  require(mask.size() == size());
  SparseRows found(n_graphs_);
  for (std::size_t j = 0; j < size(); ++j)
    if (mask[j]) found.rows_.push_back(rows_[j]);
  return found;
}

SparseRows SparseRows::changed(std::span<const bool> mask, const SparseRows& by) const {
  const auto n = static_cast<std::size_t>(std::count(mask.begin(), mask.end(), true));
  require(mask.size() == size() && by.size() == n && by.n_graphs_ == n_graphs_);
  auto all = *this;
  auto next = by.rows_.begin();
  for (std::size_t j = 0; j < size(); ++j)
    if (mask[j]) all.rows_[j] = *next++;
  return all;
}

SparseRows SparseRows::with_values(std::span<const double> flat) const {
  require(flat.size() == n_values());
  SparseRows found(n_graphs_);
  for (const auto& row : rows_) {
    const auto own = flat.first(row.values->size());
    found.append(row.graphs, {own.begin(), own.end()});
    flat = flat.subspan(own.size());
  }
  return found;
}

std::vector<double> SparseRows::flat() const {
  std::vector<double> all;
  all.reserve(n_values());
  for (const auto& row : rows_) all.insert(all.end(), row.values->begin(), row.values->end());
  return all;
}

std::vector<double> SparseRows::dense(std::size_t begin, std::size_t end) const {
  const auto width = end - begin;
  std::vector<double> found(size() * width, 0.0);
  for (std::size_t j = 0; j < size(); ++j) {
    const auto [graphs, values] = part(j, begin, end);
    double* row = found.data() + j * width;
    for (std::size_t i = 0; i < graphs.size(); ++i)
      row[static_cast<std::size_t>(graphs[i]) - begin] = values[i];
  }
  return found;
}

std::vector<double> SparseRows::combined(std::span<const double> coef, std::size_t n_outputs,
                                         int n_threads) const {
  require(coef.size() == size() * n_outputs);
  std::vector<double> found(n_outputs * n_graphs_, 0.0);
  const auto threads = useful(n_values(), n_threads);
  const auto step = threads > 1 ? GRAPHS_PER_TASK : std::max<std::size_t>(n_graphs_, 1);
  run((n_graphs_ + step - 1) / step, threads, [&](std::size_t task) {
    const auto begin = task * step, end = std::min(begin + step, n_graphs_);
    if (n_outputs > 1) {
      combine_outputs(coef, n_outputs, begin, end, found.data());
      return;
    }
    for (std::size_t j = 0; j < size(); ++j) {
      const auto [graphs, values] = part(j, begin, end);
      if (coef[j] != 0.0)
        for (std::size_t i = 0; i < graphs.size(); ++i) found[graphs[i]] += coef[j] * values[i];
    }
  });
  return found;
}

void SparseRows::combine_outputs(std::span<const double> coef, std::size_t n_outputs,
                                 std::size_t begin, std::size_t end, double* found) const {
  const auto stride = filled_up(n_outputs);
  const auto at_once = std::max(NUMBERS_AT_ONCE / stride, TOGETHER);
  std::vector<double> wide(size() * stride, 0.0), sums(at_once * stride);
  std::vector<std::size_t> used, next(size(), 0);
  for (std::size_t j = 0; j < size(); ++j) {
    const auto row = coef.subspan(j * n_outputs, n_outputs);
    std::ranges::copy(row, wide.begin() + static_cast<std::ptrdiff_t>(j * stride));
    if (std::ranges::any_of(row, [](double c) { return c != 0.0; })) used.push_back(j);
  }
  std::vector<Part> parts(size());
  for (const auto j : used) parts[j] = part(j, begin, end);
  for (auto first = begin; first < end; first += at_once) {
    const auto last = std::min(first + at_once, end);
    std::ranges::fill(sums, 0.0);
    for (const auto j : used) {
      const auto& [graphs, values] = parts[j];
      const auto from = next[j];
      auto to = from;
      while (to < graphs.size() && static_cast<std::size_t>(graphs[to]) < last) ++to;
      add_outputs(graphs.data() + from, values.data() + from, to - from, wide.data() + j * stride,
                  stride, first, sums.data());
      next[j] = to;
    }
    for (std::size_t k = 0; k < n_outputs; ++k)
      for (auto i = first; i < last; ++i) found[k * n_graphs_ + i] = sums[(i - first) * stride + k];
  }
}

std::vector<double> SparseRows::dots(std::span<const double> weights, int n_threads) const {
  const auto n_outputs = n_graphs_ == 0 ? 0 : weights.size() / n_graphs_;
  require(weights.size() == n_outputs * n_graphs_);
  std::vector<double> found(size() * n_outputs);
  const auto threads = useful(n_values(), n_threads);
  if (n_outputs == 1) {
    run(size(), threads,
        [&](std::size_t j) { found[j] = dot(graphs(j), values(j), weights.data()); });
    return found;
  }
  const auto stride = filled_up(n_outputs);
  std::vector<double> by_graph(n_graphs_ * stride, 0.0);
  for (std::size_t i = 0; i < n_graphs_; ++i)
    for (std::size_t k = 0; k < n_outputs; ++k)
      by_graph[i * stride + k] = weights[k * n_graphs_ + i];
  std::vector<double> wide(size() * stride);
  run(size(), threads, [&](std::size_t j) {
    double* own = wide.data() + j * stride;
    dot_outputs(graphs(j).data(), values(j).data(), values(j).size(), by_graph.data(), stride, own);
    std::copy_n(own, n_outputs, found.data() + j * n_outputs);
  });
  return found;
}

std::vector<double> SparseRows::spread(std::span<const double> coef,
                                       std::span<const double> weights, int n_threads) const {
  const auto n_outputs = n_graphs_ == 0 ? 0 : weights.size() / n_graphs_;
  require(weights.size() == n_outputs * n_graphs_ && coef.size() == size() * n_outputs);
  std::vector<std::size_t> begin{0};
  for (const auto& row : rows_) begin.push_back(begin.back() + row.values->size());
  std::vector<double> found(begin.back());
  run(size(), useful(n_values(), n_threads), [&](std::size_t j) {
    const auto own = graphs(j);
    double* flat = found.data() + begin[j];
    for (std::size_t k = 0; k < n_outputs; ++k) {
      const double c = coef[j * n_outputs + k];
      const double* weight = weights.data() + k * n_graphs_;
      for (std::size_t i = 0; i < own.size(); ++i) flat[i] += c * weight[own[i]];
    }
  });
  return found;
}

double SparseRows::n_pairs(std::span<const double> weights, std::size_t begin,
                           std::size_t end) const {
  require(weights.size() == n_graphs_ && begin <= end && end <= n_graphs_);
  std::vector<std::int32_t> count(end - begin, 0);
  for (std::size_t j = 0; j < size(); ++j)
    for (const auto graph : part(j, begin, end).graphs) ++count[graph - begin];
  double pairs = 0.0;
  for (std::size_t i = begin; i < end; ++i)
    if (weights[i] > 0.0) pairs += 0.5 * count[i - begin] * (count[i - begin] + 1.0);
  return pairs;
}

std::vector<double> SparseRows::gram(std::span<const double> weights, std::size_t begin,
                                     std::size_t end) const {
  require(weights.size() == n_graphs_ && begin <= end && end <= n_graphs_);
  const auto n = size(), width = end - begin;
  // By graph: which rows have a value there, ascending, and the value.
  std::vector<std::size_t> first(width + 1, 0);
  for (std::size_t j = 0; j < n; ++j)
    for (const auto graph : part(j, begin, end).graphs)
      first[graph - begin + 1] += weights[graph] > 0.0;
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::pair<std::int32_t, double>> entries(first.back());
  auto next = first;
  for (std::size_t j = 0; j < n; ++j) {
    const auto [graphs, values] = part(j, begin, end);
    for (std::size_t i = 0; i < graphs.size(); ++i)
      if (weights[graphs[i]] > 0.0)
        entries[next[graphs[i] - begin]++] = {static_cast<std::int32_t>(j), values[i]};
  }
  std::vector<double> Q(n * n, 0.0);
  for (std::size_t i = 0; i < width; ++i) {
    const auto* last = entries.data() + first[i + 1];
    for (const auto* a = entries.data() + first[i]; a < last; ++a) {
      const double weighted = weights[begin + i] * a->second;
      double* row = Q.data() + static_cast<std::size_t>(a->first) * n;
      for (const auto* b = a; b < last; ++b) row[b->first] += weighted * b->second;
    }
  }
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t l = j + 1; l < n; ++l) Q[l * n + j] = Q[j * n + l];
  return Q;
}

}  // namespace aglets
