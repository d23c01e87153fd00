// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/eigh/warp/output.hpp>
#include <carroll/detail/eigh/warp/shape.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// V = Q·R₁·R₂⋯, in order, and W: a lane has a row of V in registers, so that a rotation is two
/// products and two sums of its own; all lanes read the same one. The rotations of a step come from
/// memory while those of the step before are applied. Four neighbouring ones are applied or left
/// out together, those beyond the step's block with an angle of 0.
template <class ExecSpace, class T, class Shape, bool Vectors>
class EighWarpVectorsKernel : public EighWarps<ExecSpace, T, Shape> {
  using Base = EighWarps<ExecSpace, T, Shape>;
  using Real = RealOf<T>;
  static constexpr int order = Shape::order, matrices = Shape::matrices;

  using Rotation = QlRotation<Real>;

  union alignas(16) Scratch {
    Rotation rotations[2][Vectors ? order : 1];  ///< of a step, by row, and of the one before
    typename EighWarpOutput<Shape, T>::template Scratch<Vectors> output;
  };

 public:
  static constexpr int least_warps = warps_at_once(Shape::rotators, sizeof(Scratch) * matrices);
  using Policy = BoundedTeams<ExecSpace, 32, least_warps, sizeof(Scratch) * matrices + 16>;
  using typename Base::Lanes, typename Base::Storage;

  using Base::Base;

  KOKKOS_FUNCTION static constexpr std::size_t scratch_bytes() {
    return sizeof(Scratch) * matrices;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Lanes const group(warp_of_threads(team));
    EighProblem<T> const problem = this->problem(team.league_rank() * matrices + group.slot);
    Scratch& scratch = static_cast<Scratch*>(
        team.team_scratch(0).get_shmem_aligned(scratch_bytes(), alignof(Scratch)))[group.slot];
    bool const exists = problem.info;
    Storage const at(problem);
    bool const finite = exists && at.message[Storage::is_finite] != 0;
    EighSteps state;
    if (finite)
      state = {at.message[Storage::steps], at.message[Storage::kept],
               at.message[Storage::done] != 0};
    if constexpr (Vectors) rotate(group, problem, at, finite, state, scratch);
    EighWarpOutput<Shape, T> const output(group, problem);
    if (exists && !finite) output.refuse();
    output.template write<Vectors>(scratch.output, at.d, finite,
                                   finite ? at.message[Storage::exponent] : 0, state);
  }

 private:
  /// Applies what was kept, and, where steps remain, takes more, as often as it takes; V is in the
  /// scratch of the output then.
  KOKKOS_FORCEINLINE_FUNCTION void rotate(Lanes const& group, EighProblem<T> const& problem,
                                          Storage const& at, bool finite, EighSteps& state,
                                          Scratch& scratch) const {
    int const t = group.row, n = problem.n;
    T row[order];
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k) row[k] = finite && t < n && k < n ? at.q[k * n + t] : T(0);
    int const most = most_ql_steps(this->max_sweeps_, n);
    for (;;) {
      apply_kept(group, at, state.kept, scratch, row);
      bool const more = finite && !state.done && state.steps < most;
      if (!group.any_matrix(more)) break;
      state.kept = 0;
      if (more) {
        if (t == 0) {
          EighSteps const next = QlChain<Real, true>{n, at.d, at.e}.take_steps(
              state.steps, most, {at.rotations, at.blocks});
          at.message[Storage::steps] = next.steps;
          at.message[Storage::kept] = next.kept;
          at.message[Storage::done] = next.done ? 1 : 0;
        }
      }
      group.warp.sync();
      if (more)
        state = {at.message[Storage::steps], at.message[Storage::kept],
                 at.message[Storage::done] != 0};
      group.warp.sync();
    }
    if (t < order) {
      CARROLL_UNROLL
      for (int k = 0; k < order; ++k) scratch.output.matrix[t * Shape::stride + k] = row[k];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void apply_kept(Lanes const& group, Storage const& at,
                                                     int kept, Scratch& scratch, T (&row)[order]) {
    int const t = group.row;
    int most = kept;
    if constexpr (matrices > 1) most = group.warp.max(kept);
    auto const block_of = [&](int k) { return k < kept ? at.blocks[k] : EighBlock{0, 0}; };
    Rotation const* from = at.rotations;
    auto const fetch = [&](EighBlock const& block) {
      return t >= block.first && t < block.last ? from[t - block.first] : Rotation{1, 0};
    };
    EighBlock block = block_of(0), ahead = block_of(1);
    Rotation held = fetch(block);
    CARROLL_NO_UNROLL
    for (int k = 0; k < most; ++k) {
      Rotation* const rotations = scratch.rotations[k % 2];
      if (t < order) rotations[t] = held;
      EighBlock const now = block;
      from += now.length();
      block = ahead;
      ahead = block_of(k + 2);
      held = fetch(block);
      group.warp.sync();
      rotate_row(group, now, rotations, row);
    }
    group.warp.sync();
  }

  /// row := row·R, the last rotation first.
  KOKKOS_FORCEINLINE_FUNCTION static void rotate_row(Lanes const& group, EighBlock const& block,
                                                     Rotation const* rotations, T (&row)[order]) {
    CARROLL_UNROLL
    for (int begin = order - 4; begin >= 0; begin -= 4) {
      bool const wanted = block.first < begin + 4 && block.last > begin;
      if (order > 4 && !group.any_matrix(wanted)) continue;
      int const end = begin + 4 < order ? begin + 4 : order - 1;
      T carried = row[end];
      CARROLL_UNROLL
      for (int i = end - 1; i >= begin; --i) {
        auto const [c, s] = rotations[i];
        T const z = row[i];
        row[i + 1] = fused_multiple_sum(c, carried, rounded_product(s, z));
        carried = fused_multiple_sum(-s, carried, rounded_product(c, z));
      }
      row[begin] = carried;
    }
  }
};

}  // namespace carroll::detail
