// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/load.hpp>
#include <carroll/detail/eigh/jacobi/factors.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// L := A + shift·I, positive semidefinite by Gershgorin's discs, a team per matrix: its singular
/// values are its eigenvalues, and its left singular vectors those of A. What is lost to rounding,
/// eps·(|A| + shift), is of the order of what tridiagonalisation loses: the discs ask for √n times
/// the norm of A at most, seldom for more than a few; it is an eighth more, so that no singular
/// value vanishes. A matrix that is diagonally dominant, with a diagonal that is not negative, is
/// not shifted. Of complex entries a bound takes the place of the modulus, at most an eighth above.
///
/// 3n² operations; A is read twice, L written once, as much again from caches; four barriers.
template <class ExecSpace, class T>
class ShiftKernel {
  using Real = RealOf<T>;

 public:
  /// Of members that are `done`, if that is not null, L is zero, which takes no time.
  ShiftKernel(EighBatch<T> const& batch, int const* done) : batch_(batch), done_(done) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    EighProblem<T> const problem = batch_(batch_.index(team.league_rank()));
    FactorStorage<T> const at(problem);
    Columns<T> const L = at.L;
    int const n = problem.n;
    int exponent = 0;
    bool const is_done = done_ && done_[team.league_rank()] != 0;
    bool const finite = !is_done && load_symmetric(team, problem, L, at.sigma, exponent);
    Real const shift = finite ? find_shift(team, at, n) : Real(0);
    thread_for(team, n, [&](int j) {
      if (finite)
        once_per_thread(team, [&] { L(j, j) += shift; });
      else
        lane_for(team, n, [&](int i) { L(i, j) = 0; });
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      *at.shift = shift;
      at.outcome[0] = static_cast<int>(finite ? Status::success : Status::non_finite);
      at.outcome[1] = exponent;
    });
  }

 private:
  /// |x|, or more: no root is taken, and no small part is lost in its square.
  KOKKOS_FUNCTION static Real at_least_modulus(T const& x) {
    if constexpr (is_complex<T>) {
      Real const re = Kokkos::abs(x.real()), im = Kokkos::abs(x.imag());
      return re < im ? im + re / 2 : re + im / 2;
    } else {
      return Kokkos::abs(x);
    }
  }

  /// Ends with a barrier.
  KOKKOS_FUNCTION static Real find_shift(TeamMember<ExecSpace> const& team,
                                         FactorStorage<T> const& at, int n) {
    thread_for(team, n, [&](int j) {
      T const* const column = at.L.col(j);
      Real const disc = lane_sum<Real>(team, n, [&](int i) {
        return i == j ? -real_part(column[i]) : at_least_modulus(column[i]);
      });
      once_per_thread(team, [&] { at.sigma[j] = disc; });
    });
    team.team_barrier();
    Real const most = lane_max<Real>(team, n, [&](int j) { return at.sigma[j]; });
    team.team_barrier();
    return most > Real(0) ? most + most / 8 : Real(0);
  }

  EighBatch<T> batch_;
  int const* done_;
};

}  // namespace carroll::detail
