// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/team/reflector.hpp>
#include <carroll/detail/qr/team/storage.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>

/// Householder reflectors by a team: a column per thread, rows over its lanes.
namespace carroll::detail {

/// A := the caller's columns, each times a power of two that brings its largest entry, or part of
/// one, near 1. Returns false if an entry is not finite. Ends with a barrier.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION bool load_columns(Member const& team, QrProblem<Value> const& problem,
                                         QrStorage<Value> const& at) {
  using Real = RealOf<Value>;
  Real const infinity = Kokkos::Experimental::infinity_v<Real>;
  thread_for(team, at.n, [&](int j) {
    Real const largest = lane_max<Real>(team, at.m, [&](int i) {
      Real const size = largest_part(problem.a(i, j));
      return size < infinity ? size : infinity;
    });
    bool const scales = largest > Real(0) && largest < infinity;
    int const e = scales ? exponent_of(largest) : 0;
    lane_for(team, at.m, [&](int i) { at.A(i, j) = scale_parts(problem.a(i, j), -e); });
    once_per_thread(team, [&] {
      at.norms[j] = largest;
      at.exponents[j] = e;
      at.order[j] = j;
    });
  });
  team.team_barrier();
  bool const finite = lane_max<Real>(team, at.n, [&](int j) { return at.norms[j]; }) < infinity;
  team.team_barrier();  // norms are written again
  return finite;
}

/// Squares of the columns' norms, comparable with each other, where those of their largest entries
/// are. Columns of zeros, whose exponents mean nothing, do not count for what the others are
/// compared with. Ends with a barrier.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION void start_pivoting(Member const& team, QrStorage<Value> const& at) {
  using Real = RealOf<Value>;
  constexpr int farthest = -(exponent_bias<Real> / 2);
  int most = -4 * exponent_bias<Real>;
  for (int j = 0; j < at.n; ++j)
    if (at.norms[j] > Real(0)) most = Kokkos::max(most, at.exponents[j]);
  team.team_barrier();
  thread_for(team, at.n, [&](int j) {
    int const down = Kokkos::min(Kokkos::max(at.exponents[j] - most, farthest), 0);
    Real const weight = power_of_two<Real>(2 * down);
    Real const square =
        lane_sum<Real>(team, at.m, [&](int i) { return squared_modulus(at.A(i, j)); });
    once_per_thread(team, [&] {
      at.weights[j] = weight;
      at.norms[j] = square * weight;
    });
  });
  team.team_barrier();
}

/// The column that is left longest, the first of equals, becomes column k. Ends with a barrier.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION void choose_pivot(Member const& team, QrStorage<Value> const& at, int k) {
  int const found = first_largest(team, at.n - k, at.norms + k);
  team.team_barrier();
  int const p = k + found;
  if (found == 0 || p >= at.n) return;  // all threads say so
  auto const exchange = [](auto& x, auto& y) {
    auto const kept = x;
    x = y;
    y = kept;
  };
  Value *const x = at.A.col(k), *const y = at.A.col(p);
  thread_for(team, (at.m + 31) / 32, [&](int part) {
    int const begin = 32 * part, count = Kokkos::min(32, at.m - begin);
    lane_for(team, count, [&](int i) { exchange(x[begin + i], y[begin + i]); });
    if (part > 0) return;
    once_per_thread(team, [&] {
      exchange(at.norms[k], at.norms[p]);
      exchange(at.weights[k], at.weights[p]);
      exchange(at.exponents[k], at.exponents[p]);
      exchange(at.order[k], at.order[p]);
    });
  });
  team.team_barrier();
}

/// R and the reflectors, as LAPACK's xLARFG makes them; parts of a column that are negligible are
/// dropped. 2mn² - 2n³/3 flops and two barriers a column, of complex numbers four times as many
/// flops; with pivoting half as many again for norms, and two more barriers.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION void factorise(Member const& team, QrStorage<Value> const& at, bool pivots) {
  using Real = RealOf<Value>;
  if (pivots) start_pivoting(team, at);
  for (int k = 0; k < at.k; ++k) {
    if (pivots) choose_pivot(team, at, k);
    Value* const v = at.A.col(k) + k;
    int const tail = at.m - k - 1;
    // Every thread finds the reflector for itself.
    Real const square =
        lane_sum<Real>(team, tail, [&](int i) { return squared_modulus(v[i + 1]); });
    QrReflector<Value> const made = qr_reflector(v[0], square);
    Value const inverse = made.inverse, factor = conjugate(made.tau);
    team.team_barrier();
    thread_for(team, (tail + 31) / 32, [&](int part) {
      int const begin = 32 * part + 1, count = Kokkos::min(32, tail + 1 - begin);
      lane_for(team, count, [&](int i) { v[begin + i] *= inverse; });
    });
    if (team.team_rank() == 0)
      once_per_thread(team, [&] {
        at.beta[k] = made.beta;
        at.tau[k] = made.tau;
      });
    team.team_barrier();
    thread_for(team, at.n - k - 1, [&](int behind) {
      int const j = k + 1 + behind;
      Value* const y = at.A.col(j) + k;
      Value const top = y[0];  // before lanes meet in the sum: one of them writes it afterwards
      Value const w = factor * (top + lane_sum<Value>(team, tail, [&](int i) {
                                  return conjugate(v[i + 1]) * y[i + 1];
                                }));
      if (!pivots) {
        lane_for(team, tail, [&](int i) { y[i + 1] -= w * v[i + 1]; });
      } else {
        Real const left = lane_sum<Real>(team, tail, [&](int i) {
          Value const x = y[i + 1] - w * v[i + 1];
          y[i + 1] = x;
          return squared_modulus(x);
        });
        once_per_thread(team, [&] { at.norms[j] = left * at.weights[j]; });
      }
      once_per_thread(team, [&] { y[0] = top - w; });
    });
    team.team_barrier();
  }
}

/// Column j of Q = H₀⋯H_{k-1}, by the calling thread alone.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION void form_column(Member const& team, QrStorage<Value> const& at, int j) {
  Value* const x = at.Q.col(j);
  lane_for(team, at.m, [&](int i) { x[i] = i == j ? Value(1) : Value(0); });
  for (int l = Kokkos::min(at.k, j + 1) - 1; l >= 0; --l) {
    Value const* const v = at.A.col(l);
    // Every lane keeps to its rows: the reflector's first entry is written out for that.
    auto const h = [&](int i) { return i > l ? v[i] : i == l ? Value(1) : Value(0); };
    Value const w =
        at.tau[l] * lane_sum<Value>(team, at.m, [&](int i) { return conjugate(h(i)) * x[i]; });
    lane_for(team, at.m, [&](int i) { x[i] -= w * h(i); });
  }
}

}  // namespace carroll::detail
