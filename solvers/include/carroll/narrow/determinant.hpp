// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/calls.hpp>
#include <carroll/detail/narrow/determinant_views.hpp>
#include <carroll/determinant.hpp>
#include <carroll/determinant_ragged.hpp>
#include <carroll/error.hpp>
#include <carroll/narrow.hpp>
#include <carroll/narrow/determinant_workspace.hpp>
#include <cstdint>
#include <span>
#include <vector>

/// Determinants of matrices that are stored in 16 bits: `determinant_of` and
/// `determinant_of_ragged` for Views of carroll::float16, carroll::bfloat16 or Kokkos' types like
/// them, called as those for floats are (determinant.hpp, determinant_ragged.hpp):
///
///   auto info = carroll::determinant_of(exec, A);  // DeterminantInfo<float>
///
///   A   n×n in 16 bits, read only; of a batch one dimension more, the batch index first
///
/// There are none that overwrite A, which could not hold what comes of it. The work is done in
/// single precision: the info has the bits that it has for the floats that A's entries are.
///
/// A is made floats in the workspace by one kernel before the solver's, which takes n² floats for
/// each matrix; 6 bytes an entry. Nothing else is different: no fence, no allocation, no work more.
/// Numerical trouble is told by DeterminantInfo::status. Misuse throws
/// std::invalid_argument with the actual and the required sizes before anything is written.
namespace carroll {

/// `determinant_of_async` for 16-bit matrices: `info` is a View of DeterminantInfo<float>.
template <ExecutionSpace ExecSpace, NarrowView AView, class InfoView, class T>
void determinant_of_async(ExecSpace const& exec, AView const& A, InfoView const& info,
                          DeterminantWorkspace<ExecSpace, T>& workspace) {
  constexpr char const* function = "carroll::determinant_of_async";
  detail::assert_narrow_determinant_views<ExecSpace, AView>();
  detail::assert_determinant_info<ExecSpace, InfoView, float, int(AView::rank) - 2>();
  auto call = detail::bind_narrow_determinant(function, workspace, A);
  detail::bind_infos(function, call.batch, info, workspace);
  detail::AccessTo<DeterminantWorkspace<ExecSpace, T>>::enqueue(exec, call, workspace);
}

/// `determinant_of` for 16-bit matrices, with a workspace made before.
template <ExecutionSpace ExecSpace, NarrowView AView, class T>
[[nodiscard]] auto determinant_of(ExecSpace const& exec, AView const& A,
                                  DeterminantWorkspace<ExecSpace, T>& workspace) {
  detail::assert_narrow_determinant_views<ExecSpace, AView>();
  return detail::enqueue_and_fetch<int(AView::rank)>(
      exec, detail::bind_narrow_determinant("carroll::determinant_of", workspace, A), workspace);
}

/// `determinant_of` for 16-bit matrices, one or a batch.
template <ExecutionSpace ExecSpace, NarrowView AView>
[[nodiscard]] auto determinant_of(ExecSpace const& exec, AView const& A,
                                  DeterminantOptions const& options = {}) {
  constexpr char const* function = "carroll::determinant_of";
  detail::assert_narrow_determinant_views<ExecSpace, AView>();
  using T = typename AView::non_const_value_type;
  auto const workspace = detail::AccessTo<DeterminantWorkspace<ExecSpace, T>>::make(
      exec, function, detail::determinant_extents(function, A, true), options);
  return detail::enqueue_and_copy<int(AView::rank)>(
      exec, detail::bind_narrow_determinant(function, workspace, A), workspace);
}

/// `determinant_of_ragged_async` for 16-bit matrices.
template <ExecutionSpace ExecSpace, NarrowView AView, class InfoView, class T>
void determinant_of_ragged_async(ExecSpace const& exec, AView const& A, InfoView const& info,
                                 DeterminantRaggedWorkspace<ExecSpace, T>& workspace) {
  constexpr char const* function = "carroll::determinant_of_ragged_async";
  detail::assert_narrow_packed_determinant_views<ExecSpace, AView>();
  detail::assert_determinant_info<ExecSpace, InfoView, float, 1>();
  auto const infos = detail::Binder(function).infos(info, {workspace.batch()});
  detail::AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>::enqueue(
      exec, detail::bind_narrow_packed_determinant(function, workspace, A), workspace, infos.data,
      infos.strides[0]);
}

/// `determinant_of_ragged` for 16-bit matrices, with a workspace made before.
template <ExecutionSpace ExecSpace, NarrowView AView, class T>
[[nodiscard]] std::span<DeterminantInfo<float> const> determinant_of_ragged(
    ExecSpace const& exec, AView const& A, DeterminantRaggedWorkspace<ExecSpace, T>& workspace) {
  detail::assert_narrow_packed_determinant_views<ExecSpace, AView>();
  using Access = detail::AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>;
  Access::enqueue(
      exec, detail::bind_narrow_packed_determinant("carroll::determinant_of_ragged", workspace, A),
      workspace, nullptr, 1);
  return Access::fetch_infos(exec, workspace);
}

/// `determinant_of_ragged` for 16-bit matrices. Fences `exec` three times.
template <ExecutionSpace ExecSpace, NarrowView AView>
[[nodiscard]] std::vector<DeterminantInfo<float>> determinant_of_ragged(
    ExecSpace const& exec, std::span<DeterminantMember const> members, AView const& A,
    DeterminantOptions const& options = {}) {
  detail::assert_narrow_packed_determinant_views<ExecSpace, AView>();
  using T = typename AView::non_const_value_type;
  auto workspace = detail::AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>::make(
      exec, "carroll::determinant_of_ragged", members, options);
  auto const infos = determinant_of_ragged(exec, A, workspace);
  return {infos.begin(), infos.end()};
}

}  // namespace carroll
