#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace aglets {

/// Rows of numbers, each kept once: attributes of molecules take few values, so many
/// embeddings have the same ones.
class DistinctRows {
public:
  explicit DistinctRows(std::size_t width) : width_(width), slots_(64, -1) {}

  std::size_t size() const { return n_rows_; }
  std::span<const double> row(std::size_t i) const {
    return std::span<const double>(values_).subspan(i * width_, width_);
  }

  /// The number of the row that has the same bits, which is taken up if there is none.
  std::int32_t add(std::span<const double> row) {
    if (2 * (n_rows_ + 1) > slots_.size()) grow();
    const auto slot = slot_of(row);
    if (slots_[slot] < 0) {
      slots_[slot] = static_cast<std::int32_t>(n_rows_++);
      values_.insert(values_.end(), row.begin(), row.end());
    }
    return slots_[slot];
  }

private:
  static std::string_view bytes_of(std::span<const double> row) {
    return {reinterpret_cast<const char*>(row.data()), row.size_bytes()};
  }

  /// Where the row is, or would be put. There are always free slots.
  std::size_t slot_of(std::span<const double> wanted) const {
    auto slot = std::hash<std::string_view>{}(bytes_of(wanted)) % slots_.size();
    while (slots_[slot] >= 0 &&
           bytes_of(row(static_cast<std::size_t>(slots_[slot]))) != bytes_of(wanted))
      slot = (slot + 1) % slots_.size();
    return slot;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), -1);
    for (std::size_t i = 0; i < n_rows_; ++i)
      slots_[slot_of(row(i))] = static_cast<std::int32_t>(i);
  }

  std::size_t width_;
  std::size_t n_rows_ = 0;
  std::vector<double> values_;
  std::vector<std::int32_t> slots_;
};

}  // namespace aglets
