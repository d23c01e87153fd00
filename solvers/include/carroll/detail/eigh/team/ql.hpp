// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/team/storage.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>

/// T = S·diag(λ)·Sᵀ by implicit QL steps: one lane finds a step's rotations, all apply them.
namespace carroll::detail {

/// Rows first to last of T, the topmost block that has not fallen apart; none: first == last.
struct EighBlock {
  int first, last;
};

/// Sets negligible couplings to zero until it meets one that is not, from row `begin` on, and finds
/// its block.
template <class Real>
KOKKOS_INLINE_FUNCTION EighBlock find_block(EighStorage<Real> const& at, int begin) {
  Real const eps = Kokkos::Experimental::epsilon_v<Real> / 2;
  Real const least = power_of_two<Real>(negligible_coupling<Real>);
  auto const couples = [&](int i) {
    Real const size = Kokkos::abs(at.e[i]);
    return size > eps * (Kokkos::abs(at.d[i]) + Kokkos::abs(at.d[i + 1])) && size > least;
  };
  int first = begin;
  while (first < at.n - 1 && !couples(first)) ++first;
  int last = first;
  while (last < at.n - 1 && couples(last)) ++last;
  return {first, last};
}

/// One step on a block: T := Rᵀ·T·R, R the rotations of rows i and i + 1, last first, that are left
/// in `cosine` and `sine`.
///
///   (c, s) = (g, s·e_i)/r,  d_{i+1} = g + (p' = s·((d_i - g)·s + 2·c·b)),  b = c·e_i
///
/// Where r vanishes the block falls apart there, and the rotations from there on are none.
template <class Real>
KOKKOS_INLINE_FUNCTION void take_step(EighStorage<Real> const& at, EighBlock const& block) {
  Real const least = power_of_two<Real>(2 * negligible_coupling<Real>);
  int const first = block.first, last = block.last;
  // Wilkinson's shift: of the first 2×2 block the eigenvalue next to d_first.
  Real const half = (at.d[first + 1] - at.d[first]) / (2 * at.e[first]);
  Real const root = Kokkos::sqrt(1 + half * half);
  Real g = at.d[last] - at.d[first] + at.e[first] / (half + (half < Real(0) ? -root : root));
  Real s = 1, c = 1, p = 0;
  Real next = at.d[last];
  for (int i = last - 1; i >= first; --i) {
    Real const f = s * at.e[i], b = c * at.e[i];
    Real const square = g * g + f * f;
    Real const d = next - p;
    if (!(square > least)) {
      at.d[i + 1] = d;
      if (i + 1 < last) at.e[i + 1] = 0;
      at.e[i] = b;
      for (int j = i; j >= first; --j) {
        at.cosine[j] = 1;
        at.sine[j] = 0;
      }
      return;
    }
    Real const r = Kokkos::sqrt(square);
    Real const inverse = 1 / r;
    if (i + 1 < last) at.e[i + 1] = r;
    next = at.d[i];
    s = f * inverse;
    c = g * inverse;
    Real const across = (next - d) * s + 2 * c * b;
    p = s * across;
    at.d[i + 1] = d + p;
    g = c * across - b;
    at.cosine[i] = c;
    at.sine[i] = s;
  }
  at.d[first] = next - p;
  at.e[first] = g;
}

/// Z := Z·R: 32 rows to a thread, a row to a lane.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void rotate_columns(Member const& team, EighStorage<Real> const& at,
                                           EighBlock const& block) {
  constexpr int part_rows = 32;
  thread_for(team, (at.n + part_rows - 1) / part_rows, [&](int part) {
    int const begin = part * part_rows, rows = Kokkos::min(part_rows, at.n - begin);
    for (int j = block.last - 1; j >= block.first; --j) {
      Real const c = at.cosine[j], s = at.sine[j];
      Real *const x = at.A.col(j) + begin, *const y = at.A.col(j + 1) + begin;
      lane_for(team, rows, [&](int i) {
        Real const f = y[i], z = x[i];
        y[i] = s * z + c * f;
        x[i] = c * z - s * f;
      });
    }
  });
}

/// What the steps have come to.
struct EighSteps {
  int steps;
  bool converged;
};

/// d := the eigenvalues of T, in any order; with `vectors` A, which holds Q, := Q·S. Some 1.7·n
/// steps, two barriers each; ends with a barrier.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION EighSteps diagonalise(Member const& team, EighStorage<Real> const& at,
                                             int max_steps, bool vectors) {
  int begin = 0;
  for (int steps = 0;; ++steps) {
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      EighBlock const block = find_block(at, begin);
      at.ints[0] = block.first;
      at.ints[1] = block.last;
      if (block.first < block.last && steps < max_steps) take_step(at, block);
    });
    team.team_barrier();
    EighBlock const block{at.ints[0], at.ints[1]};
    bool const done = block.first == block.last;
    if (done || steps >= max_steps) return {steps, done};
    begin = block.first;
    if (vectors) rotate_columns(team, at, block);
    team.team_barrier();
  }
}

}  // namespace carroll::detail
