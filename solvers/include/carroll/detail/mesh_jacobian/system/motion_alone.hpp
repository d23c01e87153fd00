// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/mesh_jacobian/sums/few_motions.hpp>
#include <carroll/detail/mesh_jacobian/sums/reduce.hpp>
#include <carroll/detail/mesh_jacobian/sums/totals.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// A step that holds the depths (MeshBatch::holds_depths), behind the moments, in one launch on
/// GPUs: a warp per part of the totals; the last team of a problem to be ready adds the parts up
/// and does what MeshSolveKernel's does. It takes MeshAssembleByWarpsKernel's and MeshSolveKernel's
/// place.
template <class ExecSpace, class Real, class After>
class MeshMotionKernel {
 public:
  using Totals = MeshTotalsKernel<ExecSpace, Real, MeshBatch<Real> const&>;
  using Reduce = MeshReduceKernel<ExecSpace, Real, MeshBatch<Real> const&>;
  using Few = FewMotions<Real>;
  static constexpr int threads = Few::warps;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads * lanes<ExecSpace>, 1>>;

  MeshMotionKernel(MeshBatch<Real> const& batch, bool core_in_scratch, After const& after)
      : batch_(batch),
        core_in_scratch_(core_in_scratch),
        after_(after),
        teams_((Totals(batch).items() + threads - 1) / threads) {}

  [[nodiscard]] int league() const { return batch_.problems * teams_; }
  /// Of scratch, besides what the small system takes there.
  static constexpr std::size_t bytes = Few::size * sizeof(double) + 64 + After::scratch;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const problem = team.league_rank() / teams_;
    int const item = team.league_rank() % teams_ * threads + team.team_rank();
    bool const active = batch_.is_active(problem);
    auto const prepared = after_.prepare(team);
    if (active && item < Totals(batch_).items()) Totals(batch_).sum_item(team, problem, item);
    team.team_barrier();
    int last = 0;
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](int& is_last) { is_last = is_last_arriver(batch_.ready + problem, teams_) ? 1 : 0; },
        last);
    if (last == 0) return;
    Few const few(batch_);
    if (active) {
      Totals(batch_).finish(team, problem);
      team.team_barrier();
      if (few.takes(batch_)) {
        auto* const scratch = static_cast<double*>(
            team.team_scratch(0).get_shmem_aligned(Few::size * sizeof(double), 16));
        auto const result = few.finish(team, problem, scratch);
        after_(team, prepared, result.info, result.motion);
        return;
      }
      Reduce(batch_, core_in_scratch_).finish(team, problem);
      team.team_barrier();
    }
    after_(team, prepared, batch_.info_of(problem), static_cast<Real const*>(nullptr));
  }

 private:
  MeshBatch<Real> batch_;
  bool core_in_scratch_;
  After after_;
  int teams_;
};

}  // namespace carroll::detail
