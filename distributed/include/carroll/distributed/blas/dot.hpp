// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/distributed/blas/reduction/workspace.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/reduction/types.hpp>

/// The inner product of two vectors that ranks share alike: Σ conj(xᵢ)·yᵢ, or Σ xᵢ·yᵢ.
///
///   auto const info = carroll::distributed::dot(comm, x, y);   // this rank's entries
///
/// What is said of carroll::distributed::sum holds: the bits are carroll::dot's of the whole
/// vectors, on all ranks, however they are shared out.
namespace carroll::distributed {

/// Without allocations of device memory. x and y have as many entries as the workspace's layout
/// says.
template <ExecutionSpace ExecSpace, class XView, class YView, class T>
[[nodiscard]] auto dot(Communicator<ExecSpace> const& comm, XView const& x, YView const& y,
                       ReductionWorkspace<ExecSpace, T>& workspace, bool conjugate = true) {
  static_assert(
      detail::is_part<XView, ExecSpace> && carroll::detail::is_vector_like<XView, YView, ExecSpace>,
      "carroll::distributed::dot: x and y must be strided Views of rank 1 over the same one of "
      "float, double "
      "and Kokkos::complex of them, in memory that the execution space can access");
  return detail::reduce<carroll::detail::Reduction::dot>("carroll::distributed::dot", comm, x, y,
                                                         workspace, conjugate);
}

/// The same with a workspace of its own, for which Kokkos waits for the whole device on CUDA. The
/// ranks' lengths make the layout.
template <ExecutionSpace ExecSpace, class XView, class YView>
[[nodiscard]] auto dot(Communicator<ExecSpace> const& comm, XView const& x, YView const& y,
                       DotOptions const& options = {}) {
  static_assert(
      detail::is_part<XView, ExecSpace> && carroll::detail::is_vector_like<XView, YView, ExecSpace>,
      "carroll::distributed::dot: x and y must be strided Views of rank 1 over the same one of "
      "float, double "
      "and Kokkos::complex of them, in memory that the execution space can access");
  return detail::reduce<carroll::detail::Reduction::dot>(
      "carroll::distributed::dot", comm, x, y, {.summation = options.summation}, options.conjugate);
}

}  // namespace carroll::distributed
