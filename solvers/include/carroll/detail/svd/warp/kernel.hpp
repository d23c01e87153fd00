// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/warp/classes.hpp>
#include <carroll/detail/svd/warp/solver.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// Small matrices, as many to a warp as it has lanes for, each warp for itself.
///
/// Cost of s (about 5 to 7) sweeps: 2mn² flops for QR, 3·s·n³ for Jacobi, 2mn² + 2n³ for U and V.
/// Least traffic, which is met: A, U, S and V once.
template <class ExecSpace, class Real, class Shape, class Source>
class WarpKernel {
 public:
  using Solver = WarpSolver<DeviceWarp, Real, Shape, Source>;
  static constexpr int warps = Shape::warps_per_team;
  static constexpr int scratch_per_warp = Solver::reals_per_warp;
  using Policy =
      Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32 * warps, Shape::least_teams>>;

  /// For `count` members: those in `list`, or, where that is null, the first ones.
  WarpKernel(SvdBatch<Real> const& batch, int const* list, int count, Real tolerance,
             int max_sweeps)
      : batch_(batch), list_(list), count_(count), tolerance_(tolerance), max_sweeps_(max_sweeps) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec, int) const {
    constexpr int per_team = warps * Shape::matrices;
    return team_policy<Policy>(exec, {.count = (count_ + per_team - 1) / per_team,
                                      .threads = 32 * warps,
                                      .scratch = sizeof(double) * (warps * scratch_per_warp + 1)});
  }

  /// Does one warp do for so many members? It then empties the list of those left over itself.
  KOKKOS_FUNCTION static constexpr bool is_alone(int const* list, int count) {
    return warps == 1 && count <= Shape::matrices && !list;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    auto* const scratch = static_cast<double*>(team.team_scratch(0).get_shmem_aligned(
        sizeof(double) * warps * scratch_per_warp, alignof(double)));
    int const warp = team.team_rank() / 32;
    if (is_alone(list_, count_) && team.team_rank() == 0) *batch_.fallback.count = 0;
    Solver const solver(warp_of_threads(team), batch_, tolerance_, max_sweeps_,
                        scratch + warp * scratch_per_warp);
    solver.run((team.league_rank() * warps + warp) * Shape::matrices, list_, count_);
  }

 private:
  SvdBatch<Real> batch_;
  int const* list_;
  int count_;
  Real tolerance_;
  int max_sweeps_;
};

/// For matrices as the caller has them.
template <class ExecSpace, class Real, class Shape>
using WholeWarpKernel = WarpKernel<ExecSpace, Real, Shape, WholeMatrix<Real>>;

}  // namespace carroll::detail
