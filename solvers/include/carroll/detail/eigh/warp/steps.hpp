// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/eigh/warp/shape.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// The QL steps, a lane per matrix: of a chain of roots and reciprocals nothing can be shared, but
/// 32 of them take the same instructions. T is in scratch meanwhile, an entry of all matrices side
/// by side; rotations go to memory as they are found, and nobody waits for them.
template <class ExecSpace, class T, class Shape>
class EighWarpStepsKernel : public EighWarps<ExecSpace, T, Shape> {
  using Base = EighWarps<ExecSpace, T, Shape>;
  using Real = RealOf<T>;
  static constexpr int order = Shape::order;
  static constexpr std::size_t scratch_size = sizeof(Real) * 2 * order * 32;

 public:
  using Policy = BoundedTeams<ExecSpace, 32, warps_at_once(16, scratch_size), scratch_size + 16>;
  using typename Base::Storage;

  using Base::Base;

  KOKKOS_FUNCTION static constexpr std::size_t scratch_bytes() { return scratch_size; }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    auto* const scratch =
        static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes(), alignof(Real)));
    int const lane = warp_of_threads(team).lane;
    EighProblem<T> const problem = this->problem(team.league_rank() * 32 + lane);
    if (!problem.info) return;
    Storage const at(problem);
    if (at.message[Storage::is_finite] == 0) return;
    int const n = problem.n;
    QlChain<Real, true, 32> const chain{n, scratch + lane, scratch + order * 32 + lane};
    for (int i = 0; i < n; ++i) {
      chain.d(i) = at.d[i];
      chain.e(i) = at.e[i];
    }
    KeptSteps<Real> kept;
    if (problem.vectors()) kept = {at.rotations, at.blocks};
    EighSteps const result = chain.take_steps(0, most_ql_steps(this->max_sweeps_, n), kept);
    for (int i = 0; i < n; ++i) at.d[i] = chain.d(i);
    if (!result.done)
      for (int i = 0; i < n; ++i) at.e[i] = chain.e(i);
    at.message[Storage::steps] = result.steps;
    at.message[Storage::kept] = result.kept;
    at.message[Storage::done] = result.done ? 1 : 0;
  }
};

}  // namespace carroll::detail
