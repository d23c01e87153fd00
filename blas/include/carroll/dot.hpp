// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/reduction/calls.hpp>
#include <carroll/none.hpp>
#include <carroll/reduction/types.hpp>
#include <carroll/reduction/workspace.hpp>

/// The inner product of two vectors, Σ x̄ᵢ·yᵢ, or of each pair of vectors of two batches. Complex
/// entries of x are conjugated unless `conjugate` is false.
///
///   auto info = carroll::dot(exec, x, y);          // info.value, info.status
///   auto plain = carroll::dot(exec, x, y, {.conjugate = false});
///
/// An addition and a multiplication for each pair of entries, which are read once: the time is that
/// of memory. A complex product is four real ones, each summed for itself.
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

template <class ExecSpace, class XView, class YView>
consteval void assert_dot_views() {
  static_assert(is_vector_like<XView, YView, ExecSpace>,
                "carroll::dot: x and y must be strided Views of the same rank, 1 (a vector) or 2 "
                "(a batch), over the same one of float, double and Kokkos::complex of them, in "
                "memory that the execution space can access");
}

}  // namespace detail

/// Enqueues the reduction on `exec` and returns; `info`, a View of ReductionInfo<T> that kernels
/// can write, of rank 0 for a vector and 1 for a batch, may be read by later work on the same
/// instance. Never fences, never allocates. `workspace` must have been made with the same extents,
/// and must live, unused by others, until the work is done.
template <ExecutionSpace ExecSpace, class XView, class YView, class InfoView, class T>
void dot_async(ExecSpace const& exec, XView const& x, YView const& y, InfoView const& info,
               ReductionWorkspace<ExecSpace, T>& workspace, bool conjugate = true) {
  detail::assert_dot_views<ExecSpace, XView, YView>();
  static_assert(
      detail::is_reduction_info<detail::Reduction::dot, XView, InfoView, ExecSpace>,
      "carroll::dot_async: info must be a writable View of carroll::ReductionInfo of the result's "
      "type, of rank 0 for a vector and 1 for a batch, in memory that the execution space can "
      "access");
  detail::reduce_async<detail::Reduction::dot>("carroll::dot_async", exec, x, y, info, workspace,
                                               conjugate);
}

/// The same with the info on the host, without an allocation: waits for the work of `exec` up to
/// the result, with one fence; for a vector alone on CUDA only where that takes longer than
/// some 50 µs. Returns ReductionInfo for a vector; for a batch a span of them, valid until the
/// workspace is used again.
template <ExecutionSpace ExecSpace, class XView, class YView, class T>
[[nodiscard]] auto dot(ExecSpace const& exec, XView const& x, YView const& y,
                       ReductionWorkspace<ExecSpace, T>& workspace, bool conjugate = true) {
  detail::assert_dot_views<ExecSpace, XView, YView>();
  return detail::reduce<detail::Reduction::dot>("carroll::dot", exec, x, y, workspace, conjugate);
}

/// The same without a workspace: allocates one and frees it, for which Kokkos waits for the whole
/// device on CUDA. A vector alone of up to 2^15 entries on a host takes neither that nor a fence.
/// Returns ReductionInfo for a vector; for a batch a std::vector of them.
template <ExecutionSpace ExecSpace, class XView, class YView>
[[nodiscard]] auto dot(ExecSpace const& exec, XView const& x, YView const& y,
                       DotOptions const& options = {}) {
  detail::assert_dot_views<ExecSpace, XView, YView>();
  return detail::reduce<detail::Reduction::dot>("carroll::dot", exec, x, y, {options.summation},
                                                options.conjugate);
}

}  // namespace carroll
