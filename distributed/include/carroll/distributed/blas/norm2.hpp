// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/distributed/blas/reduction/workspace.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/none.hpp>
#include <carroll/reduction/types.hpp>

/// The Euclidean norm of a vector that ranks share: √(Σ|xᵢ|²), a real number.
///
///   auto const info = carroll::distributed::norm2(comm, x);   // x: this rank's entries
///
/// What is said of carroll::distributed::sum holds: the bits are carroll::norm2's of the whole
/// vector, on all ranks, however it is shared out.
namespace carroll::distributed {

/// Without allocations of device memory. `x` has as many entries as the workspace's layout says.
template <ExecutionSpace ExecSpace, class XView, class T>
[[nodiscard]] auto norm2(Communicator<ExecSpace> const& comm, XView const& x,
                         ReductionWorkspace<ExecSpace, T>& workspace) {
  static_assert(
      detail::is_part<XView, ExecSpace>,
      "carroll::distributed::norm2: x must be a strided View of rank 1 over float, double "
      "or Kokkos::complex of one of them, in memory that the execution space can access");
  return detail::reduce<carroll::detail::Reduction::norm2>("carroll::distributed::norm2", comm, x,
                                                           carroll::none, workspace);
}

/// The same with a workspace of its own, for which Kokkos waits for the whole device on CUDA. The
/// ranks' lengths make the layout.
template <ExecutionSpace ExecSpace, class XView>
[[nodiscard]] auto norm2(Communicator<ExecSpace> const& comm, XView const& x,
                         ReductionOptions const& options = {}) {
  static_assert(
      detail::is_part<XView, ExecSpace>,
      "carroll::distributed::norm2: x must be a strided View of rank 1 over float, double "
      "or Kokkos::complex of one of them, in memory that the execution space can access");
  return detail::reduce<carroll::detail::Reduction::norm2>("carroll::distributed::norm2", comm, x,
                                                           carroll::none, options);
}

}  // namespace carroll::distributed
