#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "budget.hpp"

namespace aglets {

/// Runs tasks 0 .. n_tasks - 1 on up to `n_threads` threads, the caller's among
/// them. Each thread calls `make_worker()` once for a callable that takes the task's
/// number, so that scratch memory is per thread. Tasks must write only to their
/// own place; then results do not depend on the number of threads. The first
/// exception ends the run and is rethrown here. While the caller waits for others
/// it goes on looking at the budget.
template <class MakeWorker>
void run_tasks(std::size_t n_tasks, int n_threads, Budget& budget, MakeWorker&& make_worker) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr first;
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t n_running = 0;
  const auto guarded = [&](auto&& action) {
    try {
      action();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
      failed = true;
    }
  };
  const auto run = [&] {
    auto worker = make_worker();
    for (auto task = next++; task < n_tasks && !failed; task = next++) worker(task);
  };
  const auto wanted =
      std::min<std::size_t>(static_cast<std::size_t>(std::max(n_threads, 1)), n_tasks);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < wanted; ++i) {
    {
      const std::lock_guard lock(mutex);
      ++n_running;
    }
    threads.emplace_back([&] {
      guarded(run);
      const std::lock_guard lock(mutex);
      --n_running;
      ended.notify_one();
    });
  }
  guarded(run);
  for (std::unique_lock lock(mutex); n_running > 0;) {
    ended.wait_for(lock, std::chrono::milliseconds(50));
    lock.unlock();
    if (!failed) guarded([&] { budget.check(); });
    lock.lock();
  }
  for (auto& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace aglets
