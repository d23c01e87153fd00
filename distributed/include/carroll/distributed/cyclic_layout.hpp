// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/error.hpp>
#include <cstdint>
#include <string>

namespace carroll::distributed {

/// Who has which of n rows: blocks of `block` rows, dealt out to the ranks in turn. Condensation
/// begins with the last row, so that it is the first block that may be shorter: block b has rows
/// begin(b) to end(b) - 1 and belongs to rank b mod ranks. A rank has its rows, which may be none,
/// in ascending order as rows 0 to rows(rank) - 1 of its own matrix.
struct CyclicLayout {
  std::int64_t n = 0;
  std::int64_t block = 1;
  int ranks = 1;

  [[nodiscard]] constexpr std::int64_t blocks() const { return n / block + (n % block != 0); }
  [[nodiscard]] constexpr std::int64_t begin(std::int64_t b) const {
    return b == 0 ? 0 : n - (blocks() - b) * block;
  }
  [[nodiscard]] constexpr std::int64_t end(std::int64_t b) const {
    return n - (blocks() - b - 1) * block;
  }
  [[nodiscard]] constexpr int rank_of_block(std::int64_t b) const {
    return static_cast<int>(b % ranks);
  }
  /// Blocks of a rank: `rank`, rank + ranks, …
  [[nodiscard]] constexpr std::int64_t blocks(int rank) const {
    return blocks() > rank ? (blocks() - rank - 1) / ranks + 1 : 0;
  }
  [[nodiscard]] constexpr std::int64_t rows(int rank) const {
    std::int64_t const missing = rank == 0 && n > 0 ? blocks() * block - n : 0;
    return blocks(rank) * block - missing;
  }

  [[nodiscard]] constexpr std::int64_t block_of(std::int64_t row) const {
    return blocks() - 1 - (n - 1 - row) / block;
  }
  [[nodiscard]] constexpr int rank_of(std::int64_t row) const {
    return rank_of_block(block_of(row));
  }
  /// Where a row stands among those of its rank …
  [[nodiscard]] constexpr std::int64_t local_row(std::int64_t row) const {
    std::int64_t const b = block_of(row);
    // Counted from the last row, all blocks before are whole.
    std::int64_t const behind = (blocks(rank_of_block(b)) - 1 - b / ranks) * block;
    return rows(rank_of_block(b)) - behind - (end(b) - row);
  }
  /// … and which row stands there.
  [[nodiscard]] constexpr std::int64_t global_row(int rank, std::int64_t local) const {
    std::int64_t const from_end = rows(rank) - 1 - local;
    std::int64_t const b = rank + (blocks(rank) - 1 - from_end / block) * ranks;
    return end(b) - 1 - from_end % block;
  }

  friend bool operator==(CyclicLayout const&, CyclicLayout const&) = default;
};

/// Throws std::invalid_argument for n < 0, a block below 1 or fewer than one rank.
inline CyclicLayout cyclic_layout(std::int64_t n, std::int64_t block, int ranks) {
  constexpr char const* function = "carroll::distributed::cyclic_layout";
  auto const at_least = [](char const* what, std::int64_t is, char const* least) {
    return [=] {
      return std::string(what) + " is " + std::to_string(is) + ", must be at least " + least;
    };
  };
  carroll::detail::require(n >= 0, function, at_least("the number of rows", n, "0"));
  carroll::detail::require(block >= 1, function, at_least("the block", block, "1"));
  carroll::detail::require(ranks >= 1, function, at_least("the number of ranks", ranks, "1"));
  return {n, block, ranks};
}

}  // namespace carroll::distributed
