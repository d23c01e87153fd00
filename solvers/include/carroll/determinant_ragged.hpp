// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/determinant/views.hpp>
#include <carroll/determinant/ragged_workspace.hpp>
#include <concepts>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// Determinants of matrices of different orders in one call.
///
///   std::vector<std::int64_t> const orders{3, 40, 7};
///   auto members = carroll::determinant_members(orders);            // one behind the other
///   auto infos = carroll::determinant_ragged(exec, members, A);     // A is overwritten
///   auto infos = carroll::determinant_of_ragged(exec, members, A);  // A is kept
///
/// A is a contiguous View of rank 1 over float, double or Kokkos::complex of one of them, that
/// holds the matrices, each row by row, where `members` says; determinant_members_between makes
/// that list from offsets. The list stays on the host: kernels of all members are enqueued without
/// waiting for the device, one launch for each power of two among the orders that fit scratch,
/// beyond that what a batch of the matrices of each order takes.
///
/// Methods, accuracy and DeterminantInfo are those of determinant.hpp: each member has the bits
/// that it has alone, and a member with NaN or infinities disturbs no other. Misuse throws
/// std::invalid_argument with the actual and the required sizes before anything is written.
namespace carroll {

namespace detail {

template <class ExecSpace, class AView, bool Overwrites>
consteval void assert_determinant_ragged_view() {
  static_assert(StridedView<AView> && int(AView::rank) == 1 && AccessibleView<AView, ExecSpace> &&
                    FieldScalar<typename AView::non_const_value_type>,
                "carroll::determinant_ragged: A must be a strided View of rank 1 of float, double "
                "or Kokkos::complex of one of them, in memory that the execution space can access");
  static_assert(
      !Overwrites || !std::is_const_v<typename AView::value_type>,
      "carroll::determinant_ragged: A is overwritten and must not be a View of constants; "
      "carroll::determinant_of_ragged keeps it");
}

/// The entry points, each under the name that it was called by: everything is checked, then
/// enqueued.
template <bool Overwrites, class ExecSpace, class AView, class T>
void enqueue_determinant_ragged(char const* function, ExecSpace const& exec, AView const& A,
                                DeterminantRaggedWorkspace<ExecSpace, T> const& workspace,
                                DeterminantInfo<T>* infos, std::ptrdiff_t info_stride) {
  static_assert(std::same_as<typename AView::non_const_value_type, T>,
                "carroll::determinant_ragged: the workspace must have the scalar type of A");
  using Access = AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>;
  auto const entries = static_cast<std::int64_t>(A.extent(0));
  require(entries >= workspace.entries(), function, [&] {
    return "A has " + std::to_string(entries) + " entries, the members need " +
           std::to_string(workspace.entries());
  });
  require(entries < 2 || A.stride(0) == 1, function, [&] {
    return "A has stride " + std::to_string(A.stride(0)) + ", must be contiguous: stride 1";
  });
  require(!Overwrites || Access::overlap(workspace).empty(), function,
          [&] { return Access::overlap(workspace) + ", matrices that are overwritten must not"; });
  require(Overwrites || workspace.keep(), function, [] {
    return std::string("the workspace was made without room for copies: keep is false");
  });
  T* overwritten = nullptr;
  if constexpr (Overwrites) overwritten = A.data();
  Access::enqueue(exec, workspace, A.data(), overwritten, infos, info_stride);
}

template <bool Overwrites, class ExecSpace, class AView, class InfoView, class T>
void determinant_ragged_async(char const* function, ExecSpace const& exec, AView const& A,
                              InfoView const& info,
                              DeterminantRaggedWorkspace<ExecSpace, T> const& workspace) {
  assert_determinant_ragged_view<ExecSpace, AView, Overwrites>();
  assert_determinant_info<ExecSpace, InfoView, T, 1>();
  require_extents(function, "info", {static_cast<long long>(info.extent(0))}, {workspace.batch()});
  enqueue_determinant_ragged<Overwrites>(function, exec, A, workspace, info.data(),
                                         static_cast<std::ptrdiff_t>(info.stride(0)));
}

template <bool Overwrites, class ExecSpace, class AView, class T>
std::span<DeterminantInfo<T> const> determinant_ragged(
    char const* function, ExecSpace const& exec, AView const& A,
    DeterminantRaggedWorkspace<ExecSpace, T> const& workspace) {
  assert_determinant_ragged_view<ExecSpace, AView, Overwrites>();
  DeterminantInfo<T>* const in_workspace = nullptr;
  enqueue_determinant_ragged<Overwrites>(function, exec, A, workspace, in_workspace, 1);
  return AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>::fetch_infos(exec, workspace);
}

template <bool Overwrites, class ExecSpace, class AView>
auto determinant_ragged(char const* function, ExecSpace const& exec,
                        std::span<DeterminantMember const> members, AView const& A,
                        DeterminantOptions const& options) {
  assert_determinant_ragged_view<ExecSpace, AView, Overwrites>();
  using T = typename AView::non_const_value_type;
  auto const workspace = AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>::make(
      exec, function, members, !Overwrites, options);
  auto const infos = determinant_ragged<Overwrites>(function, exec, A, workspace);
  return std::vector<DeterminantInfo<T>>(infos.begin(), infos.end());
}

}  // namespace detail

/// Enqueues the determinants of the members on `exec` and returns; A then holds nothing of use.
/// Never fences, never allocates. `workspace` must live, unused by others, until the work is done.
/// `info` is a View of DeterminantInfo of rank 1 that kernels can write, in the order of the
/// members.
template <ExecutionSpace ExecSpace, class AView, class InfoView, class T>
void determinant_ragged_async(ExecSpace const& exec, AView const& A, InfoView const& info,
                              DeterminantRaggedWorkspace<ExecSpace, T>& workspace) {
  detail::determinant_ragged_async<true>("carroll::determinant_ragged_async", exec, A, info,
                                         workspace);
}

/// The same without overwriting A; the workspace must have been made with `keep`. Members may then
/// share entries.
template <ExecutionSpace ExecSpace, class AView, class InfoView, class T>
void determinant_of_ragged_async(ExecSpace const& exec, AView const& A, InfoView const& info,
                                 DeterminantRaggedWorkspace<ExecSpace, T>& workspace) {
  detail::determinant_ragged_async<false>("carroll::determinant_of_ragged_async", exec, A, info,
                                          workspace);
}

/// The determinants, with a workspace made before: no allocation, one fence of `exec`. Returns a
/// span of infos in the order of the members, valid until the workspace is used again. A is
/// overwritten.
template <ExecutionSpace ExecSpace, class AView, class T>
[[nodiscard]] std::span<DeterminantInfo<T> const> determinant_ragged(
    ExecSpace const& exec, AView const& A, DeterminantRaggedWorkspace<ExecSpace, T>& workspace) {
  return detail::determinant_ragged<true>("carroll::determinant_ragged", exec, A, workspace);
}

/// The same without overwriting A; the workspace must have been made with `keep`.
template <ExecutionSpace ExecSpace, class AView, class T>
[[nodiscard]] std::span<DeterminantInfo<T> const> determinant_of_ragged(
    ExecSpace const& exec, AView const& A, DeterminantRaggedWorkspace<ExecSpace, T>& workspace) {
  return detail::determinant_ragged<false>("carroll::determinant_of_ragged", exec, A, workspace);
}

/// The determinants of the members, in their order. A is overwritten. Allocates and frees a
/// workspace as `determinant` does, fences `exec` twice.
template <ExecutionSpace ExecSpace, class AView>
[[nodiscard]] auto determinant_ragged(ExecSpace const& exec,
                                      std::span<DeterminantMember const> members, AView const& A,
                                      DeterminantOptions const& options = {}) {
  return detail::determinant_ragged<true>("carroll::determinant_ragged", exec, members, A, options);
}

/// The same without overwriting A: with copies, where copies are needed.
template <ExecutionSpace ExecSpace, class AView>
[[nodiscard]] auto determinant_of_ragged(ExecSpace const& exec,
                                         std::span<DeterminantMember const> members, AView const& A,
                                         DeterminantOptions const& options = {}) {
  return detail::determinant_ragged<false>("carroll::determinant_of_ragged", exec, members, A,
                                           options);
}

}  // namespace carroll
