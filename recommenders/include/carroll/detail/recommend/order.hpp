// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace carroll::detail {

/// Does one candidate come before another? The larger score first, among equal ones the lower
/// index. Nothing is left to chance, so that the N best are the same whoever finds them.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION bool comes_before(Real score, std::int32_t index, Real other_score,
                                              std::int32_t other_index) {
  return score > other_score || (score == other_score && index < other_index);
}

/// The last of all: no candidate.
inline constexpr std::int32_t no_index = 0x7fffffff;

/// A heap of the best candidates so far, the worst of them on top (Williams 1964; Knuth, TAOCP 3,
/// 5.2.3).
template <class Real>
struct WorstFirst {
  Real* scores;
  std::int32_t* indices;
  std::int32_t capacity;
  std::int32_t count = 0;

  [[nodiscard]] KOKKOS_FUNCTION bool is_full() const { return count == capacity; }
  [[nodiscard]] KOKKOS_FUNCTION Real worst() const { return scores[0]; }

  /// One more, in the place of the worst if there is no other.
  KOKKOS_FUNCTION void add(Real score, std::int32_t index) {
    if (is_full()) {
      sink(0, count, score, index);
      return;
    }
    std::int32_t place = count++;
    while (place > 0) {
      std::int32_t const above = (place - 1) / 2;
      if (!comes_before(scores[above], indices[above], score, index)) break;
      move(place, above);
      place = above;
    }
    put(place, score, index);
  }
  /// The best first; the heap is none any more.
  KOKKOS_FUNCTION void sort() {
    for (std::int32_t size = count - 1; size > 0; --size) {
      Real const score = scores[size];
      std::int32_t const index = indices[size];
      move(size, 0);
      sink(0, size, score, index);
    }
  }

 private:
  KOKKOS_FUNCTION void put(std::int32_t place, Real score, std::int32_t index) {
    scores[place] = score;
    indices[place] = index;
  }
  KOKKOS_FUNCTION void move(std::int32_t to, std::int32_t from) {
    put(to, scores[from], indices[from]);
  }
  /// Puts a candidate at or below a place, where the one there has gone.
  KOKKOS_FUNCTION void sink(std::int32_t place, std::int32_t size, Real score, std::int32_t index) {
    for (std::int64_t below = 2 * std::int64_t{place} + 1; below < size; below = 2 * below + 1) {
      if (below + 1 < size &&
          comes_before(scores[below], indices[below], scores[below + 1], indices[below + 1]))
        ++below;
      if (!comes_before(score, index, scores[below], indices[below])) break;
      move(place, static_cast<std::int32_t>(below));
      place = static_cast<std::int32_t>(below);
    }
    put(place, score, index);
  }
};

}  // namespace carroll::detail
