#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <thread>

namespace aglets {

/// A budget ran out. The structure that was being grown stays as it was before
/// the step that could not be paid.
class BudgetExceeded : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Somebody asked the running call to stop.
class Interrupted : public std::runtime_error {
public:
  Interrupted() : std::runtime_error("interrupted") {}
};

struct Limits {
  std::int64_t nodes = std::numeric_limits<std::int64_t>::max();
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

/// What one long call may spend, shared by its threads. `interrupted`, if given,
/// is asked some times a second, and only in the thread that made the budget.
class Budget {
public:
  /// `nodes` and `bytes` are what is held already and counts against the limits.
  explicit Budget(Limits limits, std::function<bool()> interrupted = {}, std::int64_t nodes = 0,
                  std::int64_t bytes = 0);

  void add_nodes(std::int64_t count);
  void add_bytes(std::int64_t count);
  void release_bytes(std::int64_t count) { bytes_.fetch_sub(count, std::memory_order_relaxed); }

  /// Throws Interrupted or BudgetExceeded once the call should end.
  void check();

private:
  using Clock = std::chrono::steady_clock;

  Limits limits_;
  std::function<bool()> interrupted_;
  std::thread::id owner_;
  Clock::time_point start_;
  Clock::time_point last_asked_;
  std::atomic<bool> stopped_{false};
  std::atomic<std::int64_t> nodes_;
  std::atomic<std::int64_t> bytes_;
};

/// Calls Budget::check once every 1024 ticks; one per thread.
class Ticker {
public:
  explicit Ticker(Budget& budget) : budget_(&budget) {}
  void tick() {
    if ((++count_ & 1023u) == 0) budget_->check();
  }

private:
  Budget* budget_;
  std::uint32_t count_ = 0;
};

}  // namespace aglets
