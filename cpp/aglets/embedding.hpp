#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "account.hpp"

namespace aglets {

/// One graph's share of a pattern: where its embeddings end in the row table
/// and D, the minimum cost over all its embeddings. `cost` also counts
/// embeddings that were not kept because they can grow no further. Where costs are
/// wanted by root image, a support is one graph's embeddings with one image of the
/// root, and those of a graph follow each other.
struct Support {
  std::int32_t graph;
  std::uint32_t end;
  double cost;
};

/// Embeddings of one pattern, grouped by graph. A row is a run of words: the
/// set of used nodes (for graphs of at most 64 nodes), the cost so far, and the
/// matched nodes in code order packed as `Id`s. One flat vector, because rows are
/// written once, read once, and number millions.
template <class Id>
class EmbeddingRows {
public:
  static constexpr std::size_t ids_per_word = sizeof(std::uint64_t) / sizeof(Id);
  static constexpr std::size_t stride_for(int n_nodes) {
    return 2 + (static_cast<std::size_t>(n_nodes) + ids_per_word - 1) / ids_per_word;
  }

  void reset(int n_nodes) {
    stride_ = stride_for(n_nodes);
    size_ = 0;
    next_ = words_.data();
    supports_.clear();
    last_unit_ = -1;
    can_grow_ = false;
  }

  /// Gives the rows back if they take more than a little; supports stay.
  void release(Account& account) {
    if (charged_ < min_release) return;
    account.release_bytes(static_cast<std::int64_t>(charged_ * sizeof(std::uint64_t)));
    std::vector<std::uint64_t>().swap(words_);
    next_ = end_ = nullptr;
    size_ = charged_ = 0;
  }

  /// Begins a new account: memory that is there already is charged to it once
  /// rows need it, as if it were new.
  void begin_account() {
    if (words_.size() >= min_release) std::vector<std::uint64_t>().swap(words_);
    size_ = charged_ = 0;
    next_ = end_ = words_.data();
  }

  /// Notes that some embedding can grow further, whether or not its row is kept.
  void set_can_grow() { can_grow_ = true; }
  bool can_grow() const { return can_grow_; }

  std::size_t size() const { return size_; }
  std::size_t stride() const { return stride_; }
  const std::uint64_t* row(std::size_t index) const { return words_.data() + index * stride_; }
  const std::vector<Support>& supports() const { return supports_; }

  static std::uint64_t used(const std::uint64_t* row) { return row[0]; }
  static double cost(const std::uint64_t* row) { return std::bit_cast<double>(row[1]); }
  static Id node(const std::uint64_t* row, int position) {
    Id id;
    std::memcpy(&id, reinterpret_cast<const unsigned char*>(row + 2) + position * sizeof(Id),
                sizeof(Id));
    return id;
  }
  static void set_node(std::uint64_t* row, int position, Id id) {
    std::memcpy(reinterpret_cast<unsigned char*>(row + 2) + position * sizeof(Id), &id, sizeof(Id));
  }

  /// Notes an embedding in `graph` without keeping its row. `unit` names the
  /// support: a graph, or a graph's node that hosts the root.
  void note(std::int64_t unit, std::int32_t graph, double cost) {
    if (last_unit_ != unit) {
      supports_.push_back({graph, static_cast<std::uint32_t>(size_), cost});
      last_unit_ = unit;
      last_ = &supports_.back();
    } else if (cost < last_->cost) {
      last_->cost = cost;
    }
  }

  /// Appends `parent` (a row of `n_parent_words` words) with another set of used
  /// nodes and another cost; returns the new row, to which the caller may add a
  /// node. Call `note` first. Memory is charged to the account.
  std::uint64_t* append(const std::uint64_t* parent, std::size_t n_parent_words, std::uint64_t used,
                        double cost, Account& account) {
    if (static_cast<std::size_t>(end_ - next_) < stride_) enlarge(account);
    auto* row = next_;
    next_ += stride_;
    row[0] = used;
    row[1] = std::bit_cast<std::uint64_t>(cost);
    for (std::size_t word = 2; word < n_parent_words; ++word) row[word] = parent[word];
    last_->end = static_cast<std::uint32_t>(++size_);
    return row;
  }

private:
  static constexpr std::size_t min_release = 1 << 16;

  void enlarge(Account& account) {
    const auto enlarged = charged_ == 0 ? 16 * stride_ : 2 * charged_ + stride_;
    account.hold_bytes(static_cast<std::int64_t>((enlarged - charged_) * sizeof(std::uint64_t)));
    charged_ = enlarged;
    if (enlarged / stride_ > std::numeric_limits<std::uint32_t>::max())
      throw BudgetExceeded("one pattern has more than 2^32 embeddings; lower maxpat");
    if (words_.size() < enlarged) words_.resize(enlarged);
    next_ = words_.data() + size_ * stride_;
    end_ = words_.data() + enlarged;
  }

  std::vector<std::uint64_t> words_;
  std::vector<Support> supports_;
  std::size_t stride_ = 0;
  std::size_t size_ = 0;
  std::size_t charged_ = 0;  // words that the account has been charged for
  // Where the next row and the last support are: touched once per embedding.
  std::uint64_t* next_ = nullptr;
  std::uint64_t* end_ = nullptr;
  Support* last_ = nullptr;
  std::int64_t last_unit_ = -1;
  bool can_grow_ = false;
};

}  // namespace aglets
