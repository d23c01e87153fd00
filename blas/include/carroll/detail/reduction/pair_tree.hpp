// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace carroll::detail {

/// The canonical tree over chunks that come one after the other, for one thread: sums that wait for
/// their neighbours, at most one of each size, as the digits of a counter. An addition a chunk, of
/// which there are fewer than 2^Levels. Whole subtrees may come in place of their chunks.
template <class Partial, int Levels = 22>
class PairTree {
 public:
  /// The next 2^level chunks, whose number before them is a multiple of that.
  KOKKOS_FUNCTION void add(Partial const& next, int level = 0) {
    Partial sum = next;
    std::int64_t count = count_ >> level;
    count_ += std::int64_t{1} << level;
    for (; count & 1; count >>= 1) {
      Partial left = waiting_[level++];
      left.join(sum);
      sum = left;
    }
    waiting_[level] = sum;
  }
  /// Of all so far: whoever has no neighbour is added as it is.
  KOKKOS_FUNCTION Partial total() const {
    Partial sum{};
    bool is_first = true;
    int level = 0;
    for (std::int64_t count = count_; count != 0; count >>= 1, ++level) {
      if (!(count & 1)) continue;
      Partial left = waiting_[level];
      if (!is_first) left.join(sum);
      sum = left;
      is_first = false;
    }
    return sum;
  }

 private:
  Partial waiting_[Levels];
  std::int64_t count_ = 0;
};

}  // namespace carroll::detail
