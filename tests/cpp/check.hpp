#pragma once

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// A few lines of test runner: TEST registers a function, REQUIRE throws where it does not hold.
struct TestCase {
  std::string name;
  std::function<void()> run;
};

inline std::vector<TestCase>& test_cases() {
  static std::vector<TestCase> cases;
  return cases;
}

struct Registration {
  Registration(std::string name, std::function<void()> run) {
    test_cases().push_back({std::move(name), std::move(run)});
  }
};

#define TEST(name)                                        \
  static void name();                                     \
  static const Registration register_##name(#name, name); \
  static void name()

#define REQUIRE(condition)                                                \
  do {                                                                    \
    if (!(condition)) {                                                   \
      std::ostringstream where;                                           \
      where << __FILE__ << ":" << __LINE__ << ": not so: " << #condition; \
      throw std::runtime_error(where.str());                              \
    }                                                                     \
  } while (false)

template <class Exception, class Action>
bool throws(Action&& action) {
  try {
    action();
  } catch (const Exception&) {
    return true;
  }
  return false;
}
