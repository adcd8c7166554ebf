// The fuzzer of the core. Built with clang it is a libFuzzer target; else this file brings a driver
// of its own, which changes the cases of a folder at random and keeps the case in hand on disk, so
// that one that ends the process is there afterwards.
//
//   aglets_fuzz CORPUS SECONDS SEED

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "../cpp/core_case.hpp"

#ifdef AGLETS_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  run_core_case({data, size});
  return 0;
}

#else

namespace {

using Case = std::vector<std::uint8_t>;

std::vector<Case> read_cases(const std::string& folder) {
  std::vector<Case> cases;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::vector<char> content{std::istreambuf_iterator<char>(stream), {}};
    cases.emplace_back(content.begin(), content.end());
  }
  return cases;
}

void write_case(const std::string& path, const Case& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

Case random_case(std::mt19937_64& random) {
  Case bytes(random() % 400);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

/// Some bytes changed, a part cut out, or a part of another case put in.
Case changed(Case bytes, const Case& other, std::mt19937_64& random) {
  for (auto n = 1 + random() % 4; n > 0 && !bytes.empty(); --n) {
    const auto at = random() % bytes.size();
    switch (random() % 3) {
      case 0:
        bytes[at] = static_cast<std::uint8_t>(random());
        break;
      case 1:
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      default:
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), other.begin(),
                     other.begin() + static_cast<std::ptrdiff_t>(other.size() / 2));
    }
  }
  bytes.resize(std::min<std::size_t>(bytes.size(), 1000));
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::printf("usage: aglets_fuzz CORPUS SECONDS SEED\n");
    return 2;
  }
  const auto cases = read_cases(argv[1]);
  const double seconds = std::stod(argv[2]);
  std::mt19937_64 random(std::stoull(argv[3]));
  const auto start = std::chrono::steady_clock::now();
  long n_runs = 0;
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (; elapsed() < seconds; ++n_runs) {
    auto bytes = random_case(random);
    if (!cases.empty() && random() % 2 == 0)
      bytes = changed(cases[random() % cases.size()], bytes, random);
    write_case("current.case", bytes);
    try {
      run_core_case(bytes);
    } catch (const std::exception& error) {
      std::printf("%s\nafter %ld cases; the case is in current.case\n", error.what(), n_runs);
      return 1;
    }
  }
  std::filesystem::remove("current.case");
  std::printf("%ld cases in %.0f seconds, nothing found\n", n_runs, elapsed());
  return 0;
}

#endif
