#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "graphlet_bank.hpp"
#include "parallel.hpp"

namespace aglets {

/// Where each part of a flat array begins; one more for the end.
template <class Size>
std::vector<std::size_t> offsets_of(std::size_t count, Size&& size) {
  std::vector<std::size_t> offsets{0};
  for (std::size_t i = 0; i < count; ++i) offsets.push_back(offsets.back() + size(i));
  return offsets;
}

/// One graphlet's part of a flat array.
template <class T>
std::span<T> part_of(std::span<T> flat, const std::vector<std::size_t>& offsets, std::size_t i) {
  return flat.subspan(offsets[i], offsets[i + 1] - offsets[i]);
}

/// Where each graphlet's attributes, places and embedding (places times nodes) lie in
/// flat arrays in the order of the handles.
struct BankLayout {
  std::vector<std::size_t> z, places, embedding;

  BankLayout(const GraphletBank& bank, std::span<const std::int32_t> handles) {
    for (const auto handle : handles)
      if (handle < 0 || handle >= bank.size())
        throw std::out_of_range("the bank has no such graphlet");
    const auto n = handles.size();
    z = offsets_of(n, [&](std::size_t i) { return bank.n_attributes(handles[i]); });
    places = offsets_of(n, [&](std::size_t i) { return bank.place_graphs(handles[i]).size(); });
    embedding = offsets_of(n, [&](std::size_t i) { return bank.n_sites(handles[i]); });
  }
};

/// Below this many places a second thread costs more than it brings.
inline constexpr std::size_t places_per_thread = 5000;

inline int useful_threads(std::size_t n_places, int n_threads) {
  return std::min(n_threads,
                  1 + static_cast<int>(std::min<std::size_t>(n_places / places_per_thread, 1024)));
}

/// Runs a task per graphlet, on as many threads as pay; `make_worker` as in run_tasks.
template <class MakeWorker>
void for_each_handle(const BankLayout& layout, int n_threads, MakeWorker&& make_worker) {
  Budget unlimited({});
  run_tasks(layout.z.size() - 1, useful_threads(layout.places.back(), n_threads), unlimited,
            make_worker);
}

}  // namespace aglets
