// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/pseudoinverse/checks.hpp>
#include <carroll/detail/pseudoinverse/launch.hpp>
#include <carroll/detail/pseudoinverse/views.hpp>
#include <carroll/error.hpp>
#include <carroll/pseudoinverse.hpp>
#include <string>
#include <type_traits>

/// The step x = A⁺d of an arrow Jacobian that is never stored: a functor computes its rows and
/// right-hand sides on the way, each of them once. Everything else is as in pseudoinverse.hpp,
/// damping, weights, variances, rank and batches included.
///
///   carroll::FusedArrowJacobian A{rows, segment_offsets};
///   auto workspace = carroll::pseudoinverse_workspace<float>(
///       exec, {.rows = n, .motions = 1, .depths = m});
///   auto info = carroll::apply_pseudoinverse(exec, A, carroll::ArrowSolution{y, xi}, workspace);
///
/// The rows of a window go through scratch, where they are factorised. No memory but that of the
/// window's results is written or read. The step is that of the same rows in memory to rounding
/// errors, and the same bits for more than one motion column where the functor's rows are of the
/// workspace's scalar type.
namespace carroll {

namespace detail {

template <class Functor>
using ArrowRowOf = std::remove_cvref_t<decltype(std::declval<Functor const&>()(0, 0))>;

template <class ExecSpace, class Real, class Functor, class OffsetView, class DampingView,
          class Solution>
consteval void assert_fused_step() {
  static_assert(is_arrow_row<ArrowRowOf<Functor>>,
                "carroll::apply_pseudoinverse: A.rows(frame, row) must return a carroll::ArrowRow");
  static_assert(is_arrow_solution<Solution>,
                "carroll::apply_pseudoinverse: x must be a carroll::ArrowSolution");
  constexpr int rank = rank_of<decltype(Solution::motion)>();
  static_assert((rank == 1 || rank == 2) && is_step_of<Solution, ExecSpace, Real, rank>,
                "carroll::apply_pseudoinverse: x.motion and x.depth must be writable strided Views "
                "of the workspace's scalar type, of rank 1 (one frame) or 2 (a batch)");
  static_assert(
      is_optional_output<decltype(Solution::motion_covariance), ExecSpace, rank + 1, Real>,
      "carroll::apply_pseudoinverse: x.motion_covariance must be carroll::none or a "
      "writable strided View of the workspace's scalar type, of one rank more than x");
  static_assert(is_optional_output<decltype(Solution::depth_variances), ExecSpace, rank, Real>,
                "carroll::apply_pseudoinverse: x.depth_variances must be carroll::none or a "
                "writable strided View of the workspace's scalar type, of x's rank");
  static_assert(is_view_of<OffsetView, ExecSpace, int> &&
                    (rank_of<OffsetView>() == 1 || rank_of<OffsetView>() == rank),
                "carroll::apply_pseudoinverse: A.segment_offsets must be a strided View of int, of "
                "rank 1 or, in a batch, 2");
  static_assert(
      is_absent<DampingView> || (is_view_of<DampingView, ExecSpace, Real> &&
                                 (rank_of<DampingView>() == 1 || rank_of<DampingView>() == rank)),
      "carroll::apply_pseudoinverse: A.damping must be carroll::none or a strided View "
      "of the workspace's scalar type, of rank 1 or, in a batch, 2");
}

template <class ExecSpace, class Real, class Functor, class OffsetView, class DampingView,
          class Solution>
ArrowBatch<Real> bind_fused_step(char const* function,
                                 FusedArrowJacobian<Functor, OffsetView, DampingView> const& A,
                                 Solution const& x,
                                 PseudoinverseWorkspace<ExecSpace, Real> const& workspace) {
  assert_fused_step<ExecSpace, Real, Functor, OffsetView, DampingView, Solution>();
  constexpr int k = ArrowRowOf<Functor>::motions;
  constexpr bool batched = rank_of<decltype(x.motion)>() == 2;
  auto const& made = workspace.extents();
  require(k == made.motions, function, [&] {
    return "rows have " + std::to_string(int{k}) + " motion columns, the workspace was made for " +
           std::to_string(made.motions);
  });
  require(made.right_hand_sides == 1, function, [&] {
    return "rows have one right-hand side, the workspace was made for " +
           std::to_string(made.right_hand_sides);
  });
  require(batched || made.frames == 1, function, [&] {
    return "the workspace was made for " + std::to_string(made.frames) +
           " frames, x must have the frame as first index";
  });
  std::int64_t const f = made.frames, m = made.depths;
  auto batch = AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::batch(workspace);
  Binder bind(function);
  bind.shared_input(batch.offsets, "A.segment_offsets", A.segment_offsets, {f, m + 1});
  bind.shared_input(batch.damping, "A.damping", A.damping, {f, k + m});
  bind_arrow_solution<false>(bind, batch, x);
  return batch;
}

template <class ExecSpace, class Real, class Functor>
void enqueue_fused_step(char const* function, ExecSpace const& exec, ArrowBatch<Real> const& batch,
                        Functor const& functor) {
  FusedRows<Functor> const rows(functor);
  auto const plan =
      require_step_plan(function, step_case(exec, batch, row_source<Real, FusedRows<Functor>>));
  launch_step(exec, batch, rows, plan);
}

}  // namespace detail

/// Enqueues the step on `exec` and returns, one kernel or two. Never fences, never allocates.
/// `info` is a View of PseudoinverseInfo that kernels can write, of rank 0, or 1 in a batch.
template <ExecutionSpace ExecSpace, class Functor, class OffsetView, class DampingView,
          class Solution, class InfoView, class Real>
void apply_pseudoinverse_async(ExecSpace const& exec,
                               FusedArrowJacobian<Functor, OffsetView, DampingView> const& A,
                               Solution const& x, InfoView const& info,
                               PseudoinverseWorkspace<ExecSpace, Real>& workspace) {
  constexpr int rank = detail::rank_of<decltype(x.motion)>();
  detail::assert_pseudoinverse_info<ExecSpace, InfoView, Real, rank - 1>();
  constexpr char const* function = "carroll::apply_pseudoinverse_async";
  auto batch = detail::bind_fused_step(function, A, x, workspace);
  detail::bind_pseudoinverse_info<rank == 2>(function, batch, info);
  detail::enqueue_fused_step(function, exec, batch, A.rows);
}

/// The step and one fence of `exec`, to return the info: PseudoinverseInfo for x of rank 1,
/// otherwise a span of them, valid until the workspace is used again. Allocates nothing.
template <ExecutionSpace ExecSpace, class Functor, class OffsetView, class DampingView,
          class Solution, class Real>
[[nodiscard]] auto apply_pseudoinverse(
    ExecSpace const& exec, FusedArrowJacobian<Functor, OffsetView, DampingView> const& A,
    Solution const& x, PseudoinverseWorkspace<ExecSpace, Real>& workspace) {
  constexpr char const* function = "carroll::apply_pseudoinverse";
  auto const batch = detail::bind_fused_step(function, A, x, workspace);
  detail::enqueue_fused_step(function, exec, batch, A.rows);
  auto const infos =
      detail::AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::fetch_infos(exec, workspace);
  if constexpr (detail::rank_of<decltype(x.motion)>() == 1)
    return PseudoinverseInfo<Real>(infos.front());
  else
    return infos;
}

}  // namespace carroll
