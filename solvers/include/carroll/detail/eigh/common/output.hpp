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

/// What entries of a vector are compared by: their moduli, or the squares of these.
template <class T>
KOKKOS_INLINE_FUNCTION RealOf<T> ordering_size(T const& x) {
  if constexpr (is_complex<T>)
    return rounded_product(x.real(), x.real()) + rounded_product(x.imag(), x.imag());
  else
    return Kokkos::abs(x);
}

/// Multiplies a vector of length 1 by a number of modulus 1, so that `first`, the first of its
/// largest entries, of the ordering_size `largest`, becomes positive. What may be -0 becomes +0.
template <class T>
struct UnitTurn {
  bool turns;

  KOKKOS_FUNCTION UnitTurn(T first, T /*largest*/) : turns(first < T(0)) {}
  KOKKOS_FUNCTION T operator()(T x, bool /*is_first*/) const { return (turns ? -x : x) + T(0); }
};
template <class Real>
struct UnitTurn<Kokkos::complex<Real>> {
  Real size, re, im;

  KOKKOS_FUNCTION UnitTurn(Kokkos::complex<Real> const& first, Real largest)
      : size(Kokkos::sqrt(largest)),
        re(size > Real(0) ? first.real() / size : Real(1)),
        im(size > Real(0) ? -first.imag() / size : Real(0)) {}
  KOKKOS_FUNCTION Kokkos::complex<Real> operator()(Kokkos::complex<Real> const& x,
                                                   bool is_first) const {
    if (is_first) return {size, Real(0)};
    Real const p = x.real(), q = x.imag();
    return {Kokkos::fma(p, re, -rounded_product(q, im)) + Real(0),
            Kokkos::fma(p, im, rounded_product(q, re)) + Real(0)};
  }
};

/// v := conj(x)·phase, whose entry largest in modulus, the first of equal ones, is positive. x is
/// of length 1.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void write_unit_vector(Member const& team, int n,
                                              Kokkos::complex<Real> const* x,
                                              StridedVector<Kokkos::complex<Real>> const& v) {
  if (n == 1) return once_per_thread(team, [&] { v(0) = 1; });
  auto const square = [&](int i) { return ordering_size(x[i]); };
  Real const largest = lane_max<Real>(team, n, square);
  int first = n;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, n),
      [&](int i, int& least) {
        if (square(i) == largest && i < least) least = i;
      },
      Kokkos::Min<int>(first));
  UnitTurn<Kokkos::complex<Real>> const turn(
      first < n ? conjugate(x[first]) : Kokkos::complex<Real>(), largest);
  lane_for(team, n, [&](int i) { v(i) = turn(conjugate(x[i]), i == first); });
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
