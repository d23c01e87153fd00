// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/solve/team/eliminate.hpp>
#include <carroll/detail/solve/team/storage.hpp>
#include <carroll/detail/team.hpp>

/// One vector by all threads of a team: the first of them works on the rows of a panel, all of them
/// on what lies beside it. Two barriers a panel; which thread does what changes no bits.
namespace carroll::detail {

/// y[i] -= Σ A(i, k)·y[k], begin <= k < end, for rows first <= i < last. Ends with a barrier.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION void subtract_shared(Member const& team, SolveStorage<Value> const& at,
                                            int begin, int end, int first, int last, Value* y) {
  constexpr int part = 32;  // rows of a thread at a time
  thread_for(team, (last - first + part - 1) / part, [&](int p) {
    int const from = first + part * p;
    subtract_products<1>(team, at.A, begin, end, from, Kokkos::min(from + part, last),
                         Columns<Value>{y, at.n});
  });
  team.team_barrier();
}

/// y[k] -= Σ A(i, k)·y[i], first <= i < last, for the columns begin <= k < end, which are others.
/// Ends with a barrier.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION void subtract_sums(Member const& team, SolveStorage<Value> const& at,
                                          int begin, int end, int first, int last, Value* y) {
  thread_for(team, end - begin, [&](int c) {
    Value const* const a = at.A.col(begin + c) + first;
    Value const sum =
        lane_sum<Value>(team, last - first, [&](int i) { return a[i] * y[first + i]; });
    once_per_thread(team, [&] { y[begin + c] -= sum; });
  });
  team.team_barrier();
}

/// y := A⁻¹·y. 2n² flops. Begins behind a barrier and ends with one.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION void solve_shared(Member const& team, SolveStorage<Value> const& at,
                                         Value* y) {
  int const panels = (at.n + solve_panel - 1) / solve_panel;
  for (int s = 0; s < panels; ++s) {
    int const begin = s * solve_panel, end = Kokkos::min(begin + solve_panel, at.n);
    if (team.team_rank() == 0) eliminate_panel<1>(team, at, begin, end, Columns<Value>{y, at.n});
    team.team_barrier();
    subtract_shared(team, at, begin, end, end, at.n, y);
  }
  for (int s = panels - 1; s >= 0; --s) {
    int const begin = s * solve_panel, end = Kokkos::min(begin + solve_panel, at.n);
    if (team.team_rank() == 0) substitute_panel(team, at, begin, end, y);
    team.team_barrier();
    subtract_shared(team, at, begin, end, 0, begin, y);
  }
}

/// y := A⁻ᵀ·y, the same way.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION void solve_transposed_shared(Member const& team,
                                                    SolveStorage<Value> const& at, Value* y) {
  int const panels = (at.n + solve_panel - 1) / solve_panel;
  for (int s = 0; s < panels; ++s) {
    int const begin = s * solve_panel, end = Kokkos::min(begin + solve_panel, at.n);
    subtract_sums(team, at, begin, end, 0, begin, y);
    for (int k = begin; team.team_rank() == 0 && k < end; ++k) {
      Value const sum = lane_sum<Value>(team, k - begin,
                                        [&](int i) { return at.A(begin + i, k) * y[begin + i]; });
      once_per_thread(team, [&] { y[k] = (y[k] - sum) * at.inverses[k]; });
    }
    team.team_barrier();
  }
  for (int s = panels - 1; s >= 0; --s) {
    int const begin = s * solve_panel, end = Kokkos::min(begin + solve_panel, at.n);
    subtract_sums(team, at, begin, end, end, at.n, y);
    if (team.team_rank() == 0) {
      for (int k = end - 1; k >= begin; --k) {
        Value const sum = lane_sum<Value>(team, end - k - 1,
                                          [&](int i) { return at.A(k + 1 + i, k) * y[k + 1 + i]; });
        once_per_thread(team, [&] { y[k] -= sum; });
      }
      once_per_thread(team, [&] { exchange_rows(at.pivots, begin, end, y, true); });
    }
    team.team_barrier();
  }
}

}  // namespace carroll::detail
