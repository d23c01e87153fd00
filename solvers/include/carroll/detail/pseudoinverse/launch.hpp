// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/checks.hpp>
#include <carroll/detail/pseudoinverse/common/fused_rows.hpp>
#include <carroll/detail/pseudoinverse/core/kernel.hpp>
#include <carroll/detail/pseudoinverse/host/one_motion.hpp>
#include <carroll/detail/pseudoinverse/launch_items.hpp>
#include <carroll/detail/pseudoinverse/one_motion/tiles.hpp>
#include <carroll/detail/pseudoinverse/windows/gram_windows.hpp>
#include <carroll/detail/pseudoinverse/windows/many_motions.hpp>
#include <carroll/detail/pseudoinverse/windows/segment_tiles.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Launches the step that dispatch.hpp has planned.
namespace carroll::detail {

/// A batch with the windows of a plan.
template <class Real>
ArrowBatch<Real> planned(ArrowBatch<Real> batch, StepPlan const& plan) {
  batch.window_rows = plan.window_rows;
  batch.windows = windows_of(plan, batch.n);
  return batch;
}

template <class Kernel, class ExecSpace, class Real, class Source>
void launch_by_warps(ExecSpace const& exec, ArrowBatch<Real> const& batch, Source const& source) {
  Kernel const kernel(exec, batch, source);
  launch_teams("carroll::pseudoinverse::step", exec, kernel, kernel.teams(exec));
}

/// One motion column on a GPU with warps: the kernel whose windows have the planned length.
template <class ExecSpace, class Real, class Source>
void launch_one_motion(ExecSpace const& exec, ArrowBatch<Real> const& batch, Source const& source) {
  auto const with = [&]<int Rows>(std::integral_constant<int, Rows>) {
    using Kernel = OneMotionTilesKernel<ExecSpace, Real, Source, Rows / 32>;
    static_assert(Kernel::window_rows == Rows);
    if (batch.window_rows == Rows) launch_by_warps<Kernel>(exec, batch, source);
  };
  using Lengths = OneMotionWindowRows<sizeof(Real) == sizeof(float)>;
  with(std::integral_constant<int, Lengths::longest>{});
  if constexpr (Lengths::middle > 0) with(std::integral_constant<int, Lengths::middle>{});
  with(std::integral_constant<int, Lengths::shortest>{});
}

/// The same on a host, `ends`: with the core.
template <class ExecSpace, class Real, bool Plain>
void launch_one_motion_on_host(ExecSpace const& exec, ArrowBatch<Real> const& batch, bool ends) {
  OneMotionHostKernel<ExecSpace, Real, Plain> const kernel(batch, ends);
  launch_teams(ends ? "carroll::pseudoinverse::step" : "carroll::pseudoinverse::windows", exec,
               kernel, kernel.teams(exec));
}

/// Windows of any number of motion columns, whose rows go through scratch.
template <class ExecSpace, class Real, class Source>
void launch_row_tiles(ExecSpace const& exec, ArrowBatch<Real> const& batch, Source const& source) {
  std::int64_t const items = static_cast<std::int64_t>(batch.problems()) * batch.windows;
  using Kernel = ManyMotionsKernel<ExecSpace, Real, Source>;
  std::size_t const bytes = Kernel::bytes_per_thread(batch.window_rows, batch.k);
  constexpr int most = lanes<ExecSpace> == 1 ? 1 : 4;
  ArrowTeam<ExecSpace> const team(most, bytes);
  launch_items("carroll::pseudoinverse::windows", exec, Kernel(batch, source, team.level), items,
               team, bytes);
}

/// Calls f with k as an std::integral_constant where it is one of K. `Source` may know its k: then
/// there are no kernels for others.
template <class Source, int... K, class F>
void with_motions(int k, F const& f) {
  [[maybe_unused]] auto const with = [&](auto motions) {
    if constexpr (Source::motions == 0 || Source::motions == motions.value)
      if (k == motions.value) f(motions);
  };
  (with(std::integral_constant<int, K>{}), ...);
}

template <class ExecSpace, class Real, class Source>
void launch_windows(ExecSpace const& exec, ArrowBatch<Real> const& batch, Source const& source,
                    StepPlan const& plan) {
  switch (plan.windows) {
    case WindowKernels::one_motion:
      if constexpr (has_warps<ExecSpace>)
        with_motions<Source, 1>(batch.k, [&](auto) { launch_one_motion(exec, batch, source); });
      break;
    case WindowKernels::one_motion_host:
      if constexpr (lanes<ExecSpace> == 1 && Source::is_stored)
        launch_one_motion_on_host<ExecSpace, Real, Source::is_plain>(
            exec, batch, plan.core == CoreKernels::with_windows);
      break;
    case WindowKernels::tensor_sums:
      if constexpr (has_warps<ExecSpace> && sizeof(Real) == sizeof(float) &&
                    Source::template has_entries_of<Real>)
        with_motions<Source, 6>(batch.k, [&](auto motions) {
          launch_by_warps<GramWindowsKernel<ExecSpace, Real, motions.value, Source>>(exec, batch,
                                                                                     source);
        });
      break;
    case WindowKernels::segment_sums:
      if constexpr (has_warps<ExecSpace>)
        with_motions<Source, 3, 6>(batch.k, [&](auto motions) {
          using Kernel = SegmentTilesKernel<ExecSpace, Real, motions.value, Source>;
          static_assert(Kernel::window_rows == segment_window_rows);
          launch_by_warps<Kernel>(exec, batch, source);
        });
      break;
    case WindowKernels::row_tiles: launch_row_tiles(exec, batch, source); break;
  }
}

/// The core of a team per problem.
template <class ExecSpace, class Real>
void launch_core_by_team(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                         StepPlan const& plan) {
  int const k = batch.k;
  using CoreKernel = ArrowCoreKernel<ExecSpace, Real>;
  int const tile_rows = plan.leaves_sums ? 0 : batch.window_rows;
  std::size_t const bytes = CoreKernel::bytes_per_thread(tile_rows, k);
  int wanted = plan.leaves_sums ? 32 : 8;  // most of the work is a lane's own, and waits for memory
  if constexpr (lanes<ExecSpace> == 1) {
    bool const shared = plan.path == PseudoinversePath::one_motion_shared_core ||
                        has_large_core(batch.problems(), batch.m, batch.windows);
    wanted = shared ? exec.concurrency() : 1;
  }
  ArrowTeam<ExecSpace> const team(wanted, bytes);
  launch_fitting_teams("carroll::pseudoinverse::core", exec,
                       CoreKernel(batch, tile_rows, team.level),
                       {.count = batch.problems(),
                        .threads = team.threads,
                        .level = team.level,
                        .thread_scratch = bytes});
}

template <class Source, class ExecSpace, class Real>
void launch_core(ExecSpace const& exec, ArrowBatch<Real> const& batch, StepPlan const& plan) {
  switch (plan.core) {
    case CoreKernels::with_windows: break;
    case CoreKernels::by_warp:
      if constexpr (has_warps<ExecSpace>)
        with_motions<Source, 3, 6>(batch.k, [&](auto motions) {
          TilesCoreKernel<ExecSpace, Real, motions.value> const core(batch);
          launch_teams("carroll::pseudoinverse::core", exec, core, core.teams(exec));
        });
      break;
    case CoreKernels::by_team: launch_core_by_team(exec, batch, plan); break;
  }
}

/// Launches the step of all problems of a checked batch: one kernel or two.
template <class ExecSpace, class Real, class Source>
void launch_step(ExecSpace const& exec, ArrowBatch<Real> const& batch, Source const& source,
                 StepPlan const& plan) {
  if (batch.problems() == 0) return;
  auto const own = planned(batch, plan);
  if (own.windows > 0) launch_windows(exec, own, source, plan);
  launch_core<Source>(exec, own, plan);
}

/// The same for rows in memory.
template <class ExecSpace, class Real>
void launch_step(ExecSpace const& exec, ArrowBatch<Real> const& batch, StepPlan const& plan) {
  with_plainness(batch,
                 [&](auto plain) { launch_step(exec, batch, StoredRows<plain.value>{}, plan); });
}

}  // namespace carroll::detail
