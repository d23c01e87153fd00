// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// Both triangles of A := the caller's matrix, scaled by 2^-exponent to largest entries near 1.
/// Returns false if an entry is not finite. `work`: n numbers. Ends with a barrier.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION bool load_symmetric(Member const& team, EighProblem<T> const& problem,
                                           Columns<T> const& A, RealOf<T>* work, int& exponent) {
  using Real = RealOf<T>;
  int const n = problem.n;
  Real const infinity = Kokkos::Experimental::infinity_v<Real>;
  thread_for(team, n, [&](int j) {
    Real const largest = lane_max<Real>(team, n - j, [&](int i) {
      Real const size = largest_part(problem.lower(j + i, j));
      return size < infinity ? size : infinity;
    });
    once_per_thread(team, [&] { work[j] = largest; });
  });
  team.team_barrier();
  Real const largest = lane_max<Real>(team, n, [&](int j) { return work[j]; });
  if (!(largest < infinity)) return false;
  exponent = largest > Real(0) ? exponent_of(largest) : 0;
  int const down = -exponent;
  thread_for(team, n, [&](int j) {
    lane_for(team, n, [&](int i) { A(i, j) = scale_parts(problem.entry(i, j), down); });
  });
  team.team_barrier();
  return true;
}

}  // namespace carroll::detail
