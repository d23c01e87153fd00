// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/fused/solver.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// Matrices that a team can hold in its registers, a team each, from A to U, S and V in one launch.
///
/// Cost of s (6 to 10) sweeps: 3·s·n³ flops for Jacobi, 4mn² for QR, 4mn² + 4n³ for the vectors.
/// Traffic: A, U, S and V once; reflectors and R once each way, from cache as a rule.
template <class ExecSpace, class Real, class Shape>
class FusedKernel {
 public:
  using Scratch = FusedScratch<Real, Shape>;
  using Policy = BoundedTeams<ExecSpace, 32 * Shape::warps_per_team, Shape::least_teams,
                              Scratch::bytes(Scratch::most_columns) + 16>;
  using Member = typename Policy::member_type;

  /// `members` of them, `list[0]` and so on, or, where that is null, the first ones.
  FusedKernel(SvdBatch<Real> const& batch, int const* list, int members, Real tolerance,
              int max_sweeps)
      : batch_(batch),
        list_(list),
        members_(members),
        tolerance_(tolerance),
        max_sweeps_(max_sweeps) {}

  /// For members of up to `cols` columns.
  [[nodiscard]] Policy policy(ExecSpace const& exec, int cols) const {
    int const warps = (cols + Shape::cols - 1) / Shape::cols;
    auto const bytes = FusedScratch<Real, Shape>::bytes(warps * Shape::cols) + 16;  // alignment
    return team_policy<Policy>(exec, {.count = members_, .threads = 32 * warps, .scratch = bytes});
  }

  /// Is there but one member? The kernel then empties the list of those left over itself.
  KOKKOS_FUNCTION static constexpr bool is_alone(int const* list, int members) {
    return members == 1 && !list;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (is_alone(list_, members_) && team.team_rank() == 0) *batch_.fallback.count = 0;
    int const columns = team.team_size() / 32 * Shape::cols;
    void* const memory =
        team.team_scratch(0).get_shmem_aligned(FusedScratch<Real, Shape>::bytes(columns), 16);
    FusedSolver<Member, DeviceWarp, Real, Shape> solver(team, memory, batch_, tolerance_,
                                                        max_sweeps_);
    solver.run(list_ ? list_[team.league_rank()] : team.league_rank());
  }

 private:
  SvdBatch<Real> batch_;
  int const* list_;
  int members_;
  Real tolerance_;
  int max_sweeps_;
};

}  // namespace carroll::detail
