// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/elementwise/launch.hpp>
#include <carroll/detail/elementwise/views.hpp>

/// Z := X + Y, the sum of two vectors, matrices or batches of matrices.
///
///   carroll::add(exec, X, Y, Z);
///
/// An addition for each entry, two reads and a write: the time is that of memory.
///
/// Views of the same rank, 1 to 3, and extents, over one scalar type, float, double or complex
/// numbers of these. They may have any strided layout, each its own; Z may be X or Y, entry for
/// entry, and else must overlap neither.
///
/// The same bits on all devices; NaN is one NaN. Misuse throws std::invalid_argument with the
/// actual and the required sizes before anything is written.
namespace carroll {

namespace detail {

template <class ExecSpace, class XView, class YView, class ZView>
void enqueue_add(char const* function, ExecSpace const& exec, XView const& X, YView const& Y,
                 ZView const& Z) {
  static_assert(
      has_elementwise_rank<ZView> &&
          is_output_of<ZView, ExecSpace, typename ZView::non_const_value_type> &&
          FieldScalar<typename ZView::non_const_value_type>,
      "carroll::add: Z must be a writable strided View of rank 1, 2 or 3 over float, "
      "double or Kokkos::complex of these, in memory that the execution space can access");
  static_assert(
      is_elementwise_input<XView, ZView, ExecSpace> &&
          is_elementwise_input<YView, ZView, ExecSpace>,
      "carroll::add: X and Y must be strided Views of Z's scalar type and rank, in memory "
      "that the execution space can access");
  using T = typename ZView::non_const_value_type;
  require_elementwise(function, "X", X, "Z", Z);
  require_elementwise(function, "Y", Y, "Z", Z);
  enqueue_elementwise("carroll::add", exec, elementwise<T>(T(1), X, T(1), Y, Z));
}

}  // namespace detail

/// Enqueues the sum on `exec` and returns. Never fences, never allocates.
template <ExecutionSpace ExecSpace, class XView, class YView, class ZView>
void add_async(ExecSpace const& exec, XView const& X, YView const& Y, ZView const& Z) {
  detail::enqueue_add("carroll::add_async", exec, X, Y, Z);
}

/// The same, and waits for it: no allocation, one fence of `exec`.
template <ExecutionSpace ExecSpace, class XView, class YView, class ZView>
void add(ExecSpace const& exec, XView const& X, YView const& Y, ZView const& Z) {
  detail::enqueue_add("carroll::add", exec, X, Y, Z);
  exec.fence("carroll::add");
}

}  // namespace carroll
