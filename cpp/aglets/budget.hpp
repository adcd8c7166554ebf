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

/// The clock ran out: the one limit whose effect depends on the machine.
class OutOfTime : public BudgetExceeded {
public:
  using BudgetExceeded::BudgetExceeded;
};

/// Somebody asked the running call to stop.
class Interrupted : public std::runtime_error {
public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// What a long call may spend. Work, nodes and bytes are counted by accounts
/// (`account.hpp`) and end a call in the same state on every machine.
struct Limits {
  std::int64_t work = std::numeric_limits<std::int64_t>::max();
  std::int64_t nodes = std::numeric_limits<std::int64_t>::max();
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

/// The limits of one long call, its clock and its interrupts, shared by its
/// threads. `interrupted`, if given, is asked several times per second, and only in the
/// thread that made the budget.
class Budget {
public:
  explicit Budget(Limits limits, std::function<bool()> interrupted = {});

  const Limits& limits() const { return limits_; }

  /// Throws Interrupted or OutOfTime once the call should end.
  void check();

private:
  using Clock = std::chrono::steady_clock;

  Limits limits_;
  std::function<bool()> interrupted_;
  std::thread::id owner_;
  Clock::time_point start_;
  Clock::time_point last_asked_;
  std::atomic<bool> stopped_{false};
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
