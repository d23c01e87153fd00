// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/random.hpp>
#include <carroll/detail/sgd/problem.hpp>
#include <cstdint>
#include <utility>
#include <vector>

namespace carroll::detail {

/// Puts the ratings of a block in waves, in each of which no user and no item occurs twice: ratings
/// of a wave may be worked on in any order, or side by side. A colouring of the edges between users
/// and items, greedy: each rating, in a random order, gets the first wave that has neither its user
/// nor its item, and there are less than twice as many waves as the busiest of them has ratings.
template <class Real>
class WaveOrder {
 public:
  WaveOrder(std::int32_t rows, std::int32_t columns, std::uint64_t seed)
      : seed_(seed),
        of_row_(static_cast<std::size_t>(rows), -1),
        of_column_(static_cast<std::size_t>(columns), -1) {}

  /// Of a block with this number; returns how many waves.
  std::int64_t arrange(SgdRating<Real>* ratings, std::int64_t count, std::uint64_t block) {
    if (count == 0) return 0;
    auto const size = static_cast<std::size_t>(count);
    keys_.resize(size);
    for (std::size_t e = 0; e < size; ++e) {
      auto const bits =
          philox(seed_, {static_cast<std::uint32_t>(e), 3, static_cast<std::uint32_t>(block),
                         static_cast<std::uint32_t>(block >> 32U)});
      keys_[e] = {std::uint64_t{bits[0]} << 32U | bits[1], e};
    }
    std::sort(keys_.begin(), keys_.end());
    number(ratings, size);
    std::int64_t const waves = colour(ratings, size);
    // By wave, and in a wave in the random order.
    sorted_.resize(size);
    starts_.assign(static_cast<std::size_t>(waves) + 1, 0);
    for (std::size_t k = 0; k < size; ++k) ++starts_[wave_[k] + 1];
    for (std::size_t w = 0; w < starts_.size() - 1; ++w) starts_[w + 1] += starts_[w];
    auto next = starts_;
    for (std::size_t k = 0; k < size; ++k) sorted_[next[wave_[k]]++] = ratings[keys_[k].second];
    for (std::size_t w = 0; w + 1 < starts_.size(); ++w)
      sorted_[starts_[w]].user |= SgdRating<Real>::first_of_wave;
    std::copy(sorted_.begin(), sorted_.end(), ratings);
    return waves;
  }

 private:
  /// Users and items of the block by number, and how many ratings the busiest has.
  void number(SgdRating<Real> const* ratings, std::size_t size) {
    touched_.clear();
    degrees_.clear();
    auto const count = [&](std::vector<std::int32_t>& of, std::size_t index, bool is_row) {
      if (of[index] < 0) {
        of[index] = static_cast<std::int32_t>(degrees_.size());
        degrees_.push_back(0);
        touched_.push_back({index, is_row});
      }
      ++degrees_[of[index]];
    };
    for (std::size_t e = 0; e < size; ++e) {
      count(of_row_, static_cast<std::size_t>(ratings[e].row()), true);
      count(of_column_, static_cast<std::size_t>(ratings[e].column()), false);
    }
  }

  std::int64_t colour(SgdRating<Real> const* ratings, std::size_t size) {
    auto const most = static_cast<std::size_t>(*std::max_element(degrees_.begin(), degrees_.end()));
    std::size_t const words = (2 * most + 63) / 64;  // a bit for each wave there can be
    taken_.assign(degrees_.size() * words, 0);
    wave_.resize(size);
    std::int64_t waves = 0;
    for (std::size_t k = 0; k < size; ++k) {
      auto const& rating = ratings[keys_[k].second];
      std::uint64_t* const row = taken_.data() + of_row_[rating.row()] * words;
      std::uint64_t* const column = taken_.data() + of_column_[rating.column()] * words;
      std::size_t word = 0;
      while (~(row[word] | column[word]) == 0) ++word;
      std::uint64_t const free = ~(row[word] | column[word]);
      std::uint64_t const bit = free & (~free + 1);
      row[word] |= bit;
      column[word] |= bit;
      auto const wave = static_cast<std::int64_t>(word * 64) + __builtin_ctzll(bit);
      wave_[k] = static_cast<std::size_t>(wave);
      waves = std::max(waves, wave + 1);
    }
    for (auto const& [index, is_row] : touched_) (is_row ? of_row_ : of_column_)[index] = -1;
    return waves;
  }

  std::uint64_t seed_;
  std::vector<std::int32_t> of_row_, of_column_;  ///< numbers in the block, or −1
  std::vector<std::pair<std::size_t, bool>> touched_;
  std::vector<std::int32_t> degrees_;
  std::vector<std::pair<std::uint64_t, std::size_t>> keys_;
  std::vector<std::uint64_t> taken_;
  std::vector<std::size_t> wave_, starts_;
  std::vector<SgdRating<Real>> sorted_;
};

}  // namespace carroll::detail
