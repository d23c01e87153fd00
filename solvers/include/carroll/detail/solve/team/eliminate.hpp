// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/solve/team/storage.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>

/// Elimination with partial pivoting by a team, some columns at a time; and by one thread with its
/// lanes, rows over them, what follows for a right-hand side.
namespace carroll::detail {

/// y[i] -= Σ A(i, k)·y[k], begin <= k < end, for `count` rows from i on, which stay in registers.
template <int count, class Real>
KOKKOS_INLINE_FUNCTION void subtract_in_registers(Columns<Real> const& A, int begin, int end, int i,
                                                  Real* y) {
  Real x[count];
  for (int r = 0; r < count; ++r) x[r] = y[i + r];
  for (int k = begin; k < end; ++k) {
    Real const* const a = A.col(k) + i;
    Real const by = y[k];
    for (int r = 0; r < count; ++r) x[r] -= a[r] * by;
  }
  for (int r = 0; r < count; ++r) y[i + r] = x[r];
}

/// The same for rows first <= i < last, none of which is one of these.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void subtract_products(Member const& team, Columns<Real> const& A, int begin,
                                              int end, int first, int last, Real* y) {
  constexpr int count = lanes<typename Member::execution_space> == 1 ? 64 / int(sizeof(Real)) : 1;
  int const whole = (last - first) / count;
  lane_for(team, whole, [&](int chunk) {
    subtract_in_registers<count>(A, begin, end, first + count * chunk, y);
  });
  for (int i = first + count * whole; i < last; ++i)
    subtract_in_registers<1>(A, begin, end, i, y);  // on hosts alone is there a rest
}

/// Rows change places as the steps begin <= k < end say.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void exchange(Member const& team, int const* pivots, int begin, int end,
                                     Real* y, bool backwards = false) {
  once_per_thread(team, [&] {
    for (int s = 0; s < end - begin; ++s) {
      int const k = backwards ? end - 1 - s : begin + s;
      Real const kept = y[k];
      y[k] = y[pivots[k]];
      y[pivots[k]] = kept;
    }
  });
}

/// Steps begin <= k < end on a column behind them, or on a right-hand side.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void eliminate(Member const& team, SolveStorage<Real> const& at, int begin,
                                      int end, Real* y) {
  exchange(team, at.pivots, begin, end, y);
  for (int k = begin; k + 1 < end; ++k) {
    Real const u = y[k];
    lane_for(team, end - k - 1, [&](int i) { y[k + 1 + i] -= at.A(k + 1 + i, k) * u; });
  }
  subtract_products(team, at.A, begin, end, end, at.n, y);
}

/// The pivot of column k, the first of the largest entries, and the factors of L below it; then
/// step k on the other columns of the panel. False, on all threads, if the pivot is 0. Ends with a
/// barrier.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION bool eliminate_column(Member const& team, SolveStorage<Real> const& at,
                                             int k, int begin, int end) {
  Real* const x = at.A.col(k);
  int const found = first_largest(team, at.n - k, x + k);
  int const p = k + (found < at.n - k ? found : 0);  // there is none where numbers are NaN
  Real const first = x[k], u = x[p];
  Real const inverse = Real(1) / (u == Real(0) ? Real(1) : u);
  team.team_barrier();
  thread_for(team, (at.n - k - 1 + 31) / 32, [&](int part) {
    int const from = k + 1 + 32 * part;
    lane_for(team, Kokkos::min(32, at.n - from),
             [&](int i) { x[from + i] = (from + i == p ? first : x[from + i]) * inverse; });
  });
  if (team.team_rank() == 0)
    once_per_thread(team, [&] {
      x[k] = u;
      at.pivots[k] = p;
      at.inverses[k] = inverse;
    });
  team.team_barrier();
  thread_for(team, end - begin, [&](int c) {
    int const j = begin + c;
    if (j == k) return;
    Real* const y = at.A.col(j);
    exchange(team, at.pivots, k, k + 1, y);
    if (j < k) return;
    Real const by = y[k];
    lane_for(team, at.n - k - 1, [&](int i) { y[k + 1 + i] -= x[k + 1 + i] * by; });
  });
  team.team_barrier();
  return u != Real(0);
}

/// L and U of at.A: panels of columns, then each column behind them by the calling threads, one
/// each: what is left of it is read and written once a panel. False if a pivot is 0. 2n³/3 flops,
/// three barriers a column. Ends with a barrier.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION bool factorise(Member const& team, SolveStorage<Real> const& at) {
  bool regular = true;
  for (int begin = 0; begin < at.n; begin += solve_panel) {
    int const end = Kokkos::min(begin + solve_panel, at.n);
    for (int k = begin; k < end; ++k)
      regular = eliminate_column(team, at, k, begin, end) && regular;
    thread_for(team, at.n - end,
               [&](int behind) { eliminate(team, at, begin, end, at.A.col(end + behind)); });
    team.team_barrier();
  }
  return regular;
}

/// y := A⁻¹·y. 2n² flops.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void solve(Member const& team, SolveStorage<Real> const& at, Real* y) {
  int const panels = (at.n + solve_panel - 1) / solve_panel;
  for (int s = 0; s < panels; ++s)
    eliminate(team, at, s * solve_panel, Kokkos::min((s + 1) * solve_panel, at.n), y);
  for (int s = panels - 1; s >= 0; --s) {
    int const begin = s * solve_panel, end = Kokkos::min(begin + solve_panel, at.n);
    for (int k = end - 1; k >= begin; --k) {
      once_per_thread(team, [&] { y[k] *= at.inverses[k]; });
      Real const x = y[k];
      lane_for(team, k - begin, [&](int i) { y[begin + i] -= at.A(begin + i, k) * x; });
    }
    subtract_products(team, at.A, begin, end, 0, begin, y);
  }
}

/// y := A⁻ᵀ·y.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void solve_transposed(Member const& team, SolveStorage<Real> const& at,
                                             Real* y) {
  for (int k = 0; k < at.n; ++k) {
    Real const sum = lane_sum<Real>(team, k, [&](int i) { return at.A(i, k) * y[i]; });
    once_per_thread(team, [&] { y[k] = (y[k] - sum) * at.inverses[k]; });
  }
  for (int end = at.n; end > 0;) {
    int const begin = (end - 1) / solve_panel * solve_panel;
    for (int k = end - 1; k >= begin; --k) {
      Real const sum = lane_sum<Real>(team, at.n - k - 1,
                                      [&](int i) { return at.A(k + 1 + i, k) * y[k + 1 + i]; });
      once_per_thread(team, [&] { y[k] -= sum; });
    }
    exchange(team, at.pivots, begin, end, y, true);
    end = begin;
  }
}

}  // namespace carroll::detail
