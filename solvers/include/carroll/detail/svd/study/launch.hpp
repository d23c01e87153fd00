// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <carroll/detail/svd/study/plain.hpp>
#include <carroll/detail/svd/team/launch.hpp>

/// The methods of the studies: which kernels run, and in which order.
namespace carroll::detail {

template <Placement placement, class ExecSpace, class Real>
void sweep_round_robin(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds,
                       SvdOptions const& options) {
  using Kernel = RoundRobinKernel<ExecSpace, Real, placement>;
  std::size_t const scratch = Kernel::bytes_per_team(bounds.rows);
  if constexpr (placement == Placement::shared) {
    // Columns too long for scratch stay in global memory: the results are the same bits.
    if (scratch > most_team_scratch<ExecSpace>())
      return sweep_round_robin<Placement::semi_shared>(exec, batch, bounds, options);
  }
  Real const tolerance = static_cast<Real>(options.tolerance);
  RoundRobin const schedule{bounds.cols};
  for (int sweep = 0; sweep < options.max_sweeps; ++sweep) {
    for (int set = 0; set < schedule.sets(); ++set)
      launch_fitting_teams("carroll::svd::round_robin_set", exec,
                           Kernel{batch, tolerance, set, schedule.pairs()},
                           {bounds.members * schedule.pairs(), 1, scratch});
    launch_fitting_teams(
        "carroll::svd::round_robin_sweep_end", exec,
        SweepEndKernel<ExecSpace, Real>{batch, tolerance, sweep + 1 == options.max_sweeps},
        {bounds.members, team_threads(exec, bounds.members, bounds.cols)});
  }
}

template <class ExecSpace, class Real>
void enqueue_study(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds,
                   SvdOptions const& options) {
  enqueue_prepare(exec, batch, bounds);
  if (options.method == SvdMethod::cyclic) {
    launch_fitting_teams("carroll::svd::cyclic", exec,
                         CyclicKernel<ExecSpace, Real>{batch, static_cast<Real>(options.tolerance),
                                                       options.max_sweeps},
                         {bounds.members, 1});
  } else {
    switch (options.placement) {
      case Placement::global:
        sweep_round_robin<Placement::global>(exec, batch, bounds, options);
        break;
      case Placement::semi_shared:
        sweep_round_robin<Placement::semi_shared>(exec, batch, bounds, options);
        break;
      case Placement::shared:
        sweep_round_robin<Placement::shared>(exec, batch, bounds, options);
        break;
    }
  }
  enqueue_finish(exec, batch, bounds);
}

}  // namespace carroll::detail
