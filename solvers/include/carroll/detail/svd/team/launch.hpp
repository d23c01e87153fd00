// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <carroll/detail/svd/team/fallback.hpp>
#include <carroll/detail/svd/team/finish.hpp>
#include <carroll/detail/svd/team/jacobi.hpp>
#include <carroll/detail/svd/team/prepare.hpp>
#include <carroll/detail/team.hpp>

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

/// The first or the last of the team kernels.
template <template <class, class, SummedRows> class Kernel, class ExecSpace, class Real>
void enqueue_team_kernel(char const* label, ExecSpace const& exec, SvdBatch<Real> const& batch,
                         SvdBounds const& bounds) {
  with_summed_rows<ExecSpace>(bounds.rows, [&](auto summed) {
    launch_fitting_teams(label, exec, Kernel<ExecSpace, Real, summed()>(batch),
                         {bounds.members, team_threads(exec, bounds.members, bounds.cols)});
  });
}

/// From A to the columns that the sweeps begin with.
template <class ExecSpace, class Real>
void enqueue_prepare(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds) {
  enqueue_team_kernel<PrepareKernel>("carroll::svd::prepare", exec, batch, bounds);
}

/// From orthogonal columns to U, S and V.
template <class ExecSpace, class Real>
void enqueue_finish(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds) {
  enqueue_team_kernel<FinishKernel>("carroll::svd::finish", exec, batch, bounds);
}

/// Level-0 scratch for the Jacobi kernel: what the largest member needs, or, for a ragged batch
/// with larger ones, all there is, so that as many members as possible fit. A host's caches do
/// without.
template <class ExecSpace, class Real>
std::size_t jacobi_scratch(SvdBatch<Real> const& batch, SvdBounds const& bounds) {
  if constexpr (lanes<ExecSpace> == 1) return 0;
  using Kernel = JacobiKernel<ExecSpace, Real>;
  std::size_t const available = most_team_scratch<ExecSpace>();
  std::size_t const wanted = Kernel::bytes_per_team(bounds.cols);
  if (wanted <= available) return wanted;
  return batch.slots ? available : 0;
}

/// The team kernels on all members.
template <class ExecSpace, class Real>
void enqueue_team(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds,
                  SvdOptions const& options) {
  std::size_t const scratch = jacobi_scratch<ExecSpace>(batch, bounds);
  enqueue_prepare(exec, batch, bounds);
  launch_fitting_teams("carroll::svd::jacobi", exec,
                       JacobiKernel<ExecSpace, Real>(batch, static_cast<Real>(options.tolerance),
                                                     options.max_sweeps, scratch),
                       {bounds.members, team_threads(exec, bounds.members, bounds.cols), scratch});
  enqueue_finish(exec, batch, bounds);
}

/// After a fast path: the team kernels on the members that it has left over.
template <class ExecSpace, class Real>
void enqueue_fallback(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds,
                      SvdOptions const& options) {
  // Enough teams to fill a GPU with eight of them per multiprocessor, or a host's threads.
  int const most = lanes<ExecSpace> == 1 ? exec.concurrency() : 8 * processors(exec);
  int const league = std::min(bounds.members, most);
  std::size_t const scratch = jacobi_scratch<ExecSpace>(batch, bounds);
  with_summed_rows<ExecSpace>(bounds.rows, [&](auto summed) {
    launch_fitting_teams(
        "carroll::svd::remainder", exec,
        FallbackKernel<ExecSpace, Real, summed()>(batch, static_cast<Real>(options.tolerance),
                                                  options.max_sweeps, scratch),
        {league, team_threads(exec, league, bounds.cols), scratch});
  });
}

}  // namespace carroll::detail
