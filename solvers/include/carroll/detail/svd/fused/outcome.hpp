// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/fused/team.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/warp/jacobi.hpp>

namespace carroll::detail {

/// S, and what there is to say about it.
template <class Team, class Real>
KOKKOS_FORCEINLINE_FUNCTION void write_values(Team const& team, SvdProblem<Real> const& problem,
                                              WarpTally const& tally) {
  auto const& scratch = team.scratch;
  int const n = problem.cols;
  auto const value = [&](int k, int shift) {
    int const j = scratch.order()[k];
    return scale(scratch.squares()[j], scratch.working_exponents()[j] + shift);
  };
  for (int k = team.member.team_rank(); k < n; k += team.member.team_size())
    problem.s(k) = value(k, 0);
  if (team.warp != 0) return;
  int const shift = -scratch.working_exponents()[scratch.order()[0]];
  Real const least = value(0, shift) * problem.rows * Kokkos::Experimental::epsilon_v<Real>;
  int const rank = team.count(n, [&](int k) { return value(k, shift) > least; });
  if (!team.is_first()) return;
  SvdInfo<Real> info = {};
  info.sweeps = tally.sweeps;
  info.rotations = tally.rotations;
  info.max_cosine = static_cast<Real>(tally.max_cosine);
  info.rank = rank;
  if (Kokkos::isinf(value(0, 0))) info.status = Status::overflow;
  *problem.info = info;
}

/// Of a matrix that is not finite.
template <class Team, class Real>
KOKKOS_FORCEINLINE_FUNCTION void fill_with_nan(Team const& team, SvdProblem<Real> const& problem) {
  constexpr Real nan = Kokkos::Experimental::quiet_NaN_v<Real>;
  int const thread = team.member.team_rank(), threads = team.member.team_size();
  auto const fill = [&](StridedMatrix<Real> const& to, int rows, int cols) {
    for (int j = 0; j < cols; ++j)
      for (int i = thread; i < rows; i += threads) to(i, j) = nan;
  };
  fill(problem.left, problem.rows, problem.left_cols);
  fill(problem.right, problem.cols, problem.right_cols);
  for (int k = thread; k < problem.cols; k += threads) problem.s(k) = nan;
  if (!team.is_first()) return;
  SvdInfo<Real> info = {};
  info.status = Status::non_finite;
  info.max_cosine = nan;
  *problem.info = info;
}

}  // namespace carroll::detail
