// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>

namespace carroll::detail {

/// What the warps of a team offer for columns that elsewhere another team has.
template <class T, int R, int W>
struct RowPanelOffers {
  alignas(16) int keys[W];
  alignas(16) RowPanelCandidate<T, R> candidates[W];
};

/// One team in the place of several that share a row panel's columns (TeamLead, PivotExchange),
/// with the same pivots: it has one column per thread of each. The first of its row panels leads,
/// and this makes the others follow.
template <class T, int R, int W, int Teams>
struct LeaderEmulation {
  RowPanel<T, R, 1, W> (&row_panels)[Teams];
  RowPanelOffers<T, R, W>* offers;  ///< scratch, Teams - 1 of them
  bool again;  ///< the first row panel's pivots have not done: the best of all row panels are taken
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
            row_panels[t].best_column(threads, offer.keys, offer.candidates, t * threads.size());
        if (Kokkos::abs(other->pivot) > Kokkos::abs(own->pivot)) own = other;
      }
    }
    Candidate const winner = *own;
    CARROLL_UNROLL
    for (int t = 1; t < Teams; ++t) {
      kept = kept && row_panels[t].keeps(winner.pivot);
      row_panels[t].take(threads, winner, t * threads.size());
    }
    return own;
  }
};

}  // namespace carroll::detail
