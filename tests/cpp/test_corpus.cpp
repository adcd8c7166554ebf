#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "check.hpp"
#include "core_case.hpp"

TEST(cases_of_the_fuzzer_hold) {
  int n_cases = 0;
  for (const auto& file : std::filesystem::directory_iterator(AGLETS_CORPUS)) {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::vector<char> content{std::istreambuf_iterator<char>(stream), {}};
    const std::vector<std::uint8_t> bytes(content.begin(), content.end());
    run_core_case(bytes);
    ++n_cases;
  }
  REQUIRE(n_cases > 0);
}

TEST(random_cases_hold) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint8_t> bytes(random() % 300);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    run_core_case(bytes);
  }
}
