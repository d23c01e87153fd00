// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/panel/panel.hpp>

namespace carroll::detail {

/// What the warps of a team offer for columns that elsewhere another team has.
template <class T, int R, int W>
struct StripOffers {
  alignas(16) int keys[W];
  alignas(16) StripCandidate<T, R> candidates[W];
};

/// One team in the place of several that share a strip's columns (TeamLead, TeamExchange), with the
/// same pivots: it has one column per thread of each. The first of its strips leads, and this
/// makes the others follow.
template <class T, int R, int W, int Teams>
struct StripFollowers {
  Strip<T, R, 1, W> (&strips)[Teams];
  StripOffers<T, R, W>* offers;  ///< scratch, Teams - 1 of them
  bool again;  ///< the first strip's pivots have not done: the best of all strips are taken
  bool& kept;  ///< they have done, for this thread's columns

  [[nodiscard]] KOKKOS_FUNCTION bool leads() const { return !again; }

  template <int, class Threads, class Candidate>
  KOKKOS_FORCEINLINE_FUNCTION Candidate const* among_teams(int, Threads const& threads,
                                                           Candidate const* own) const {
    if (again) {
      CARROLL_UNROLL
      for (int t = 1; t < Teams; ++t) {
        auto& offer = offers[t - 1];
        Candidate const* const other =
            strips[t].best_column(threads, offer.keys, offer.candidates, t * threads.size());
        if (Kokkos::abs(other->pivot) > Kokkos::abs(own->pivot)) own = other;
      }
    }
    Candidate const winner = *own;
    CARROLL_UNROLL
    for (int t = 1; t < Teams; ++t) {
      kept = kept && strips[t].keeps(winner.pivot);
      strips[t].take(threads, winner, t * threads.size());
    }
    return own;
  }
};

}  // namespace carroll::detail
