#include "budget.hpp"

#include <string>

namespace aglets {

Budget::Budget(Limits limits, std::function<bool()> interrupted)
    : limits_(limits),
      interrupted_(std::move(interrupted)),
      owner_(std::this_thread::get_id()),
      start_(Clock::now()),
      last_asked_(start_) {}

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
    throw OutOfTime("the search took longer than the " + std::to_string(limits_.seconds) +
                    " seconds it had; raise max_seconds, or lower maxpat, or raise lambda");
}

}  // namespace aglets
