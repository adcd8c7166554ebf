#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <vector>

#include "budget.hpp"

namespace aglets {

/// What was spent. Work is counted in units that no clock knows: an embedding
/// looked at or stored, a tree node visited, an edge of a code whose minimality was tested.
struct Spending {
  std::int64_t work = 0;
  std::int64_t nodes = 0;  // of the tree
  std::int64_t bytes = 0;  // kept when the task is over

  Spending& operator+=(const Spending& other) {
    work += other.work;
    nodes += other.nodes;
    bytes += other.bytes;
    return *this;
  }
};

class Ledger;

/// The spending of one task in one thread: plain integers. Memory that a task
/// needs only while it runs counts against the limit on bytes with what is kept,
/// task by task, so that nothing here depends on the number of threads.
class Account {
public:
  /// `before` was spent earlier and counts against the limits.
  Account(Budget& budget, const Spending& before) : budget_(budget), before_(before) {}

  /// The account of one of the tasks of a ledger.
  Account(Budget& budget, Ledger& ledger, std::size_t task);

  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  /// One unit of work. Limits, clock and interrupts are looked at now and then.
  void tick() {
    if (++own_.work >= next_check_) check();
  }
  void add_work(std::int64_t units) { own_.work += units; }

  /// Nodes and bytes that are about to be kept. Throws BudgetExceeded, and they
  /// must not be kept, if they or the work so far are more than the limits allow.
  void keep(std::int64_t nodes, std::int64_t bytes);

  /// Working memory.
  void hold_bytes(std::int64_t count);
  void release_bytes(std::int64_t count) { held_ -= count; }

  void check();

  /// Throws BudgetExceeded if the limits are passed, to the unit.
  void settle();

  const Spending& own() const { return own_; }
  Spending total() const {
    auto all = before_;
    return all += own_;
  }
  std::int64_t peak_bytes() const { return peak_; }

private:
  Budget& budget_;
  Spending before_;
  Ledger* ledger_ = nullptr;  // none where `before_` is all that came before
  std::size_t task_ = 0;
  Spending own_;
  std::int64_t held_ = 0;
  std::int64_t peak_ = 0;  // largest number of bytes held and kept at a time
  std::int64_t next_check_ = 1024;
};

/// Throws BudgetExceeded, naming the limit, if `before`, the own spending and
/// the own peak of bytes together pass one of them.
void check_limits(const Limits& limits, const Spending& before, const Spending& own,
                  std::int64_t peak_bytes);

/// Accounts of tasks that threads run side by side, with limits that hold as if the
/// tasks had run one after another. A task cannot know what the tasks before it
/// will spend; it runs as long as what they have spent until now leaves it anything.
/// Afterwards `first_over` is the task in which a run in order would have ended.
/// What it and all later tasks did has to be undone, and it is run again with an
/// account that begins at `spent_before`, unless it was stopped exactly there.
class Ledger {
public:
  Ledger(const Limits& limits, const Spending& before, std::size_t n_tasks)
      : limits_(limits), before_(before), entries_(n_tasks), finished_(before) {}

  /// Calls `action(account)` for a task, unless an earlier task has passed the limits.
  template <class Action>
  void run(std::size_t task, Budget& budget, Action&& action) {
    if (task > stopped_.load(std::memory_order_relaxed)) return;
    Account account(budget, *this, task);
    auto& entry = entries_[task];
    try {
      action(account);
      account.settle();
      entry.peak_bytes = account.peak_bytes();
      publish(task, account.own());
      entry.finished.store(true, std::memory_order_release);
    } catch (const OutOfTime&) {
      throw;
    } catch (const BudgetExceeded&) {
      publish(task, account.own());
      entry.error = std::current_exception();
      stop_at(task);
    }
  }

  /// The first task that passes the limits when all before it count; the number of
  /// tasks if there is none.
  std::size_t first_over() const;

  /// True if the task was stopped where a run in order would have stopped it.
  bool is_exact(std::size_t task) const { return entries_[task].exact; }
  [[noreturn]] void rethrow(std::size_t task) const {
    std::rethrow_exception(entries_[task].error);
  }

  const Spending& before() const { return before_; }

  /// What was spent until now before a task: earlier, and by the tasks before it.
  Spending spent_before(std::size_t task) const;

private:
  friend class Account;

  struct Entry {
    std::atomic<std::int64_t> work{0}, nodes{0}, bytes{0};
    std::atomic<bool> finished{false};
    std::int64_t peak_bytes = 0;
    bool exact = false;
    std::exception_ptr error;
  };

  /// What was spent before a task if all tasks before it have finished.
  std::optional<Spending> exact_before(std::size_t task);
  Spending spent_by(std::size_t task) const;
  void publish(std::size_t task, const Spending& own);
  void stop_at(std::size_t task);

  /// False while all tasks together are within the limits.
  bool may_be_over(std::int64_t held_bytes) const;

  Limits limits_;
  Spending before_;
  std::vector<Entry> entries_;
  std::atomic<std::int64_t> work_{0}, nodes_{0}, bytes_{0};  // of all tasks
  std::atomic<std::size_t> stopped_{SIZE_MAX};
  std::mutex mutex_;            // guards the two below
  std::size_t n_finished_ = 0;  // tasks before this one have finished, as far as is known
  Spending finished_;           // and this is what they spent
};

}  // namespace aglets
