// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/distributed/blas/reduction/workspace.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/none.hpp>
#include <carroll/reduction/types.hpp>

/// The sum of a vector's entries that ranks share.
///
///   auto const info = carroll::distributed::sum(comm, x);   // x: this rank's entries, may be none
///
/// The result is on all ranks, and the same bits as carroll::sum's of the whole vector, whatever
/// the number of ranks and however many entries each has: each adds whole subtrees of the canonical
/// tree, at most 2·log₂(n/1024) of them, sends these sums to all, and all add them alike. A chunk
/// of 1024 entries that ranks share goes to the first of them. Summation::exact has no subtrees:
/// ranks send digits.
///
/// A launch for each subtree, a fence, an MPI_Allreduce of 24 bytes and an MPI_Allgatherv of some
/// hundred. `x` is of rank 1, in any strided layout, and is not written. One rank alone does what
/// carroll::sum does.
///
/// Collective. Misuse on one rank throws on all: there what carroll::sum does, elsewhere RankError.
namespace carroll::distributed {

/// Without allocations of device memory. `x` has as many entries as the workspace's layout says.
template <ExecutionSpace ExecSpace, class XView, class T>
[[nodiscard]] auto sum(Communicator<ExecSpace> const& comm, XView const& x,
                       ReductionWorkspace<ExecSpace, T>& workspace) {
  static_assert(detail::is_part<XView, ExecSpace>,
                "carroll::distributed::sum: x must be a strided View of rank 1 over float, double "
                "or Kokkos::complex of one of them, in memory that the execution space can access");
  return detail::reduce<carroll::detail::Reduction::sum>("carroll::distributed::sum", comm, x,
                                                         carroll::none, workspace);
}

/// The same with a workspace of its own, for which Kokkos waits for the whole device on CUDA. The
/// ranks' lengths make the layout.
template <ExecutionSpace ExecSpace, class XView>
[[nodiscard]] auto sum(Communicator<ExecSpace> const& comm, XView const& x,
                       ReductionOptions const& options = {}) {
  static_assert(detail::is_part<XView, ExecSpace>,
                "carroll::distributed::sum: x must be a strided View of rank 1 over float, double "
                "or Kokkos::complex of one of them, in memory that the execution space can access");
  return detail::reduce<carroll::detail::Reduction::sum>("carroll::distributed::sum", comm, x,
                                                         carroll::none, options);
}

}  // namespace carroll::distributed
