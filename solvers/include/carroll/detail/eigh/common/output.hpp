// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>

/// From eigenvalues and vectors in any order to the caller's, by a team.
namespace carroll::detail {

/// W and V := NaN, with this status.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void refuse(Member const& team, EighProblem<Real> const& problem,
                                   Status status) {
  Real const nan = Kokkos::Experimental::quiet_NaN_v<Real>;
  thread_for(team, problem.n, [&](int j) {
    once_per_thread(team, [&] { problem.w(j) = nan; });
    if (problem.vectors()) lane_for(team, problem.n, [&](int i) { problem.v(i, j) = nan; });
  });
  Kokkos::single(Kokkos::PerTeam(team), [&] { *problem.info = {.status = status}; });
}

/// W := value(k) and V := vector(k), 0 <= k < n, in ascending order of key(k), first come first on
/// equal ones. Of each vector the first of the largest entries is made positive. Keys of more than
/// `small` times the largest count for the rank. The vector of order 1 is 1, not 1 to rounding.
template <class Real, class Member, class Key, class Value, class Vector>
KOKKOS_INLINE_FUNCTION void write_eigenpairs(Member const& team, EighProblem<Real> const& problem,
                                             Key const& key, Real small, Value const& value,
                                             Vector const& vector, int sweeps, bool converged) {
  int const n = problem.n;
  thread_for(team, n, [&](int k) {
    Real const own = key(k);
    int const place =
        count_of(team, n, [&](int i) { return key(i) < own || (key(i) == own && i < k); });
    once_per_thread(team, [&] { problem.w(place) = value(k) + Real(0); });
    if (!problem.vectors()) return;
    if (n == 1) return once_per_thread(team, [&] { problem.v(0, 0) = 1; });
    Real const* const x = vector(k);
    int const first = first_largest(team, n, x);
    Real const sign = first < n && x[first] < Real(0) ? Real(-1) : Real(1);
    lane_for(team, n, [&](int i) { problem.v(i, place) = sign * x[i] + Real(0); });
  });
  Real const largest = lane_max<Real>(team, n, [&](int k) { return Kokkos::abs(key(k)); });
  Real const least = largest * small;
  int const rank = count_of(team, n, [&](int k) { return Kokkos::abs(key(k)) > least; });
  int const negative = count_of(team, n, [&](int k) { return -key(k) > least; });
  bool const overflow = count_of(team, n, [&](int k) { return Kokkos::isinf(value(k)); }) > 0;
  Kokkos::single(Kokkos::PerTeam(team), [&] {
    *problem.info = {.status = !converged ? Status::not_converged
                               : overflow ? Status::overflow
                                          : Status::success,
                     .sweeps = sweeps,
                     .rank = rank,
                     .negative = negative};
  });
}

}  // namespace carroll::detail
