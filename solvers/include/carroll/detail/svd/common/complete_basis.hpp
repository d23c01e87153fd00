// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/strided.hpp>
#include <carroll/detail/svd/common/column_sum.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// Turns column `missing` of Q into a unit vector orthogonal to columns [0, missing), which are
/// orthonormal; missing < m. One team; `dots` holds at least `missing` entries of scratch.
///
/// Starts from the coordinate vector that those columns cover least, which keeps at least 1/√m of
/// its length, and removes its projection twice: twice is enough for working accuracy (Giraud,
/// Langou, Rozložník and van den Eshof 2005). 10·m·missing flops.
template <SummedRows rows, class Real, class Member>
KOKKOS_INLINE_FUNCTION void complete_column(Member const& team, StridedMatrix<Real> const& Q, int m,
                                            int missing, Real* dots) {
  StridedVector<Real> const y = Q.col(missing);
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, m), [&](int i) {
    Real covered = 0;
    for (int j = 0; j < missing; ++j) covered += Q(i, j) * Q(i, j);
    y(i) = covered;
  });
  team.team_barrier();
  Real least = 0;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, m),
      [&](int i, Real& partial) { partial = Kokkos::min(partial, y(i)); },
      Kokkos::Min<Real>(least));
  int start = m;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, m),
      [&](int i, int& partial) {
        if (y(i) == least) partial = Kokkos::min(partial, i);
      },
      Kokkos::Min<int>(start));
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, m),
                       [&](int i) { y(i) = i == start ? Real(1) : Real(0); });
  team.team_barrier();

  for (int pass = 0; pass < 2; ++pass) {
    thread_for(team, missing, [&](int j) {
      Real const dot = column_sum<rows, Real>(team, m, [&](int i) { return Q(i, j) * y(i); });
      once_per_thread(team, [&] { dots[j] = dot; });
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, m), [&](int i) {
      Real projection = 0;
      for (int j = 0; j < missing; ++j) projection += dots[j] * Q(i, j);
      y(i) -= projection;
    });
    team.team_barrier();
  }
  Real const norm =
      Kokkos::sqrt(column_sum<rows, Real>(team, m, [&](int i) { return y(i) * y(i); }));
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, m), [&](int i) { y(i) /= norm; });
  team.team_barrier();
}

}  // namespace carroll::detail
