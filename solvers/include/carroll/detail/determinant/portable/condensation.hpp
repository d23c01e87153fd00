// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/determinant/common/pivot.hpp>

namespace carroll::detail {

/// Condensation by one row at a time, in place, by one team per matrix:
///
///   p = the largest entry of the row, exchanged into the first column;
///   det A = ±p · det(a_ij − a_i0·a_0j/p),  i, j >= 1
///
/// (row 0 is the last one of the caller's matrix, see problem.hpp). The pivot row is divided by p,
/// the rest gets a rank-1 update, entries over the team. 2n³/3 flops, and as every step reads and
/// writes what is left of A, 2n³/3 entries moved where A does not fit a cache.
struct Condensation {
  template <class T, class Member>
  KOKKOS_FUNCTION static void condense(Member const& team, StridedMatrix<T> const& A, int n,
                                       RealOf<T>* row_top, DeterminantState<T>& state) {
    for (int k = 0; k < n; ++k) {
      if (k % safe_steps<T> == safe_steps<T> - 1)
        state.info.value *= ScaledNumber<T>(T(1), rescale_rows(team, A, n, k, row_top));
      StridedVector<T> const row = row_of(A, k);
      auto const pivot = Pivot<T>::find(team, row, k, n);
      if (pivot.size == 0) return state.finish(Status::singular);
      T const p = row(pivot.column);
      state.take_pivot(p, pivot.column != k, row_top[k]);
      if (k == n - 1) return;
      team.team_barrier();  // all have read the pivot
      exchange_columns(team, A, k, n, k, pivot.column);
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, k + 1, n),
                           [&](int j) { row(j) = divided(row(j), p); });
      team.team_barrier();
      StridedMatrix<T> const rest{&A(k + 1, k + 1), A.row_stride, A.col_stride};
      StridedVector<T> const column = A.col(k);
      for_each_entry(team, rest, n - k - 1, n - k - 1,
                     [&](int i, int j) { rest(i, j) -= column(k + 1 + i) * row(k + 1 + j); });
      team.team_barrier();
    }
  }

  template <class T, class Member>
  KOKKOS_FUNCTION static void exchange_columns(Member const& team, StridedMatrix<T> const& A,
                                               int first, int n, int j, int l) {
    if (j == l) return;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, first, n), [&](int i) {
      T const held = A(i, j);
      A(i, j) = A(i, l);
      A(i, l) = held;
    });
  }
};

}  // namespace carroll::detail
