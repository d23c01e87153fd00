// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_DualView.hpp>
#include <carroll/concepts.hpp>
#include <carroll/determinant.hpp>
#include <carroll/determinant_ragged.hpp>
#include <span>
#include <type_traits>

/// `determinant` and `determinant_of`, and their ragged forms, for a Kokkos::DualView, a matrix
/// that has a copy on the host and one on the device: the work is done where A was modified last,
/// on the host if it needs to be synchronised to the device, and else on the device. Nothing is
/// copied from one side to the other.
///
///   Kokkos::DualView<double**> A("A", n, n);
///   … A.modify_host();
///   auto info = carroll::determinant_of(exec, A);  // on the host; A and its state are kept
///   A.sync_device();
///   auto info = carroll::determinant(exec, A);     // on `exec`; then A.need_sync_host()
///
/// `exec` is an instance of the device's execution space; on the host the work is done on the
/// default instance of its execution space. `determinant` overwrites the side that it works on and
/// marks it as modified, so that the other side, which holds the matrix still, counts as out of
/// date. All else is as with Views, whose determinant is taken: ranks, types, errors, fences, of
/// the instance that does the work. Host and device may differ in the last digits.
///
/// There is no form that does not fence: with determinant_async give A.view_device(). Nor is there
/// one of ragged batches with a workspace: give the side.
namespace carroll {

/// What `determinant` needs for a DualView, on either side. See DeterminantWorkspace.
template <class ExecSpace, class T>
struct DeterminantDualWorkspace {
  DeterminantWorkspace<ExecSpace, T> device;
  /// A workspace for no matrices where the device is the host.
  DeterminantWorkspace<Kokkos::DefaultHostExecutionSpace, T> host;
};

namespace detail {

/// f(instance, side) for the side of A that was modified last, which is then modified if it is
/// overwritten.
template <bool Overwrites, class ExecSpace, class Dual, class F>
auto on_newest_side(ExecSpace const& exec, Dual A, F const& f) {
  static_assert(AccessibleView<typename Dual::t_dev, ExecSpace>,
                "carroll::determinant: the device's side of A must be in memory that the execution "
                "space can access");
  if constexpr (!std::is_same_v<typename Dual::t_dev::memory_space,
                                typename Dual::t_host::memory_space>) {
    if (A.need_sync_device()) {
      auto result = f(Kokkos::DefaultHostExecutionSpace(), A.view_host());
      if constexpr (Overwrites) A.modify_host();
      return result;
    }
  }
  auto result = f(exec, A.view_device());
  if constexpr (Overwrites) A.modify_device();
  return result;
}

/// The workspace of the side that `exec` works on.
template <class ExecSpace, class T, class Exec>
auto& workspace_of(DeterminantDualWorkspace<ExecSpace, T>& workspace, Exec const&) {
  if constexpr (std::is_same_v<Exec, ExecSpace>)
    return workspace.device;
  else
    return workspace.host;
}

}  // namespace detail

/// Workspaces for both sides, as `determinant_workspace` makes them.
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] DeterminantDualWorkspace<ExecSpace, T> determinant_dual_workspace(
    ExecSpace const& exec, DeterminantExtents const& extents,
    DeterminantOptions const& options = {}) {
  DeterminantDualWorkspace<ExecSpace, T> workspace;
  workspace.device = determinant_workspace<T>(exec, extents, options);
  if constexpr (!std::is_same_v<typename ExecSpace::memory_space, Kokkos::HostSpace>)
    workspace.host =
        determinant_workspace<T>(Kokkos::DefaultHostExecutionSpace(), extents, options);
  return workspace;
}

/// The determinant of one matrix, or the determinants of a batch, of the side of A that was
/// modified last, which is overwritten and marked as modified. See `determinant` for Views.
template <ExecutionSpace ExecSpace, class DataType, class... Properties>
[[nodiscard]] auto determinant(ExecSpace const& exec,
                               Kokkos::DualView<DataType, Properties...> const& A,
                               DeterminantOptions const& options = {}) {
  return detail::on_newest_side<true>(exec, A, [&](auto const& space, auto const& side) {
    return determinant(space, side, options);
  });
}

/// The same without overwriting A, of which neither side nor its state changes.
template <ExecutionSpace ExecSpace, class DataType, class... Properties>
[[nodiscard]] auto determinant_of(ExecSpace const& exec,
                                  Kokkos::DualView<DataType, Properties...> const& A,
                                  DeterminantOptions const& options = {}) {
  return detail::on_newest_side<false>(exec, A, [&](auto const& space, auto const& side) {
    return determinant_of(space, side, options);
  });
}

/// The same with workspaces made before: no allocation, one fence.
template <ExecutionSpace ExecSpace, class DataType, class... Properties, class T>
[[nodiscard]] auto determinant(ExecSpace const& exec,
                               Kokkos::DualView<DataType, Properties...> const& A,
                               DeterminantDualWorkspace<ExecSpace, T>& workspace) {
  return detail::on_newest_side<true>(exec, A, [&](auto const& space, auto const& side) {
    return determinant(space, side, detail::workspace_of(workspace, space));
  });
}
template <ExecutionSpace ExecSpace, class DataType, class... Properties, class T>
[[nodiscard]] auto determinant_of(ExecSpace const& exec,
                                  Kokkos::DualView<DataType, Properties...> const& A,
                                  DeterminantDualWorkspace<ExecSpace, T>& workspace) {
  return detail::on_newest_side<false>(exec, A, [&](auto const& space, auto const& side) {
    return determinant_of(space, side, detail::workspace_of(workspace, space));
  });
}

/// The determinants of matrices of different orders, packed in the side of A, of rank 1, that was
/// modified last, which is overwritten and marked as modified. See `determinant_ragged` for Views.
template <ExecutionSpace ExecSpace, class DataType, class... Properties>
[[nodiscard]] auto determinant_ragged(ExecSpace const& exec,
                                      std::span<DeterminantMember const> members,
                                      Kokkos::DualView<DataType, Properties...> const& A,
                                      DeterminantOptions const& options = {}) {
  return detail::on_newest_side<true>(exec, A, [&](auto const& space, auto const& side) {
    return determinant_ragged(space, members, side, options);
  });
}

/// The same without overwriting A, of which neither side nor its state changes.
template <ExecutionSpace ExecSpace, class DataType, class... Properties>
[[nodiscard]] auto determinant_of_ragged(ExecSpace const& exec,
                                         std::span<DeterminantMember const> members,
                                         Kokkos::DualView<DataType, Properties...> const& A,
                                         DeterminantOptions const& options = {}) {
  return detail::on_newest_side<false>(exec, A, [&](auto const& space, auto const& side) {
    return determinant_of_ragged(space, members, side, options);
  });
}

}  // namespace carroll
