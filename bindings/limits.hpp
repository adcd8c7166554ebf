#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include "aglets/budget.hpp"

namespace aglets::python {

/// Limits as Python gives them: None means no limit.
Limits limits_from(std::optional<std::int64_t> work, std::optional<std::int64_t> nodes,
                   std::optional<std::int64_t> bytes, std::optional<double> seconds);

/// True, with the Python error set, if a signal such as Ctrl-C is pending.
bool signal_pending();

/// Runs `action` without the GIL. A Ctrl-C that ended it becomes KeyboardInterrupt.
template <class Action>
auto without_gil(Action&& action) {
  try {
    const nanobind::gil_scoped_release release;
    return action();
  } catch (const Interrupted&) {
    throw nanobind::python_error();
  }
}

}  // namespace aglets::python
