// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/team/storage.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// T = S·diag(λ)·Sᵀ by implicit QL steps: one thread finds rotations, all apply them.
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
/// in `rotation`: the cosines of all, then the sines.
///
///   (c, s) = (g, s·e_i)/r,  d_{i+1} = g + (p' = s·((d_i - g)·s + 2·c·b)),  b = c·e_i
///
/// Where r vanishes the block falls apart there, and the rotations from there on are none.
template <class Real>
KOKKOS_INLINE_FUNCTION void take_step(EighStorage<Real> const& at, EighBlock const& block,
                                      Real* rotation) {
  Real const least = power_of_two<Real>(2 * negligible_coupling<Real>);
  int const first = block.first, last = block.last;
  Real *const cosine = rotation, *const sine = rotation + (last - first);
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
        cosine[j - first] = 1;
        sine[j - first] = 0;
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
    cosine[i - first] = c;
    sine[i - first] = s;
  }
  at.d[first] = next - p;
  at.e[first] = g;
}

/// Z := Z·R: 32 rows to a thread, a row to a lane, which holds the entry that goes from one
/// rotation to the next. A host's thread takes its rows together, column by column.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void rotate_part(Member const& team, EighStorage<Real> const& at, int part,
                                        EighBlock const& block, Real const* rotation) {
  int const begin = 32 * part, rows = Kokkos::min(32, at.n - begin);
  Real const *const cosine = rotation, *const sine = rotation + (block.last - block.first);
  if constexpr (lanes<typename Member::execution_space> == 1) {
    for (int j = block.last - 1; j >= block.first; --j) {
      Real const c = cosine[j - block.first], s = sine[j - block.first];
      Real *const x = at.A.col(j) + begin, *const y = at.A.col(j + 1) + begin;
      for (int i = 0; i < rows; ++i) {
        Real const f = y[i], z = x[i];
        y[i] = s * z + c * f;
        x[i] = c * z - s * f;
      }
    }
  } else {
    lane_for(team, rows, [&](int i) {
      Real f = at.A(begin + i, block.last);
      for (int j = block.last - 1; j >= block.first; --j) {
        Real const c = cosine[j - block.first], s = sine[j - block.first];
        Real const z = at.A(begin + i, j);
        at.A(begin + i, j + 1) = s * z + c * f;
        f = c * z - s * f;
      }
      at.A(begin + i, block.first) = f;
    });
  }
}

/// Threads that rotate_part has work for.
KOKKOS_INLINE_FUNCTION int rotated_parts(int n) {
  return (n + 31) / 32;
}

/// What the steps have come to.
struct EighSteps {
  int steps;
  bool converged;
};

/// d := the eigenvalues of T, in any order, as far as the rotations can be kept. One thread.
template <class Real>
KOKKOS_INLINE_FUNCTION void diagonalise_alone(EighStorage<Real> const& at, int max_steps,
                                              bool vectors) {
  int begin = 0, steps = 0;
  std::int64_t used = 0;
  for (; steps < max_steps; ++steps) {
    EighBlock const block = find_block(at, begin);
    int const length = block.last - block.first;
    if (length == 0) break;
    if (vectors && (steps == kept_steps(at.n) || used + length > kept_rotations(at.n))) break;
    take_step(at, block, vectors ? at.rotations + 2 * used : at.rotation);
    begin = block.first;
    used += length;
    if (!vectors) continue;
    at.blocks[2 * steps] = block.first;
    at.blocks[2 * steps + 1] = block.last;
  }
  using Storage = EighStorage<Real>;
  at.message[Storage::steps] = steps;
  at.message[Storage::kept] = vectors ? steps : 0;
}

/// Z := Z·R₁·R₂⋯ of the steps that were kept. Ends with a barrier.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void apply_kept(Member const& team, EighStorage<Real> const& at) {
  int const kept = at.message[EighStorage<Real>::kept];
  thread_for(team, rotated_parts(at.n), [&](int part) {
    Real const* rotation = at.rotations;
    for (int k = 0; k < kept; ++k) {
      EighBlock const block{at.blocks[2 * k], at.blocks[2 * k + 1]};
      rotate_part(team, at, part, block, rotation);
      rotation += 2 * (block.last - block.first);
    }
  });
  team.team_barrier();
}

/// Goes on where one thread alone has stopped, after `steps`; with `vectors` A := A·R₁·R₂⋯. Two
/// barriers a step; ends with a barrier.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION EighSteps diagonalise(Member const& team, EighStorage<Real> const& at,
                                             int steps, int max_steps, bool vectors) {
  using Storage = EighStorage<Real>;
  for (int begin = 0;; ++steps) {
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      EighBlock const block = find_block(at, begin);
      at.message[Storage::first] = block.first;
      at.message[Storage::last] = block.last;
      if (block.first < block.last && steps < max_steps) take_step(at, block, at.rotation);
    });
    team.team_barrier();
    EighBlock const block{at.message[Storage::first], at.message[Storage::last]};
    bool const done = block.first == block.last;
    if (done || steps >= max_steps) return {steps, done};
    begin = block.first;
    if (vectors)
      thread_for(team, rotated_parts(at.n),
                 [&](int part) { rotate_part(team, at, part, block, at.rotation); });
    team.team_barrier();
  }
}

}  // namespace carroll::detail
