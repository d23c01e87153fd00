// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/common/ql.hpp>
#include <carroll/detail/eigh/team/storage.hpp>
#include <carroll/detail/team.hpp>

/// Rotations that one thread has found, applied by all of a team.
namespace carroll::detail {

/// Z := Z·R: 32 rows to a thread, a row to a lane, which holds the entry that goes from one
/// rotation to the next. A host's thread takes its rows together, column by column.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void rotate_part(Member const& team, EighStorage<Real> const& at, int part,
                                        EighBlock const& block, QlRotation<Real> const* rotation) {
  int const begin = 32 * part, rows = Kokkos::min(32, at.n - begin);
  if constexpr (lanes<typename Member::execution_space> == 1) {
    for (int j = block.last - 1; j >= block.first; --j) {
      auto const [c, s] = rotation[j - block.first];
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
        auto const [c, s] = rotation[j - block.first];
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

/// Z := Z·R₁·R₂⋯ of the steps that were kept. Ends with a barrier.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void apply_kept(Member const& team, EighStorage<Real> const& at) {
  int const kept = at.message[EighStorage<Real>::kept];
  thread_for(team, rotated_parts(at.n), [&](int part) {
    QlRotation<Real> const* rotation = at.rotations;
    for (int k = 0; k < kept; ++k) {
      EighBlock const block = at.blocks[k];
      rotate_part(team, at, part, block, rotation);
      rotation += block.length();
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
  auto const chain = at.template chain<typename Member::execution_space>();
  for (int begin = 0;; ++steps) {
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      EighBlock const block = chain.find_block(begin);
      at.message[Storage::first] = block.first;
      at.message[Storage::last] = block.last;
      if (block.length() > 0 && steps < max_steps) chain.take_step(block, at.rotation);
    });
    team.team_barrier();
    EighBlock const block{at.message[Storage::first], at.message[Storage::last]};
    bool const done = block.length() == 0;
    if (done || steps >= max_steps) return {.steps = steps, .done = done};
    begin = block.first;
    if (vectors)
      thread_for(team, rotated_parts(at.n),
                 [&](int part) { rotate_part(team, at, part, block, at.rotation); });
    team.team_barrier();
  }
}

}  // namespace carroll::detail
