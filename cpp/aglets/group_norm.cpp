#include "group_norm.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace aglets {

namespace {

double largest(std::span<const double> g) {
  double found = 0.0;
  for (const double value : g) found = std::max(found, std::abs(value));
  return found;
}

/// With the m largest entries above the threshold t = (1 - s) lambda, lambda
/// solves (m (1 - s)^2 - s^2) lambda^2 - 2 (1 - s) S lambda + Q = 0, S their sum
/// and Q the sum of their squares. The right m is the first whose t leaves the next
/// entry below it.
double mixed(std::span<const double> descending, double sharing) {
  const double plain = 1.0 - sharing;
  double sum = 0.0, squares = 0.0, lambda = 0.0;
  for (std::size_t m = 1; m <= descending.size(); ++m) {
    const double entry = descending[m - 1];
    sum += entry;
    squares += entry * entry;
    const double a = static_cast<double>(m) * plain * plain - sharing * sharing;
    const double b = plain * sum;
    lambda = squares / (b + std::sqrt(std::max(b * b - a * squares, 0.0)));
    if (m == descending.size() || plain * lambda >= descending[m]) break;
  }
  return lambda;
}

}  // namespace

double dual_norm(std::span<const double> g, double sharing, std::vector<double>& scratch) {
  if (g.size() == 1) return std::abs(g.front());
  const double most = largest(g);
  if (sharing == 0.0 || most == 0.0) return most;
  if (sharing == 1.0) {
    double squares = 0.0;
    for (const double value : g) squares += value * value;
    return std::sqrt(squares);
  }
  scratch.clear();
  // In units of the largest entry: squares of tiny gradients must not underflow.
  for (const double value : g) scratch.push_back(std::abs(value) / most);
  std::sort(scratch.begin(), scratch.end(), std::greater<>());
  return most * mixed(scratch, sharing);
}

}  // namespace aglets
