// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>

/// From eigenvalues and vectors in any order to the caller's, by a team.
namespace carroll::detail {

/// v := ±x, so that the first of its largest entries is positive; for n = 1 x is 1, not 1 to
/// rounding.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void write_unit_vector(Member const& team, int n, Real const* x,
                                              StridedVector<Real> const& v) {
  if (n == 1) return once_per_thread(team, [&] { v(0) = 1; });
  int const first = first_largest(team, n, x);
  Real const sign = first < n && x[first] < Real(0) ? Real(-1) : Real(1);
  lane_for(team, n, [&](int i) { v(i) = sign * x[i] + Real(0); });
}

/// v := conj(x)·phase, whose entry largest in modulus, the first of equal ones, is positive. x is
/// of length 1. What may be -0 becomes +0.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void write_unit_vector(Member const& team, int n,
                                              Kokkos::complex<Real> const* x,
                                              StridedVector<Kokkos::complex<Real>> const& v) {
  if (n == 1) return once_per_thread(team, [&] { v(0) = 1; });
  auto const square = [&](int i) {
    return rounded_product(x[i].real(), x[i].real()) + rounded_product(x[i].imag(), x[i].imag());
  };
  Real const largest = lane_max<Real>(team, n, square);
  int first = n;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, n),
      [&](int i, int& least) {
        if (square(i) == largest && i < least) least = i;
      },
      Kokkos::Min<int>(first));
  Real const size = Kokkos::sqrt(largest);
  Real const re = size > Real(0) ? x[first].real() / size : Real(1);
  Real const im = size > Real(0) ? x[first].imag() / size : Real(0);
  lane_for(team, n, [&](int i) {
    Real const p = x[i].real(), q = -x[i].imag();
    v(i) = i == first ? Kokkos::complex<Real>(size, Real(0))
                      : Kokkos::complex<Real>(p * re - q * im + Real(0), p * im + q * re + Real(0));
  });
}

/// W and V := NaN, with this status.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION void refuse(Member const& team, EighProblem<T> const& problem,
                                   Status status) {
  T const nan = quiet_nan<T>();
  thread_for(team, problem.n, [&](int j) {
    once_per_thread(team, [&] { problem.w(j) = quiet_nan<RealOf<T>>(); });
    if (problem.vectors()) lane_for(team, problem.n, [&](int i) { problem.v(i, j) = nan; });
  });
  Kokkos::single(Kokkos::PerTeam(team), [&] { *problem.info = {.status = status}; });
}

/// The info of a matrix with eigenvalues value(k), 0 <= k < n, multiples of key(k) by a power of
/// two. Keys of more than `small` times the largest count for the rank.
template <class T, class Member, class Key, class Value>
KOKKOS_INLINE_FUNCTION void write_eigh_info(Member const& team, EighProblem<T> const& problem,
                                            Key const& key, RealOf<T> small, Value const& value,
                                            int sweeps, bool converged) {
  using Real = RealOf<T>;
  int const n = problem.n;
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

/// W := value(k) and V := vector(k), 0 <= k < n, in ascending order of key(k), first come first on
/// equal ones. Of each vector the first of the largest entries is made positive. Keys of more than
/// `small` times the largest count for the rank. The vector of order 1 is 1, not 1 to rounding.
/// Complex vectors come as their conjugates.
template <class T, class Member, class Key, class Value, class Vector>
KOKKOS_INLINE_FUNCTION void write_eigenpairs(Member const& team, EighProblem<T> const& problem,
                                             Key const& key, RealOf<T> small, Value const& value,
                                             Vector const& vector, int sweeps, bool converged) {
  using Real = RealOf<T>;
  int const n = problem.n;
  thread_for(team, n, [&](int k) {
    Real const own = key(k);
    int const place =
        count_of(team, n, [&](int i) { return key(i) < own || (key(i) == own && i < k); });
    once_per_thread(team, [&] { problem.w(place) = value(k) + Real(0); });
    if (problem.vectors()) write_unit_vector(team, n, vector(k), problem.v.col(place));
  });
  write_eigh_info(team, problem, key, small, value, sweeps, converged);
}

}  // namespace carroll::detail
