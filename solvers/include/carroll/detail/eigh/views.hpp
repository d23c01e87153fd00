// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/assert_field_views.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/eigh/workspace.hpp>
#include <carroll/error.hpp>
#include <concepts>
#include <string>

/// From the caller's Views to a checked EighBatch.
namespace carroll::detail {

template <class ExecSpace, class AView, class WView, class VView>
consteval void assert_eigh_views() {
  CARROLL_ASSERT_FIELD_MATRICES("carroll::eigh", AView, ExecSpace);
  using Value = typename AView::non_const_value_type;
  constexpr int rank = int(AView::rank);
  static_assert(WritableView<WView, ExecSpace, rank - 1>,
                "carroll::eigh: W must be a writable strided View of one rank less than A, in "
                "memory that the execution space can access");
  static_assert(
      std::same_as<typename WView::value_type, RealOf<Value>>,
      "carroll::eigh: W must have the scalar type of A, or that of the parts of a complex "
      "A");
  CARROLL_ASSERT_OPTIONAL_OUTPUT("carroll::eigh", "V", VView, ExecSpace, Value, rank);
}

template <class ExecSpace, class AView, class WView, class VView>
consteval void assert_ragged_eigh_views() {
  CARROLL_ASSERT_PACKED_FIELD_MATRICES("carroll::eigh_ragged", AView, ExecSpace);
  using Value = typename AView::non_const_value_type;
  static_assert(is_output_of<WView, ExecSpace, RealOf<Value>> && rank_of<WView>() == 1,
                "carroll::eigh_ragged: W must be a writable View of rank 1 of A's scalar type, or "
                "that of the parts of a complex A, in memory that the execution space can access");
  CARROLL_ASSERT_OPTIONAL_PACKED_OUTPUT("carroll::eigh_ragged", "V", VView, ExecSpace, Value);
}

template <class ExecSpace, class InfoView, class Real, int Rank>
consteval void assert_eigh_info() {
  CARROLL_ASSERT_INFO_OF_REAL("carroll::eigh_async", InfoView, ExecSpace, EighInfo, Real, Rank,
                              "matrix");
}

template <class VView, class AView>
EighExtents eigh_extents(char const* function, AView const& A) {
  auto const [members, rows, cols] = strided_batch(A).extents;
  require(rows == cols, function,
          [&] { return "A is " + view_extents_text(A) + ", must have as many rows as columns"; });
  return {members, rows, !is_absent<VView>};
}

/// The caller's Views, checked against extents and against each other.
template <class AView, class WView, class VView>
auto bind_eigh_views(char const* function, EighExtents const& extents, AView const& A,
                     WView const& W, VView const& V) {
  auto const& [members, n, vectors] = extents;
  require_made_for<VView>(function, "V", vectors);
  EighViews<typename AView::non_const_value_type> views;
  Binder bind(function);
  bind.input(views.a, "A", A, {members, n, n});
  bind.output(views.w, "W", W, {members, n});
  bind.output(views.v, "V", V, {members, n, n});
  return views;
}

template <class ExecSpace, class Value, class AView, class WView, class VView>
EighBatch<Value> bind_eigh_views(char const* function,
                                 EighWorkspace<ExecSpace, Value> const& workspace, AView const& A,
                                 WView const& W, VView const& V) {
  CARROLL_ASSERT_WORKSPACE("carroll::eigh", AView, Value);
  require_uniform(function, workspace);
  return AccessTo<EighWorkspace<ExecSpace, Value>>::batch(
      workspace, bind_eigh_views(function, workspace.extents(), A, W, V));
}

template <class ExecSpace, class Value, class AView, class WView, class VView>
EighBatch<Value> bind_packed_eigh(char const* function,
                                  EighWorkspace<ExecSpace, Value> const& workspace, AView const& A,
                                  WView const& W, VView const& V) {
  CARROLL_ASSERT_WORKSPACE("carroll::eigh_ragged", AView, Value);
  using Access = AccessTo<EighWorkspace<ExecSpace, Value>>;
  require_ragged(function, workspace);
  require_made_for<VView>(function, "V", workspace.extents().vectors);
  auto const& sizes = Access::packed_sizes(workspace);
  EighViews<Value> views;
  Binder bind(function);
  bind.packed_input(views.a, "A", A, sizes[0]);
  bind.packed_output(views.w, "W", W, sizes[1]);
  bind.packed_output(views.v, "V", V, sizes[2]);
  return Access::batch(workspace, views);
}

}  // namespace carroll::detail
