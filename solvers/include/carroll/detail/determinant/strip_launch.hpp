// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/strip_matrix.hpp>
#include <carroll/detail/determinant/strip_start.hpp>
#include <carroll/detail/determinant/strip_steps.hpp>
#include <carroll/detail/warp.hpp>

/// The kernels that work by strips: for which orders, in which shapes. Shapes depend on the order
/// and the precision alone.
namespace carroll::detail {

template <class ExecSpace, class T>
inline constexpr bool has_strips = has_warps<ExecSpace>&& RealScalar<T>;

/// The largest order for which one team has a matrix for itself: what four warps can hold. On an
/// H200 (2026-11-21) sharing it would be faster for one matrix from order 130 on (256: 0.18 ms for
/// 0.30), but slower for batches (200 of order 256: 2.3 ms for 0.9).
inline constexpr int most_strip_columns = 256;

/// Teams that run at the same time at least: one fills a multiprocessor, of which each has 2048
/// threads or fewer.
template <class ExecSpace>
int strip_teams_at_once(ExecSpace const& exec) {
  return exec.concurrency() / 2048;
}

/// Can the teams that share the first strip of a matrix of order n run at the same time, as they
/// must?
template <class ExecSpace, class T>
bool takes_strips(std::int64_t n) {
  if constexpr (has_strips<ExecSpace, T>)
    return n <= most_strip_columns ||
           (n + strip_team_columns - 1) / strip_team_columns <= strip_teams_at_once(ExecSpace());
  else
    return false;
}

/// Rows of a strip of a shared matrix: what 256 threads can hold, of four columns each.
template <class T>
inline constexpr int shared_strip_rows = sizeof(T) == 4 ? 32 : 16;

/// Many rows at a time read W less often, few are shared by more teams.
template <class T>
StripPlan shared_strip_plan(std::int64_t n) {
  return {static_cast<int>(n), int{shared_strip_rows<T>}, n <= 1024 ? 8 : 16};
}

template <class ExecSpace, class T>
void enqueue_strips(ExecSpace const& exec, DeterminantBatch<T> const& batch) {
  auto const enqueue = [&]<int W>(std::integral_constant<int, W>) {
    StripMatrixKernel<ExecSpace, T, 16, W> const kernel(batch);
    Kokkos::parallel_for("carroll::determinant::strips", kernel.policy(exec), kernel);
  };
  if (batch.n <= 64)
    enqueue(std::integral_constant<int, 1>());
  else if (batch.n <= 128)
    enqueue(std::integral_constant<int, 2>());
  else
    enqueue(std::integral_constant<int, 4>());
}

template <class ExecSpace, class T>
void enqueue_shared_strips(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                           StripWorkspace<T> const& workspace) {
  StripPlan const plan = shared_strip_plan<T>(batch.n);
  StripMeasureKernel<ExecSpace, T> const measure(batch, workspace, plan);
  Kokkos::parallel_for("carroll::determinant::measure", measure.policy(exec), measure);
  using Start = StripStartKernel<ExecSpace, T>;
  Kokkos::parallel_for("carroll::determinant::start",
                       typename Start::Policy(exec, batch.members, 256),
                       Start(batch, workspace, plan));
  int const fitting = strip_teams_at_once(exec) / batch.members;
  int const teams = std::max({1, plan.teams(0), std::min(fitting, plan.blocks() + 1)});
  auto const enqueue = [&]<int B>(std::integral_constant<int, B>) {
    StripStepsKernel<ExecSpace, T, shared_strip_rows<T>, B> const kernel(batch, workspace, teams);
    Kokkos::parallel_for("carroll::determinant::shared_strips", kernel.policy(exec), kernel);
  };
  if (plan.B == 8)
    enqueue(std::integral_constant<int, 8>());
  else
    enqueue(std::integral_constant<int, 16>());
}

}  // namespace carroll::detail
