// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/solve/sizes.hpp>
#include <carroll/detail/solve/team/pivot.hpp>
#include <carroll/detail/solve/team/storage.hpp>
#include <carroll/detail/team.hpp>

/// Elimination with partial pivoting by a team, some columns at a time; and by one thread with its
/// lanes, rows over them, what follows for a right-hand side.
namespace carroll::detail {

/// Columns behind a panel that go through its steps together, so that what is read of L serves all.
/// On hosts two of doubles take five sixths of the time of one after the other, two of floats twice
/// it (2026-11-27, g++ 12 for the oldest x86-64, n = 64 to 256).
template <class ExecSpace, class Value>
inline constexpr int solve_strip = lanes<ExecSpace> > 1 ? 4
                                   : sizeof(Value) >= 8 ? 2
                                                        : 1;

/// Y(i, c) -= Σ A(i, k)·Y(k, c), begin <= k < end, for `count` rows from i on and the first C
/// columns, which stay in registers.
template <int count, int C, class Value>
KOKKOS_INLINE_FUNCTION void subtract_in_registers(Columns<Value> const& A, int begin, int end,
                                                  int i, Columns<Value> const& Y) {
  Value x[C][count];
  for (int c = 0; c < C; ++c)
    for (int r = 0; r < count; ++r) x[c][r] = Y(i + r, c);
  for (int k = begin; k < end; ++k) {
    Value const* const a = A.col(k) + i;
    for (int c = 0; c < C; ++c) {
      Value const by = Y(k, c);
      for (int r = 0; r < count; ++r) subtract_product(x[c][r], a[r], by);
    }
  }
  for (int c = 0; c < C; ++c)
    for (int r = 0; r < count; ++r) Y(i + r, c) = x[c][r];
}

/// The same for rows first <= i < last, none of which is one of these.
template <int C, class Value, class Member>
KOKKOS_INLINE_FUNCTION void subtract_products(Member const& team, Columns<Value> const& A,
                                              int begin, int end, int first, int last,
                                              Columns<Value> const& Y) {
  constexpr int count = lanes<typename Member::execution_space> == 1 ? 64 / int(sizeof(Value)) : 1;
  int const whole = (last - first) / count;
  lane_for(team, whole, [&](int chunk) {
    subtract_in_registers<count, C>(A, begin, end, first + count * chunk, Y);
  });
  for (int i = first + count * whole; i < last; ++i)
    subtract_in_registers<1, C>(A, begin, end, i, Y);  // on hosts alone is there a rest
}

/// Rows of a column change places as the steps begin <= k < end say.
template <class Value>
KOKKOS_INLINE_FUNCTION void exchange_rows(int const* pivots, int begin, int end, Value* y,
                                          bool backwards = false) {
  for (int s = 0; s < end - begin; ++s) {
    int const k = backwards ? end - 1 - s : begin + s;
    Value const kept = y[k];
    y[k] = y[pivots[k]];
    y[pivots[k]] = kept;
  }
}

/// The rows of the panel begin <= k < end itself: exchanges, a column to each lane, and its steps.
template <int C, class Value, class Member>
KOKKOS_INLINE_FUNCTION void eliminate_panel(Member const& team, SolveStorage<Value> const& at,
                                            int begin, int end, Columns<Value> const& Y) {
  lane_for(team, C, [&](int c) { exchange_rows(at.pivots, begin, end, Y.col(c)); });
  for (int k = begin; k + 1 < end; ++k) {
    Value u[C];
    for (int c = 0; c < C; ++c) u[c] = Y(k, c);
    lane_for(team, end - k - 1, [&](int i) {
      Value const factor = at.A(k + 1 + i, k);
      for (int c = 0; c < C; ++c) subtract_product(Y(k + 1 + i, c), factor, u[c]);
    });
  }
}

/// Steps begin <= k < end on C columns behind them, or on a right-hand side.
template <int C, class Value, class Member>
KOKKOS_INLINE_FUNCTION void eliminate(Member const& team, SolveStorage<Value> const& at, int begin,
                                      int end, Columns<Value> const& Y) {
  eliminate_panel<C>(team, at, begin, end, Y);
  subtract_products<C>(team, at.A, begin, end, end, at.n, Y);
}

/// The pivot of column k, the first of the largest entries, and the factors of L below it; then
/// step k on the other columns of the panel. False, on all threads, if the pivot is 0. Ends with a
/// barrier.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION bool eliminate_column(Member const& team, SolveStorage<Value> const& at,
                                             int k, int begin, int end) {
  Value* const x = at.A.col(k);
  int const found = first_pivot(team, at.n - k, x + k);
  int const p = k + (found < at.n - k ? found : 0);  // there is none where numbers are NaN
  Value const first = x[k], u = x[p];
  Value const inverse = inverse_of_pivot(u == Value(0) ? Value(1) : u);
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
    Value* const y = at.A.col(j);
    once_per_thread(team, [&] { exchange_rows(at.pivots, k, k + 1, y); });
    if (j < k) return;
    Value const by = y[k];
    lane_for(team, at.n - k - 1, [&](int i) { subtract_product(y[k + 1 + i], x[k + 1 + i], by); });
  });
  team.team_barrier();
  return u != Value(0);
}

/// L and U of at.A: panels of columns, then the columns behind them, some to a thread: what is left
/// of them is read and written once a panel. False if a pivot is 0. 2n³/3 flops, three barriers a
/// column. Ends with a barrier.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION bool factorise(Member const& team, SolveStorage<Value> const& at) {
  constexpr int strip = solve_strip<typename Member::execution_space, Value>;
  bool regular = true;
  for (int begin = 0; begin < at.n; begin += solve_panel) {
    int const end = Kokkos::min(begin + solve_panel, at.n);
    for (int k = begin; k < end; ++k)
      regular = eliminate_column(team, at, k, begin, end) && regular;
    thread_for(team, (at.n - end + strip - 1) / strip, [&](int s) {
      int const first = end + strip * s;
      if (first + strip <= at.n)
        return eliminate<strip>(team, at, begin, end, Columns<Value>{at.A.col(first), at.n});
      for (int j = first; j < at.n; ++j)
        eliminate<1>(team, at, begin, end, Columns<Value>{at.A.col(j), at.n});
    });
    team.team_barrier();
  }
  return regular;
}

/// Steps of the panel begin <= k < end backwards, on its own rows of y.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION void substitute_panel(Member const& team, SolveStorage<Value> const& at,
                                             int begin, int end, Value* y) {
  for (int k = end - 1; k >= begin; --k) {
    once_per_thread(team, [&] { y[k] *= at.inverses[k]; });
    Value const x = y[k];
    lane_for(team, k - begin,
             [&](int i) { subtract_product(y[begin + i], at.A(begin + i, k), x); });
  }
}

/// y := A⁻¹·y by the calling thread alone. 2n² flops.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION void solve(Member const& team, SolveStorage<Value> const& at, Value* y) {
  Columns<Value> const Y{y, at.n};
  int const panels = (at.n + solve_panel - 1) / solve_panel;
  for (int s = 0; s < panels; ++s)
    eliminate<1>(team, at, s * solve_panel, Kokkos::min((s + 1) * solve_panel, at.n), Y);
  for (int s = panels - 1; s >= 0; --s) {
    int const begin = s * solve_panel, end = Kokkos::min(begin + solve_panel, at.n);
    substitute_panel(team, at, begin, end, y);
    subtract_products<1>(team, at.A, begin, end, 0, begin, Y);
  }
}

}  // namespace carroll::detail
