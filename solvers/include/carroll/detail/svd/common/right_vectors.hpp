// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/common/householder.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/team.hpp>

/// The rotations' product recovered from what they did, instead of being accumulated.
namespace carroll::detail {

/// J from L·J = W: Jacobi turned the lower triangular L into W, so J solves a triangular system
/// (Drmač and Veselić 2008, part I, section 4). L = R₂ᵀ stands in F's upper triangle as columns
/// scaled by `exponents`, W in X scaled by `x_exponents`. n³ flops against some 18n³ for
/// accumulating. One column of J per thread, by dot products with the columns of R₂.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void solve_rotations(Member const& team, Columns<Real> const& F,
                                            int const* exponents, Columns<Real> const& X,
                                            int const* x_exponents, Columns<Real> const& J) {
  int const n = X.rows;
  thread_for(team, n, [&](int j) {
    Real* const solution = J.col(j);
    for (int i = 0; i < n; ++i) {
      Real const* const row = F.col(i);
      Real const known = lane_sum<Real>(team, i, [&](int k) { return row[k] * solution[k]; });
      Real const right = scale(X(i, j), x_exponents[j] - exponents[i]);
      // All entries are written through a range of lanes: it ends with a synchronisation, after
      // which the next dot product may read them from other lanes.
      lane_for(team, 1, [&](int) { solution[i] = (right - known) / row[i]; });
    }
  });
  team.team_barrier();
}

/// Rounding in the sweeps makes ‖JᵀJ - I‖₁ grow as n·√n (uniform random matrices: 0.4·√n·n·eps,
/// OpenMP, 2026-11-21); beyond so many columns it would exceed the limit below whatever the matrix.
inline constexpr int most_solved_columns = 200;

/// Are the columns of J orthonormal to working accuracy, ‖JᵀJ - I‖₁ <= 6·n·eps? This is the test of
/// whether the triangular system was conditioned well enough: measured, not estimated. The residual
/// of the decomposition inherits the deviation; LAPACK's own tests accept 50. 2n³ flops. `sums`
/// holds n entries of scratch.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION bool is_orthonormal(Member const& team, Columns<Real> const& J, int n,
                                           Real* sums) {
  thread_for(team, n, [&](int j) {
    Real deviation = 0;
    for (int i = 0; i < n; ++i) {
      Real const dot = lane_sum<Real>(team, n, [&](int k) { return J(k, i) * J(k, j); });
      deviation += Kokkos::abs(i == j ? dot - 1 : dot);
    }
    once_per_thread(team, [&] { sums[j] = deviation; });
  });
  team.team_barrier();
  Real const limit = 6 * n * Kokkos::Experimental::epsilon_v<Real>;
  int failures = 0;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, n),
      [&](int j, int& count) { count += sums[j] <= limit ? 0 : 1; }, failures);  // NaN fails
  team.team_barrier();
  return failures == 0;
}

}  // namespace carroll::detail
