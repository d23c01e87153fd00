// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/elementwise/launch.hpp>
#include <carroll/detail/elementwise/views.hpp>

/// Y := alpha·X + beta·Y for vectors, matrices or batches of matrices.
///
///   carroll::axpby(exec, 2.0, X, 1.0, Y);
///
/// Three flops for each real entry, two reads and a write: the time is that of memory.
///
/// Views of the same rank, 1 to 3, and extents, over one scalar type, float, double or complex
/// numbers of these. They may have any strided layout, each its own; X may be Y, entry for entry,
/// and else must not overlap it.
///
/// With beta = 0, Y is not read; with alpha = 0, X is not. Both products are rounded, then their
/// sum is: the same bits on all devices; NaN is one NaN. With alpha = 0 and beta = 1, Y stays as it
/// is. Misuse throws std::invalid_argument with the actual and the required sizes before anything
/// is written.
namespace carroll {

namespace detail {

template <class ExecSpace, class XView, class YView>
void enqueue_axpby(char const* function, ExecSpace const& exec,
                   typename YView::non_const_value_type const& alpha, XView const& X,
                   typename YView::non_const_value_type const& beta, YView const& Y) {
  static_assert(
      has_elementwise_rank<YView> &&
          is_output_of<YView, ExecSpace, typename YView::non_const_value_type> &&
          FieldScalar<typename YView::non_const_value_type>,
      "carroll::axpby: Y must be a writable strided View of rank 1, 2 or 3 over float, "
      "double or Kokkos::complex of these, in memory that the execution space can access");
  static_assert(is_elementwise_input<XView, YView, ExecSpace>,
                "carroll::axpby: X must be a strided View of Y's scalar type and rank, in memory "
                "that the execution space can access");
  using T = typename YView::non_const_value_type;
  require_elementwise(function, "X", X, "Y", Y);
  enqueue_elementwise("carroll::axpby", exec, elementwise<T>(alpha, X, beta, Y, Y));
}

}  // namespace detail

/// Enqueues the combination on `exec` and returns. Never fences, never allocates.
template <ExecutionSpace ExecSpace, class XView, class YView>
void axpby_async(ExecSpace const& exec, typename YView::non_const_value_type const& alpha,
                 XView const& X, typename YView::non_const_value_type const& beta, YView const& Y) {
  detail::enqueue_axpby("carroll::axpby_async", exec, alpha, X, beta, Y);
}

/// The same, and waits for it: no allocation, one fence of `exec`.
template <ExecutionSpace ExecSpace, class XView, class YView>
void axpby(ExecSpace const& exec, typename YView::non_const_value_type const& alpha, XView const& X,
           typename YView::non_const_value_type const& beta, YView const& Y) {
  detail::enqueue_axpby("carroll::axpby", exec, alpha, X, beta, Y);
  exec.fence("carroll::axpby");
}

}  // namespace carroll
