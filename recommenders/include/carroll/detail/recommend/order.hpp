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

/// An item and its score: read and written at once.
template <class Real>
struct alignas(2 * sizeof(Real)) Candidate {
  Real score;
  std::int32_t index;
  friend bool operator<(Candidate const& a, Candidate const& b) {
    return comes_before(a.score, a.index, b.score, b.index);
  }
};

}  // namespace carroll::detail
