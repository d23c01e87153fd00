// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// What PairTree does, for up to 2^Levels sums, in registers.
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
