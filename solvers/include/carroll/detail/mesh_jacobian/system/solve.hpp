// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/mesh_jacobian/sums/few_motions.hpp>
#include <carroll/detail/mesh_jacobian/sums/reduce.hpp>
#include <carroll/detail/mesh_jacobian/sums/register_gradients.hpp>
#include <carroll/detail/mesh_jacobian/sums/totals.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// What MeshSolveKernel does after a step when nothing is to be done.
struct NothingAfter {
  static constexpr std::size_t scratch = 0;
  template <class Member>
  KOKKOS_FUNCTION int prepare(Member const&) const {
    return 0;
  }
  template <class Member, class Real>
  KOKKOS_FUNCTION void operator()(Member const&, int, MeshInfo<Real> const&, Real const*) const {}
  template <class ExecSpace>
  void enqueue(ExecSpace const&) const {}
};

/// All of a step behind the assembly in one launch, on GPUs and for meshes that RegisterGradients
/// takes: a team per right-hand side, and one for the totals unless those are known. The last team
/// of a problem to be ready, whichever that is, forms the small system and the result
/// (MeshReduceKernel, or FewMotions), and calls after(team, prepared, info, step of the motions),
/// which is also called for problems that are not active; the step is null where it is in memory
/// alone. `prepared` is what after.prepare(team)
/// has read at the beginning. What teams hand on is in memory; the count of those that are ready is
/// 0 again in the end.
template <class ExecSpace, class Real, class After>
class MeshSolveKernel {
 public:
  using Gradients = RegisterGradients<Real, double>;
  using LooseGradients = RegisterGradients<Real, float>;
  using Totals = MeshTotalsKernel<ExecSpace, Real, MeshBatch<Real> const&>;
  using Reduce = MeshReduceKernel<ExecSpace, Real, MeshBatch<Real> const&>;
  using Few = FewMotions<Real>;
  static_assert(Few::size <= Gradients::size);
  static constexpr int threads = Gradients::warps;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads * lanes<ExecSpace>, 1>>;

  MeshSolveKernel(MeshBatch<Real> const& batch, bool totals_known, bool core_in_scratch,
                  After const& after)
      : batch_(batch),
        core_in_scratch_(core_in_scratch),
        after_(after),
        teams_(batch.right_hand_sides() + (totals_known ? 0 : 1)) {}

  [[nodiscard]] int league() const { return batch_.problems * teams_; }
  /// Of scratch, besides what the small system takes there.
  static constexpr std::size_t bytes = Gradients::size * sizeof(double) + 64 + After::scratch;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const problem = team.league_rank() / teams_;
    int const part = team.league_rank() % teams_;
    bool const active = batch_.is_active(problem);
    auto const prepared = after_.prepare(team);
    double* scratch = nullptr;
    if (active) {
      scratch = static_cast<double*>(
          team.team_scratch(0).get_shmem_aligned(Gradients::size * sizeof(double), 16));
      if (part == batch_.right_hand_sides()) {
        Totals(batch_).finish(team, problem);
      } else if (sizeof(Real) == sizeof(float) &&
                 batch_.options.tolerance >= LooseGradients::loose) {
        LooseGradients(batch_, team, problem, part, scratch).solve(team);
      } else {
        Gradients(batch_, team, problem, part, scratch).solve(team);
      }
    }
    team.team_barrier();
    int last = 0;
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](int& is_last) { is_last = is_last_arriver(batch_.ready + problem, teams_) ? 1 : 0; },
        last);
    if (last == 0) return;
    Few const few(batch_);
    if (active && few.takes(batch_)) {
      auto const result = few.finish(team, problem, scratch);
      after_(team, prepared, result.info, result.motion);
      return;
    }
    if (active) {
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
