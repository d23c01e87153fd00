// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

namespace carroll::detail {

/// The canonical tree over chunks that come one after the other, for one thread: sums that wait for
/// their neighbours, at most one of each size, as the digits of a counter. An addition a chunk.
template <class Partial>
class PairTree {
 public:
  KOKKOS_FUNCTION void add(Partial const& next) {
    Partial sum = next;
    int level = 0;
    for (std::int64_t count = count_++; count & 1; count >>= 1) {
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
  static constexpr int most_levels = 40;
  Partial waiting_[most_levels];
  std::int64_t count_ = 0;
};

/// The same for up to 2^Levels chunks, in registers.
template <class Partial, int Levels>
class ShortPairTree {
 public:
  KOKKOS_FORCEINLINE_FUNCTION void add(Partial sum) {
    bool goes_on = true;
    CARROLL_UNROLL
    for (int level = 0; level <= Levels; ++level) {
      if (!goes_on) continue;
      if ((count_ >> level) & 1) {
        Partial left = waiting_[level];
        left.join(sum);
        sum = left;
      } else {
        waiting_[level] = sum;
        goes_on = false;
      }
    }
    ++count_;
  }
  KOKKOS_FORCEINLINE_FUNCTION Partial total() const {
    Partial sum{};
    bool is_first = true;
    CARROLL_UNROLL
    for (int level = 0; level <= Levels; ++level) {
      if (!((count_ >> level) & 1)) continue;
      Partial left = waiting_[level];
      if (!is_first) left.join(sum);
      sum = left;
      is_first = false;
    }
    return sum;
  }

 private:
  Partial waiting_[Levels + 1];
  int count_ = 0;
};

}  // namespace carroll::detail
