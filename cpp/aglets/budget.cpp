#include "budget.hpp"

#include <string>

namespace aglets {

Budget::Budget(Limits limits, std::function<bool()> interrupted, std::int64_t nodes,
               std::int64_t bytes)
    : limits_(limits),
      interrupted_(std::move(interrupted)),
      owner_(std::this_thread::get_id()),
      start_(Clock::now()),
      last_asked_(start_),
      nodes_(nodes),
      bytes_(bytes) {}

void Budget::add_nodes(std::int64_t count) {
  if (nodes_.fetch_add(count, std::memory_order_relaxed) + count > limits_.nodes) {
    nodes_.fetch_sub(count, std::memory_order_relaxed);
    throw BudgetExceeded("the search needs more than max_nodes=" + std::to_string(limits_.nodes) +
                         " tree nodes; raise max_nodes, or lower maxpat, or raise lambda");
  }
}

void Budget::add_bytes(std::int64_t count) {
  if (bytes_.fetch_add(count, std::memory_order_relaxed) + count > limits_.bytes) {
    bytes_.fetch_sub(count, std::memory_order_relaxed);
    throw BudgetExceeded("the search needs more than max_bytes=" + std::to_string(limits_.bytes) +
                         " bytes; raise max_bytes, or lower maxpat, or raise lambda");
  }
}

void Budget::check() {
  if (stopped_.load(std::memory_order_relaxed)) throw Interrupted();
  const auto now = Clock::now();
  if (interrupted_ && std::this_thread::get_id() == owner_ &&
      now - last_asked_ > std::chrono::milliseconds(50)) {
    last_asked_ = now;
    if (interrupted_()) {
      stopped_ = true;
      throw Interrupted();
    }
  }
  if (std::chrono::duration<double>(now - start_).count() > limits_.seconds)
    throw BudgetExceeded("the search took longer than the " + std::to_string(limits_.seconds) +
                         " seconds it had; raise max_seconds, or lower maxpat, or raise lambda");
}

}  // namespace aglets
