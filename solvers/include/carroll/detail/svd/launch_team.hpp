// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <carroll/detail/svd/finish.hpp>
#include <carroll/detail/svd/jacobi.hpp>
#include <carroll/detail/svd/path.hpp>
#include <carroll/detail/svd/plain.hpp>
#include <carroll/detail/svd/prepare.hpp>
#include <carroll/detail/svd/remainder.hpp>

/// The team kernels, one team per matrix: which run, in which order and with which teams.
namespace carroll::detail {

/// Team threads for work on n columns. No result depends on this choice, only speed does.
template <class ExecSpace>
int team_threads(ExecSpace const& exec, int league, int n) {
  if constexpr (lanes<ExecSpace> == 1) {
    // Host: matrices over threads while there are enough; below some 48 columns the barriers of a
    // team cost more than it saves. First choices, not tuned.
    int const threads = exec.concurrency();
    return league >= threads || n < 48 ? 1 : std::min(threads / std::max(league, 1), n / 2);
  } else {
    // A warp per pair of a set while there are few matrices; a warp per four pairs when there are
    // enough of them to fill the device. First choices, not tuned.
    int const pairs = std::max(n / 2, 1);
    int const share = league > 256 ? 4 : 1;
    return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(pairs / share, 1))));
  }
}

/// Launches a team kernel on the caller's instance, within what the kernel's resources allow.
template <class ExecSpace, class Kernel>
void launch(char const* label, ExecSpace const& exec, Kernel const& kernel, int league, int threads,
            std::size_t scratch_bytes = 0) {
  using Policy = typename Kernel::Policy;
  auto const scratch = Kokkos::PerTeam(static_cast<int>(scratch_bytes));
  if (threads > 1) {
    Policy probe(exec, league, 1, lanes<ExecSpace>);
    probe.set_scratch_size(0, scratch);
    threads = std::min(threads, probe.team_size_max(kernel, Kokkos::ParallelForTag{}));
  }
  Policy policy(exec, league, threads, lanes<ExecSpace>);
  policy.set_scratch_size(0, scratch);
  Kokkos::parallel_for(label, policy, kernel);
}

/// The caller's tolerance; PairRule knows what it is at least.
template <class Real>
Real usable_tolerance(SvdOptions const& options) {
  return static_cast<Real>(options.tolerance);
}

template <Placement placement, class ExecSpace, class Real>
void sweep_round_robin(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds,
                       SvdOptions const& options) {
  using Kernel = RoundRobinKernel<ExecSpace, Real, placement>;
  std::size_t const scratch = Kernel::bytes_per_team(bounds.rows);
  if constexpr (placement == Placement::shared) {
    // Columns too long for scratch stay in global memory: the results are the same bits.
    if (scratch > static_cast<std::size_t>(Kernel::Policy::scratch_size_max(0)))
      return sweep_round_robin<Placement::semi_shared>(exec, batch, bounds, options);
  }
  Real const tolerance = usable_tolerance<Real>(options);
  RoundRobin const schedule{bounds.cols};
  for (int sweep = 0; sweep < options.max_sweeps; ++sweep) {
    for (int set = 0; set < schedule.sets(); ++set)
      launch("carroll::svd::round_robin_set", exec, Kernel(batch, tolerance, set, schedule.pairs()),
             bounds.members * schedule.pairs(), 1, scratch);
    launch("carroll::svd::round_robin_sweep_end", exec,
           SweepEndKernel<ExecSpace, Real>(batch, tolerance, sweep + 1 == options.max_sweeps),
           bounds.members, team_threads(exec, bounds.members, bounds.cols));
  }
}

/// Level-0 scratch for the Jacobi kernel: what the largest member needs, or, for a ragged batch
/// with larger ones, all there is, so that as many members as possible fit. A host's caches do
/// without.
template <class ExecSpace, class Real>
std::size_t jacobi_scratch(SvdBatch<Real> const& batch, SvdBounds const& bounds) {
  if constexpr (lanes<ExecSpace> == 1) return 0;
  using Kernel = JacobiKernel<ExecSpace, Real>;
  auto const available = static_cast<std::size_t>(Kernel::Policy::scratch_size_max(0));
  std::size_t const wanted = Kernel::bytes_per_team(bounds.cols);
  if (wanted <= available) return wanted;
  return batch.slots ? available : 0;
}

/// The team kernels on all members.
template <class ExecSpace, class Real>
void enqueue_team(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds,
                  SvdOptions const& options) {
  Real const tolerance = usable_tolerance<Real>(options);
  int const threads = team_threads(exec, bounds.members, bounds.cols);
  with_summed_rows<ExecSpace>(bounds.rows, [&](auto summed) {
    launch("carroll::svd::prepare", exec, PrepareKernel<ExecSpace, Real, summed()>(batch),
           bounds.members, threads);
  });
  switch (options.method) {
    case SvdMethod::preconditioned: {
      std::size_t const scratch = jacobi_scratch<ExecSpace>(batch, bounds);
      launch("carroll::svd::jacobi", exec,
             JacobiKernel<ExecSpace, Real>(batch, tolerance, options.max_sweeps, scratch),
             bounds.members, threads, scratch);
      break;
    }
    case SvdMethod::cyclic:
      launch("carroll::svd::cyclic", exec,
             CyclicKernel<ExecSpace, Real>(batch, tolerance, options.max_sweeps), bounds.members,
             1);
      break;
    case SvdMethod::round_robin:
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
      break;
  }
  with_summed_rows<ExecSpace>(bounds.rows, [&](auto summed) {
    launch("carroll::svd::finish", exec, FinishKernel<ExecSpace, Real, summed()>(batch),
           bounds.members, threads);
  });
}

/// After a fast path: the team kernels on the members that it has left over.
template <class ExecSpace, class Real>
void enqueue_remainder(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds,
                       SvdOptions const& options) {
  // Enough teams to fill a large GPU with eight of them per multiprocessor, or a host's threads.
  int const most = lanes<ExecSpace> == 1 ? exec.concurrency() : 8 * 132;
  int const league = std::min(bounds.members, most);
  std::size_t const scratch = jacobi_scratch<ExecSpace>(batch, bounds);
  with_summed_rows<ExecSpace>(bounds.rows, [&](auto summed) {
    launch("carroll::svd::remainder", exec,
           RemainderKernel<ExecSpace, Real, summed()>(batch, usable_tolerance<Real>(options),
                                                      options.max_sweeps, scratch),
           league, team_threads(exec, league, bounds.cols), scratch);
  });
}

}  // namespace carroll::detail
