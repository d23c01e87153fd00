// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/team.hpp>

/// Searches by the lanes of one thread of a team; all of them get the result.
namespace carroll::detail {

/// How many of keys 0 <= k < n f says yes to.
template <class Member, class F>
KOKKOS_INLINE_FUNCTION int count_of(Member const& team, int n, F const& f) {
  int count = 0;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, n), [&](int k, int& sum) { sum += f(k) ? 1 : 0; }, count);
  return count;
}

/// The first of the largest entries of x in modulus; n if there is none.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION int first_largest(Member const& team, int n, Real const* x) {
  Real const largest = lane_max<Real>(team, n, [&](int i) { return Kokkos::abs(x[i]); });
  int first = n;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, n),
      [&](int i, int& least) {
        if (Kokkos::abs(x[i]) == largest && i < least) least = i;
      },
      Kokkos::Min<int>(first));
  return first;
}

}  // namespace carroll::detail
