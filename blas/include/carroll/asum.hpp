// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/reduction/calls.hpp>
#include <carroll/none.hpp>
#include <carroll/reduction/types.hpp>
#include <carroll/reduction/workspace.hpp>

/// The sum of the absolute values of a vector's entries, or of those of each vector of a batch; of
/// complex entries |re| + |im|, as BLAS' asum. The result is real.
///
///   auto info = carroll::asum(exec, x);            // info.value, info.status
///
/// An addition for each entry, which is read once: the time is that of memory.
///
/// The Views may have any strided layout, and are not written; a batch is of rank 2, a vector in
/// each row. A vector of length 0 has the result 0.
///
/// It is one launch; on a host, of up to 2^15 entries in all, none: the calling thread adds them.
///
/// The bits of a result depend on the numbers alone: not on the device, the number of threads,
/// layouts, the batch, or which outputs are wanted (docs/blas.md has the tree of additions).
/// ReductionOptions::summation says how the terms are added; the workspace holds it.
///
/// Numerical trouble is told by ReductionInfo::status. Misuse throws std::invalid_argument with the
/// actual and the required sizes before anything is written.
namespace carroll {

namespace detail {

template <class ExecSpace, class XView>
consteval void assert_asum_views() {
  static_assert(is_vector<XView, ExecSpace>,
                "carroll::asum: x must be a strided View of float, double or Kokkos::complex of "
                "one of them, of rank 1 (a vector) or 2 (a batch), in memory that the execution "
                "space can access");
}

}  // namespace detail

/// Enqueues the reduction on `exec` and returns; `info`, a View of ReductionInfo<Real> that kernels
/// can write, of rank 0 for a vector and 1 for a batch, may be read by later work on the same
/// instance. Never fences, never allocates. `workspace` must have been made with the same extents,
/// and must live, unused by others, until the work is done.
template <ExecutionSpace ExecSpace, class XView, class InfoView, class T>
void asum_async(ExecSpace const& exec, XView const& x, InfoView const& info,
                ReductionWorkspace<ExecSpace, T>& workspace) {
  detail::assert_asum_views<ExecSpace, XView>();
  static_assert(
      detail::is_reduction_info<detail::Reduction::asum, XView, InfoView, ExecSpace>,
      "carroll::asum_async: info must be a writable View of carroll::ReductionInfo of the "
      "result's type, of rank 0 for a vector and 1 for a batch, in memory that the execution "
      "space can access");
  detail::reduce_async<detail::Reduction::asum>("carroll::asum_async", exec, x, carroll::none, info,
                                                workspace);
}

/// The same with the info on the host, without an allocation: waits for the work of `exec` up to
/// the result, with one fence; for a vector alone on CUDA only where that takes longer than
/// some 50 µs. Returns ReductionInfo for a vector; for a batch a span of them, valid until the
/// workspace is used again.
template <ExecutionSpace ExecSpace, class XView, class T>
[[nodiscard]] auto asum(ExecSpace const& exec, XView const& x,
                        ReductionWorkspace<ExecSpace, T>& workspace) {
  detail::assert_asum_views<ExecSpace, XView>();
  return detail::reduce<detail::Reduction::asum>("carroll::asum", exec, x, carroll::none,
                                                 workspace);
}

/// The same without a workspace: allocates one and frees it, for which Kokkos waits for the whole
/// device on CUDA. A vector alone of up to 2^15 entries on a host takes neither that nor a fence.
/// Returns ReductionInfo for a vector; for a batch a std::vector of them.
template <ExecutionSpace ExecSpace, class XView>
[[nodiscard]] auto asum(ExecSpace const& exec, XView const& x,
                        ReductionOptions const& options = {}) {
  detail::assert_asum_views<ExecSpace, XView>();
  return detail::reduce<detail::Reduction::asum>("carroll::asum", exec, x, carroll::none, options);
}

}  // namespace carroll
