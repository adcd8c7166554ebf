#include "account.hpp"

#include <algorithm>
#include <string>

namespace aglets {

namespace {

constexpr std::int64_t work_between_checks = 1024;

[[noreturn]] void pass(const char* name, std::int64_t limit, const char* unit) {
  throw BudgetExceeded("the search needs more than " + std::string(name) + "=" +
                       std::to_string(limit) + " " + unit + "; raise " + name +
                       ", or lower maxpat, or raise lambda");
}

}  // namespace

void check_limits(const Limits& limits, const Spending& before, const Spending& own,
                  std::int64_t peak_bytes) {
  if (before.work + own.work > limits.work) pass("max_work", limits.work, "units of work");
  if (before.nodes + own.nodes > limits.nodes) pass("max_nodes", limits.nodes, "tree nodes");
  if (before.bytes + peak_bytes > limits.bytes) pass("max_bytes", limits.bytes, "bytes");
}

Account::Account(Budget& budget, Ledger& ledger, std::size_t task)
    : budget_(budget), before_(ledger.before_), ledger_(&ledger), task_(task) {
  const auto exact = ledger.exact_before(task);
  if (!exact) return;
  ledger.entries_[task].exact = true;
  before_ = *exact;
}

void Account::keep(std::int64_t nodes, std::int64_t bytes) {
  own_.nodes += nodes;
  own_.bytes += bytes;
  peak_ = std::max(peak_, own_.bytes + held_);
  try {
    settle();
  } catch (const BudgetExceeded&) {
    own_.nodes -= nodes;
    own_.bytes -= bytes;
    throw;
  }
}

void Account::hold_bytes(std::int64_t count) {
  held_ += count;
  if (own_.bytes + held_ <= peak_) return;
  peak_ = own_.bytes + held_;
  settle();
}

void Account::check() {
  next_check_ = own_.work + work_between_checks;
  budget_.check();
  settle();
}

void Account::settle() {
  if (ledger_ == nullptr) return check_limits(budget_.limits(), before_, own_, peak_);
  ledger_->publish(task_, own_);
  if (ledger_->is_exact(task_)) return check_limits(budget_.limits(), before_, own_, peak_);
  if (ledger_->may_be_over(peak_))
    check_limits(budget_.limits(), ledger_->spent_before(task_), own_, peak_);
}

void Ledger::publish(std::size_t task, const Spending& own) {
  auto& entry = entries_[task];
  const auto store = [](std::atomic<std::int64_t>& place, std::atomic<std::int64_t>& sum,
                        std::int64_t value) {
    const auto change = value - place.load(std::memory_order_relaxed);
    if (change == 0) return;
    place.store(value, std::memory_order_relaxed);
    sum.fetch_add(change, std::memory_order_relaxed);
  };
  store(entry.work, work_, own.work);
  store(entry.nodes, nodes_, own.nodes);
  store(entry.bytes, bytes_, own.bytes);
}

bool Ledger::may_be_over(std::int64_t held_bytes) const {
  return before_.work + work_.load(std::memory_order_relaxed) > limits_.work ||
         before_.nodes + nodes_.load(std::memory_order_relaxed) > limits_.nodes ||
         before_.bytes + bytes_.load(std::memory_order_relaxed) + held_bytes > limits_.bytes;
}

Spending Ledger::spent_before(std::size_t task) const {
  auto sum = before_;
  for (std::size_t i = 0; i < task; ++i) sum += spent_by(i);
  return sum;
}

std::optional<Spending> Ledger::exact_before(std::size_t task) {
  const std::lock_guard lock(mutex_);
  for (; n_finished_ < task && entries_[n_finished_].finished.load(std::memory_order_acquire);
       ++n_finished_)
    finished_ += spent_by(n_finished_);
  if (n_finished_ < task) return {};
  return finished_;
}

Spending Ledger::spent_by(std::size_t task) const {
  const auto& entry = entries_[task];
  return {entry.work.load(std::memory_order_relaxed), entry.nodes.load(std::memory_order_relaxed),
          entry.bytes.load(std::memory_order_relaxed)};
}

void Ledger::stop_at(std::size_t task) {
  auto known = stopped_.load(std::memory_order_relaxed);
  while (task < known && !stopped_.compare_exchange_weak(known, task)) {
  }
}

std::size_t Ledger::first_over() const {
  auto before = before_;
  for (std::size_t task = 0; task < entries_.size(); ++task) {
    if (!entries_[task].finished) return task;
    const auto own = spent_by(task);
    try {
      check_limits(limits_, before, own, entries_[task].peak_bytes);
    } catch (const BudgetExceeded&) {
      return task;
    }
    before += own;
  }
  return entries_.size();
}

}  // namespace aglets
