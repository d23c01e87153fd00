// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/solve/sizes.hpp>
#include <carroll/detail/solve/team/storage.hpp>
#include <carroll/detail/team.hpp>

/// Powers of two in and out of one system by a team.
namespace carroll::detail {

/// max f(i), `least_exponent` for n = 0, by the lanes of a thread.
template <class Member, class F>
KOKKOS_INLINE_FUNCTION int lane_top(Member const& team, int n, F const& f) {
  int top = least_exponent;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, n),
      [&](int i, int& partial) {
        int const x = f(i);
        partial = x > partial ? x : partial;
      },
      Kokkos::Max<int>(top));
  return n > 0 ? top : least_exponent;
}

/// Do the exponents of these sizes lie close together? `top` := the largest.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION bool are_even(Member const& team, int n, Real const* sizes, int& top) {
  top = lane_top(team, n, [&](int i) { return exponent_or_one(sizes[i]); });
  int const low = -lane_top(team, n, [&](int i) { return -exponent_or_one(sizes[i]); });
  return top - low < uneven_places;
}

/// at.A := the caller's matrix near 1: times one power of two where rows, and columns, are of much
/// the same size, else columns first, then rows, by theirs. That goes by exponents: nothing is lost
/// but entries far below the largest of their row and column. False, on all threads, if an entry is
/// not finite. Ends with a barrier.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION bool equilibrate(Member const& team, SolveProblem<Value> const& problem,
                                        SolveStorage<Value> const& at) {
  using Real = RealOf<Value>;
  auto const& a = problem.a;
  thread_for(team, at.n, [&](int j) {
    Real const in_col =
        lane_max<Real>(team, at.n, [&](int i) { return size_or_infinity(a(i, j)); });
    Real const in_row =
        lane_max<Real>(team, at.n, [&](int k) { return size_or_infinity(a(j, k)); });
    once_per_thread(team, [&] {
      at.in_cols[j] = in_col;
      at.in_rows[j] = in_row;
    });
  });
  team.team_barrier();
  Real const largest = lane_max<Real>(team, at.n, [&](int j) { return at.in_cols[j]; });
  if (!(largest < Kokkos::Experimental::infinity_v<Real>)) return false;
  int common = 0, unused = 0;
  bool const even_cols = are_even(team, at.n, at.in_cols, common);
  bool const even = are_even(team, at.n, at.in_rows, unused) && even_cols;
  if (Kokkos::abs(common) < near_one_places) common = 0;
  thread_for(team, at.n, [&](int j) {
    once_per_thread(team, [&] { at.cols[j] = -(even ? common : exponent_or_one(at.in_cols[j])); });
  });
  team.team_barrier();
  thread_for(team, at.n, [&](int i) {
    int const top = even ? 0 : lane_top(team, at.n, [&](int j) {
      Real const x = largest_part(a(i, j));
      return x != Real(0) ? exponent_of(x) + at.cols[j] : least_exponent;
    });
    once_per_thread(team, [&] { at.rows[i] = -top; });
  });
  team.team_barrier();
  thread_for(team, at.n, [&](int j) {
    lane_for(team, at.n,
             [&](int i) { at.A(i, j) = scale_parts_within_one(a(i, j), at.cols[j] + at.rows[i]); });
  });
  team.team_barrier();
  return true;
}

/// Column j of Y := that of B, or of the identity, times the powers of two of the rows and one of
/// its own, which brings it near 1. Returns the exponent of that. By the calling thread alone.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION int load_side(Member const& team, SolveProblem<Value> const& problem,
                                     SolveStorage<Value> const& at, int j, int& flags) {
  using Real = RealOf<Value>;
  Value* const y = at.Y.col(j);
  if (problem.inverts()) {
    lane_for(team, at.n, [&](int i) { y[i] = i == j ? Value(1) : Value(0); });
    return at.rows[j];
  }
  auto const b = problem.b.col(j);
  Real const largest = lane_max<Real>(team, at.n, [&](int i) { return size_or_infinity(b(i)); });
  if (!(largest < Kokkos::Experimental::infinity_v<Real>)) flags |= side_not_finite;
  int const e = !(largest > Real(0)) ? 0 : lane_top(team, at.n, [&](int i) {
    Real const size = size_or_infinity(b(i));
    return size > Real(0) ? exponent_or_one(size) + at.rows[i] : least_exponent;
  });
  lane_for(team, at.n, [&](int i) { y[i] = scale_parts_within_one(b(i), at.rows[i] - e); });
  return e;
}

/// Column j of X := what the powers of two were taken out of.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION void store_side(Member const& team, SolveProblem<Value> const& problem,
                                       SolveStorage<Value> const& at, int j, int e, int& flags) {
  using Real = RealOf<Value>;
  Value const* const y = at.Y.col(j);
  Real const infinity = Kokkos::Experimental::infinity_v<Real>;
  int const worst = lane_top(team, at.n, [&](int i) {
    Value const x = scale_parts(y[i], at.cols[i] + e);
    problem.x(i, j) = x;
    bool const within = largest_part(y[i]) < infinity;
    return !within ? 2 : largest_part(x) < infinity ? 0 : 1;
  });
  if (worst == 2) flags |= side_broken;
  if (worst == 1) flags |= side_overflow;
}

}  // namespace carroll::detail
