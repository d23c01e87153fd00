// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/strip_matrix.hpp>
#include <carroll/detail/determinant/strip_rounds.hpp>
#include <carroll/detail/determinant/strip_start.hpp>
#include <carroll/detail/determinant/strip_steps.hpp>
#include <carroll/detail/warp.hpp>
#include <type_traits>
#include <utility>

/// The kernels that work by strips: for which orders, in which shapes. Shapes depend on the order
/// and the precision alone.
namespace carroll::detail {

template <class ExecSpace, class T>
inline constexpr bool has_strips = has_warps<ExecSpace>&& RealScalar<T>;

/// The largest order for which one team has a matrix for itself: what four warps can hold.
inline constexpr int most_strip_columns = 256;

/// Does one team have all of a matrix? Few matrices are shared, or go by rounds: sooner done, with
/// the same bits, as strips and sums are the same, and the choice of pivots does not depend on the
/// number of threads; larger batches are done sooner by teams that ask nobody. (H200, 2026-11-22,
/// order 256, single precision: one matrix 0.12 ms for 0.30; 64 by rounds 0.23 for 0.31, 200 of
/// them 0.52 for 0.46.)
inline bool lone_strips(std::int64_t n, std::int64_t members) {
  return n <= most_strip_columns && members > (n <= most_strip_columns / 2 ? 16 : 64);
}

/// Are matrices that are shared sooner done by a launch per strip for all of them
/// (strip_rounds.hpp)? Up to the orders for which one team can hold a strip. (H200, 2026-11-22,
/// single precision: order 512, 8 matrices 0.40 ms for 0.36, 16 of them 0.42 for 0.69, 64 of them
/// 0.94 for 4.9; order 1024, 4 matrices 0.96 ms for 0.79, 8 of them 1.2 for 1.5.)
inline bool takes_rounds(std::int64_t n, std::int64_t members) {
  return n <= most_strip_columns ? members > 16 : n <= most_round_columns && n * members >= 8192;
}

/// Teams that run at the same time at least: one fills a multiprocessor, of which each has 2048
/// threads or fewer.
template <class ExecSpace>
int strip_teams_at_once(ExecSpace const& exec) {
  return exec.concurrency() / 2048;
}

/// Columns of a shared strip that one team holds: a strip of 16 rows and the next one, which is to
/// be, go into its registers.
template <class T>
inline constexpr int strip_team_columns = sizeof(T) == 4 ? 512 : 256;

/// Up to so many columns one team has all of a strip, and four warps are faster than eight. The
/// fewer columns a thread holds, the shorter are its steps and the code, so that there are kernels
/// for 128 and 256 columns, too.
template <class T>
inline constexpr int four_warps_columns = strip_team_columns<T>;

/// Up to 1024 columns one team can hold a strip of single precision, at the price of some registers
/// that go to memory. Beyond, strips are shared.
template <class T>
StripPlan shared_strip_plan(std::int64_t n) {
  int const order = static_cast<int>(n);
  for (int columns = 128; columns <= four_warps_columns<T>; columns *= 2)
    if (n <= columns) return {order, 16, 8, columns};
  if (sizeof(T) == 4 && n <= 1024) return {order, 16, 8, 1024};
  return {order, 16, 8, int{strip_team_columns<T>}};
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

/// What precedes all strips of a batch.
template <class ExecSpace, class T>
void enqueue_strip_start(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                         StripWorkspace<T> const& workspace) {
  StripStartKernel<ExecSpace, T> const start(batch, workspace);
  Kokkos::parallel_for("carroll::determinant::start", start.policy(exec), start);
}

/// The strips of a plan by `teams` teams for each matrix.
template <class ExecSpace, class T>
void enqueue_strip_steps(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                         StripWorkspace<T> const& workspace, StripPlan const& plan,
                         StripStage const& stage, int teams) {
  auto const enqueue = [&]<class Kernel>(std::type_identity<Kernel>) {
    Kernel const kernel(batch, workspace, plan, stage, teams);
    Kokkos::parallel_for("carroll::determinant::shared_strips", kernel.policy(exec), kernel);
  };
  // Short code is fast code: those for few columns have none for teams that share a strip.
  auto const lone = [&]<int Columns, int W>(std::integer_sequence<int, Columns, W>) {
    if (plan.n > Columns) return false;
    enqueue(std::type_identity<StripStepsKernel<ExecSpace, T, 16, 8, Columns, W, false>>());
    return true;
  };
  if (lone(std::integer_sequence<int, 128, 4>()) || lone(std::integer_sequence<int, 256, 4>()))
    return;
  if constexpr (sizeof(T) == 4)
    if (lone(std::integer_sequence<int, 512, 4>()) || lone(std::integer_sequence<int, 1024, 8>()))
      return;
  enqueue(std::type_identity<
          StripStepsKernel<ExecSpace, T, 16, 8, int{strip_team_columns<T>}, 8, true>>());
}

/// As many teams as run at the same time, and as there is use for: one at least for updates.
template <class ExecSpace>
int strip_teams(ExecSpace const& exec, StripPlan const& plan, int members) {
  int const fitting = strip_teams_at_once(exec) / members;
  return std::max(plan.teams(0) + 1, std::min(fitting, plan.teams(0) + plan.blocks()));
}

template <class ExecSpace, class T>
void enqueue_shared_strips(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                           StripWorkspace<T> const& workspace) {
  StripPlan const plan = shared_strip_plan<T>(batch.n);
  enqueue_strip_start(exec, batch, workspace);
  if (takes_rounds(batch.n, batch.members))
    return enqueue_strip_rounds(exec, batch, workspace, plan);
  enqueue_strip_steps(exec, batch, workspace, plan, StripStage{},
                      strip_teams(exec, plan, batch.members));
}

}  // namespace carroll::detail
