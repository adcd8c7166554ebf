#include <cstdio>
#include <exception>

#include "check.hpp"

int main() {
  int passed = 0, failed = 0;
  for (const auto& test : test_cases()) {
    try {
      test.run();
      ++passed;
    } catch (const std::exception& error) {
      ++failed;
      std::printf("%s\n  %s\n", test.name.c_str(), error.what());
    }
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
