// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/common/householder.hpp>
#include <carroll/detail/team.hpp>

/// From the caller's matrix to scaled columns.
namespace carroll::detail {

/// factor() := B with 2^-exponents[j] taken out of column j, whose largest part is in [1/2, 1)
/// then; norms(). False if a part is not finite. Ends with a barrier.
template <SummedRows summed, class Real, class Member>
KOKKOS_INLINE_FUNCTION bool load_complex_columns(Member const& team,
                                                 ComplexSvdProblem<Real> const& problem) {
  constexpr Real infinity = Kokkos::Experimental::infinity_v<Real>;
  SplitColumns<Real> const F = problem.factor();
  thread_for(team, problem.cols, [&](int j) {
    Real const largest = lane_max<Real>(team, problem.rows, [&](int i) {
      Real const x = largest_part(problem.entry(i, j));
      return x < infinity ? x : infinity;  // NaN too
    });
    bool const finite = largest < infinity;
    int const e = largest > Real(0) && finite ? exponent_of(largest) : 0;
    lane_for(team, problem.rows, [&](int i) { F.set(i, j, scale_parts(problem.entry(i, j), -e)); });
    Real const norm = finite ? column_norm<summed>(team, F.col(j), 2 * problem.rows) : infinity;
    once_per_thread(team, [&] {
      problem.norms()[j] = norm;
      problem.exponents()[j] = e;
    });
  });
  team.team_barrier();
  return lane_max<Real>(team, problem.cols, [&](int j) { return problem.norms()[j]; }) < infinity;
}

/// Is a square B scaled by rows rather than by columns? It is to be worked on as Bᴴ then: a QR
/// factorisation is kind to columns of different size. See the real solver's `should_transpose`;
/// here rows are looked at where the scaled columns are. One team; ends with a barrier.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION bool is_scaled_by_rows(Member const& team,
                                              ComplexSvdProblem<Real> const& problem) {
  int const n = problem.cols;
  if (problem.rows != n) return false;
  constexpr int none_yet = -(1 << 30);
  SplitColumns<Real> const F = problem.factor();
  thread_for(team, n, [&](int i) {
    int top = none_yet;
    for (int j = 0; j < n; ++j) {
      Real const x = largest_part(F(i, j));
      if (x > Real(0)) top = Kokkos::max(top, exponent_of(x) + problem.exponents()[j]);
    }
    once_per_thread(team, [&] { problem.row_exponents()[i] = top; });
  });
  team.team_barrier();
  int row_top = none_yet, row_bottom = -none_yet, col_top = none_yet, col_bottom = -none_yet;
  for (int j = 0; j < n; ++j) {
    int const row = problem.row_exponents()[j], col = problem.exponents()[j];
    if (row > none_yet) {
      row_top = Kokkos::max(row_top, row);
      row_bottom = Kokkos::min(row_bottom, row);
    }
    if (problem.norms()[j] > Real(0)) {
      col_top = Kokkos::max(col_top, col);
      col_bottom = Kokkos::min(col_bottom, col);
    }
  }
  team.team_barrier();  // all have looked before the places are used again
  // A zero matrix has no rows or columns that count; 2^8 is a difference that is no accident.
  return row_top > none_yet && row_top - row_bottom > col_top - col_bottom + 8;
}

}  // namespace carroll::detail
