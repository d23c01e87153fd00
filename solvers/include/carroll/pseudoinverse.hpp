// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/arrow_jacobian.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/pseudoinverse/views.hpp>
#include <carroll/pseudoinverse/types.hpp>
#include <carroll/pseudoinverse/workspace.hpp>
#include <span>
#include <vector>

/// The step of direct visual SLAM: x = A⁺d for the arrow Jacobian A = [B | U], n×(k+m), in O(n), by
/// structured QR, without forming AᵀA or A⁺; and A⁺ itself for those who want it.
///
///   carroll::ArrowJacobian A{motion, depth, segment_offsets};
///   auto info = carroll::apply_pseudoinverse(exec, A, d, carroll::ArrowSolution{y, xi});
///
/// x is the least-squares solution of Ax = d, of several the shortest; with damping Λ that of
/// ‖Ax - d‖² + xᵀΛx, with robust weights W that of (Ax - d)ᵀW(Ax - d). A Gauss-Newton step is -x.
///
/// Views are of any strided layout, of float or double; all sums are in double precision. A row of
/// unit stride is read fastest (LayoutLeft, or k = 1). d may have several columns; each is solved
/// as if it were alone. Entries of double must be within about 10^±150 of each other and of 1, so
/// that their squares are normal numbers; those of float may be any.
///
/// Method and source: PseudoinverseMethod and detail/pseudoinverse. (k+2)·n entries are read from
/// memory once, by two kernels in all, or one for one motion column (two of a host for one problem
/// of some 50 000 depths). Results are the same bits for every number of frames and right-hand
/// sides, place among them, layout, order of rows in memory, outputs wanted, instance, team size
/// and thread count of one build and kind of device.
///
/// Accuracy: the step is that of an A with relative errors of about eps in its columns; its
/// relative error is about eps·cond(A), with eps of double precision also for rows of float, cond
/// that with columns of equal norm. normal_equations have eps·cond(A)², and so has what `automatic`
/// takes for three or six motion columns of float on GPUs, where the default cutoff keeps it at two
/// or three eps of float; see PseudoinverseMethod.
///
/// Rank: depth columns that are exactly zero, or have no rows, have ξ = 0. Motion columns that
/// depend on the others are found as PseudoinverseInfo::cutoff tells, a decision that does not
/// depend on the scaling of columns; the shortest x does. Its error is relative to ‖A⁺‖‖d‖, and
/// about eps·cond(A) with columns as they are; where the dependent columns are zero, or others
/// times powers of two, it is that of the independent ones.
///
/// Numerical trouble is told by PseudoinverseInfo::status; deficient rank is none. Misuse throws
/// std::invalid_argument with the actual and the required sizes before anything is written.
namespace carroll {

namespace detail {

template <class ExecSpace, class Arrow, class RhsView, class Solution, class Real>
ArrowBatch<Real> bind_apply(char const* function, Arrow const& A, RhsView const& d,
                            Solution const& x,
                            PseudoinverseWorkspace<ExecSpace, Real> const& workspace) {
  constexpr bool several = int(RhsView::rank) == rank_of<decltype(Arrow::motion)>();
  std::int64_t const columns =
      several ? static_cast<std::int64_t>(d.extent(int(RhsView::rank) - 1)) : 1;
  Binder bind(function);
  auto batch = bind_arrow_jacobian(bind, workspace, A, columns);
  bind_arrow_rhs<several>(bind, batch, d);
  bind_arrow_solution<several>(bind, batch, x);
  return batch;
}

/// The caller's A⁺ into a batch, which has no right-hand side then.
template <class ExecSpace, class Arrow, class InverseView, class Real>
ArrowBatch<Real> bind_inverse(char const* function, Arrow const& A, InverseView const& inverse,
                              PseudoinverseWorkspace<ExecSpace, Real> const& workspace) {
  Binder bind(function);
  auto batch = bind_arrow_jacobian(bind, workspace, A, 1);
  require(workspace.extents().dense, function, [] {
    return std::string("the workspace was made without room for A⁺: extents.dense is false");
  });
  require(workspace.options().weight == RobustWeight::uniform, function, [] {
    return std::string("robust weights need residuals: options.weight must be uniform");
  });
  std::int64_t const f = batch.frames, rows = batch.k + std::int64_t{batch.m}, n = batch.n;
  bind.output(batch.inverse, "the inverse", inverse, {f, rows, n});
  return batch;
}

template <class ExecSpace, class Arrow, class InverseView>
consteval void assert_inverse() {
  assert_arrow_jacobian<ExecSpace, Arrow>();
  static_assert(
      is_output_of<InverseView, ExecSpace, typename Arrow::value_type> &&
          rank_of<InverseView>() == rank_of<decltype(Arrow::motion)>(),
      "carroll::pseudoinverse: the inverse must be a writable strided View of A.motion's scalar "
      "type and rank");
}

}  // namespace detail

/// Enqueues the step on `exec` and returns; x and `info` may be read by later work on the same
/// instance. Never fences, never allocates. `workspace` must have been made with the same extents,
/// and must live, unused by others, until the work is done. `info` is a View of PseudoinverseInfo
/// that kernels can write, with an index for the frame in batches and one for d's columns where it
/// has several: of rank 0, 1 or 2.
template <ExecutionSpace ExecSpace, class Arrow, class RhsView, class Solution, class InfoView,
          class Real>
void apply_pseudoinverse_async(ExecSpace const& exec, Arrow const& A, RhsView const& d,
                               Solution const& x, InfoView const& info,
                               PseudoinverseWorkspace<ExecSpace, Real>& workspace) {
  detail::assert_arrow_step<ExecSpace, Arrow, RhsView, Solution>();
  constexpr int rank = detail::rank_of<decltype(Arrow::motion)>();
  constexpr bool several = int(RhsView::rank) == rank;
  detail::assert_pseudoinverse_info<ExecSpace, InfoView, Real,
                                    (rank == 3 ? 1 : 0) + (several ? 1 : 0)>();
  constexpr char const* function = "carroll::apply_pseudoinverse_async";
  auto batch = detail::bind_apply(function, A, d, x, workspace);
  detail::bind_pseudoinverse_info<rank == 3>(function, batch, info);
  detail::AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::enqueue_step(function, exec, batch);
}

/// The step, with a workspace made before: no allocation, one fence of `exec`, to return the info.
/// Returns PseudoinverseInfo for one frame and one right-hand side; otherwise a span of them, those
/// of a frame's right-hand sides together, valid until the workspace is used again.
template <ExecutionSpace ExecSpace, class Arrow, class RhsView, class Solution, class Real>
[[nodiscard]] auto apply_pseudoinverse(ExecSpace const& exec, Arrow const& A, RhsView const& d,
                                       Solution const& x,
                                       PseudoinverseWorkspace<ExecSpace, Real>& workspace) {
  detail::assert_arrow_step<ExecSpace, Arrow, RhsView, Solution>();
  using Access = detail::AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>;
  constexpr char const* function = "carroll::apply_pseudoinverse";
  Access::enqueue_step(function, exec, detail::bind_apply(function, A, d, x, workspace));
  auto const infos = Access::fetch_infos(exec, workspace);
  if constexpr (int(RhsView::rank) == 1)
    return PseudoinverseInfo<Real>(infos.front());
  else
    return infos;
}

/// The step. Allocates a workspace, fences `exec` once, to return the info, and frees the
/// workspace, for which Kokkos waits for the whole device on CUDA: who iterates, or has other
/// instances at work, gives a workspace. Returns PseudoinverseInfo for one frame and one right-hand
/// side; otherwise a std::vector of them.
template <ExecutionSpace ExecSpace, class Arrow, class RhsView, class Solution>
[[nodiscard]] auto apply_pseudoinverse(ExecSpace const& exec, Arrow const& A, RhsView const& d,
                                       Solution const& x,
                                       PseudoinverseOptions const& options = {}) {
  detail::assert_arrow_step<ExecSpace, Arrow, RhsView, Solution>();
  using Real = typename Arrow::value_type;
  constexpr char const* function = "carroll::apply_pseudoinverse";
  constexpr bool several = int(RhsView::rank) == detail::rank_of<decltype(Arrow::motion)>();
  std::int64_t const columns =
      several ? static_cast<std::int64_t>(d.extent(int(RhsView::rank) - 1)) : 1;
  auto workspace = detail::AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::make(
      exec, function, detail::arrow_extents(function, A, columns), options);
  auto const result = apply_pseudoinverse(exec, A, d, x, workspace);
  if constexpr (int(RhsView::rank) == 1)
    return result;
  else
    return std::vector<PseudoinverseInfo<Real>>(result.begin(), result.end());
}

/// Enqueues A⁺, (k+m)×n with the motion rows first, on `exec` and returns; with damping Λ that is
/// (AᵀA + Λ)⁻¹Aᵀ. Written once, in the order of memory, whichever dimension is contiguous. Never
/// fences, never allocates. `workspace` must have been made with extents.dense and the same
/// extents, and must live, unused by others, until the work is done. `info` as for the step.
template <ExecutionSpace ExecSpace, class Arrow, class InverseView, class InfoView, class Real>
void pseudoinverse_async(ExecSpace const& exec, Arrow const& A, InverseView const& inverse,
                         InfoView const& info, PseudoinverseWorkspace<ExecSpace, Real>& workspace) {
  detail::assert_inverse<ExecSpace, Arrow, InverseView>();
  constexpr bool batched = detail::rank_of<decltype(Arrow::motion)>() == 3;
  detail::assert_pseudoinverse_info<ExecSpace, InfoView, Real, batched ? 1 : 0>();
  constexpr char const* function = "carroll::pseudoinverse_async";
  auto batch = detail::bind_inverse(function, A, inverse, workspace);
  detail::bind_pseudoinverse_info<batched>(function, batch, info);
  detail::AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::enqueue_inverse(function, exec, batch,
                                                                             workspace);
}

/// A⁺ with a workspace made before with extents.dense: no allocation, one fence of `exec`. Returns
/// PseudoinverseInfo for one frame; for a batch a span of them, valid until the workspace is used
/// again.
template <ExecutionSpace ExecSpace, class Arrow, class InverseView, class Real>
[[nodiscard]] auto pseudoinverse(ExecSpace const& exec, Arrow const& A, InverseView const& inverse,
                                 PseudoinverseWorkspace<ExecSpace, Real>& workspace) {
  detail::assert_inverse<ExecSpace, Arrow, InverseView>();
  using Access = detail::AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>;
  constexpr char const* function = "carroll::pseudoinverse";
  auto const batch = detail::bind_inverse(function, A, inverse, workspace);
  Access::enqueue_inverse(function, exec, batch, workspace);
  auto const infos = Access::fetch_infos(exec, workspace);
  if constexpr (detail::rank_of<decltype(Arrow::motion)>() == 2)
    return PseudoinverseInfo<Real>(infos.front());
  else
    return infos;
}

/// A⁺. Allocates a workspace, fences `exec` once and frees the workspace, as the step does. Returns
/// PseudoinverseInfo for one frame; for a batch a std::vector of them.
template <ExecutionSpace ExecSpace, class Arrow, class InverseView>
[[nodiscard]] auto pseudoinverse(ExecSpace const& exec, Arrow const& A, InverseView const& inverse,
                                 PseudoinverseOptions const& options = {}) {
  detail::assert_inverse<ExecSpace, Arrow, InverseView>();
  using Real = typename Arrow::value_type;
  constexpr char const* function = "carroll::pseudoinverse";
  auto extents = detail::arrow_extents(function, A, 1);
  extents.dense = true;
  auto workspace = detail::AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::make(
      exec, function, extents, options);
  auto const result = pseudoinverse(exec, A, inverse, workspace);
  if constexpr (detail::rank_of<decltype(Arrow::motion)>() == 2)
    return result;
  else
    return std::vector<PseudoinverseInfo<Real>>(result.begin(), result.end());
}

}  // namespace carroll
