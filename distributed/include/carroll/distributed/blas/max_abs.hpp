// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/distributed/blas/reduction/workspace.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/none.hpp>
#include <carroll/reduction/types.hpp>

/// The largest absolute value of a vector that ranks share; of complex entries the larger of |re|
/// and |im|. A real number.
///
///   auto const info = carroll::distributed::max_abs(comm, x);   // x: this rank's entries
///
/// What is said of carroll::distributed::sum holds: the bits are carroll::max_abs's of the whole
/// vector, on all ranks, however it is shared out. A workspace for exact sums is not for it.
namespace carroll::distributed {

/// Without allocations of device memory. `x` has as many entries as the workspace's layout says.
template <ExecutionSpace ExecSpace, class XView, class T>
[[nodiscard]] auto max_abs(Communicator<ExecSpace> const& comm, XView const& x,
                           ReductionWorkspace<ExecSpace, T>& workspace) {
  static_assert(
      detail::is_part<XView, ExecSpace>,
      "carroll::distributed::max_abs: x must be a strided View of rank 1 over float, double "
      "or Kokkos::complex of one of them, in memory that the execution space can access");
  return detail::reduce<carroll::detail::Reduction::max_abs>("carroll::distributed::max_abs", comm,
                                                             x, carroll::none, workspace);
}

/// The same with a workspace of its own, for which Kokkos waits for the whole device on CUDA. The
/// ranks' lengths make the layout.
template <ExecutionSpace ExecSpace, class XView>
[[nodiscard]] auto max_abs(Communicator<ExecSpace> const& comm, XView const& x) {
  static_assert(
      detail::is_part<XView, ExecSpace>,
      "carroll::distributed::max_abs: x must be a strided View of rank 1 over float, double "
      "or Kokkos::complex of one of them, in memory that the execution space can access");
  return detail::reduce<carroll::detail::Reduction::max_abs>("carroll::distributed::max_abs", comm,
                                                             x, carroll::none, ReductionOptions{});
}

}  // namespace carroll::distributed
