// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/eigh/workspace.hpp>
#include <carroll/error.hpp>
#include <concepts>
#include <string>

/// From the caller's Views to a checked EighBatch.
namespace carroll::detail {

/// carroll::none, or a View for eigenvectors.
template <class View, class ExecSpace, int Rank, class Real>
inline constexpr bool is_eigenvectors = is_absent<View> || (is_output_of<View, ExecSpace, Real> &&
                                                            rank_of<View>() == Rank);

template <class ExecSpace, class AView, class WView, class VView>
consteval void assert_eigh_views() {
  static_assert(ReadableView<AView, ExecSpace, 2> || ReadableView<AView, ExecSpace, 3>,
                "carroll::eigh: A must be a strided View of float or double, of rank 2 (one "
                "matrix) or 3 (a batch), in memory that the execution space can access");
  using Real = typename AView::non_const_value_type;
  constexpr int rank = int(AView::rank);
  static_assert(WritableView<WView, ExecSpace, rank - 1>,
                "carroll::eigh: W must be a writable strided View of one rank less than A, in "
                "memory that the execution space can access");
  static_assert(std::same_as<typename WView::value_type, Real>,
                "carroll::eigh: W must have the scalar type of A");
  static_assert(is_eigenvectors<VView, ExecSpace, rank, Real>,
                "carroll::eigh: V must be carroll::none or a writable strided View of A's rank and "
                "scalar type, in memory that the execution space can access");
}

template <class ExecSpace, class AView, class WView, class VView>
consteval void assert_ragged_eigh_views() {
  static_assert(ReadableView<AView, ExecSpace, 1>,
                "carroll::eigh_ragged: A must be a View of rank 1 of float or double, in memory "
                "that the execution space can access");
  using Real = typename AView::non_const_value_type;
  static_assert(WritableView<WView, ExecSpace, 1> && is_output_of<WView, ExecSpace, Real>,
                "carroll::eigh_ragged: W must be a writable View of rank 1 of A's scalar type, in "
                "memory that the execution space can access");
  static_assert(is_eigenvectors<VView, ExecSpace, 1, Real>,
                "carroll::eigh_ragged: V must be carroll::none or a writable View of rank 1 of A's "
                "scalar type, in memory that the execution space can access");
}

template <class ExecSpace, class InfoView, class Real, int Rank>
consteval void assert_eigh_info() {
  static_assert(is_info_view<InfoView, ExecSpace, EighInfo<Real>, Rank>,
                "carroll::eigh_async: info must be a writable View of carroll::EighInfo of A's "
                "scalar type, of rank 0 for one matrix and 1 for a batch, in memory that the "
                "execution space can access");
}

template <class VView, class AView>
EighExtents eigh_extents(char const* function, AView const& A) {
  auto const [members, rows, cols] = strided_batch(A).extents;
  require(rows == cols, function,
          [&] { return "A is " + view_extents_text(A) + ", must have as many rows as columns"; });
  return {members, rows, !is_absent<VView>};
}

/// Is V given, and was the workspace made for it?
template <class VView>
void require_eigenvectors(char const* function, bool made_for) {
  require(is_absent<VView> != made_for, function, [] {
    return std::string(is_absent<VView> ? "V is carroll::none, but the workspace was made for it"
                                        : "V is given, but the workspace was made without it");
  });
}

/// The caller's Views, checked against extents and against each other.
template <class AView, class WView, class VView>
auto bind_eigh_views(char const* function, EighExtents const& extents, AView const& A,
                     WView const& W, VView const& V) {
  auto const& [members, n, vectors] = extents;
  require_eigenvectors<VView>(function, vectors);
  EighViews<typename AView::non_const_value_type> views;
  Binder bind(function);
  bind.input(views.a, "A", A, {members, n, n});
  bind.output(views.w, "W", W, {members, n});
  bind.output(views.v, "V", V, {members, n, n});
  return views;
}

template <class ExecSpace, class Real, class AView, class WView, class VView>
EighBatch<Real> bind_eigh_views(char const* function,
                                EighWorkspace<ExecSpace, Real> const& workspace, AView const& A,
                                WView const& W, VView const& V) {
  static_assert(std::same_as<typename AView::non_const_value_type, Real>,
                "carroll::eigh: the workspace must have the scalar type of A");
  require(!workspace.is_ragged(), function,
          [] { return std::string("the workspace was made for a ragged batch"); });
  return AccessTo<EighWorkspace<ExecSpace, Real>>::batch(
      workspace, bind_eigh_views(function, workspace.extents(), A, W, V));
}

template <class ExecSpace, class Real, class AView, class WView, class VView>
EighBatch<Real> bind_packed_eigh(char const* function,
                                 EighWorkspace<ExecSpace, Real> const& workspace, AView const& A,
                                 WView const& W, VView const& V) {
  static_assert(std::same_as<typename AView::non_const_value_type, Real>,
                "carroll::eigh_ragged: the workspace must have the scalar type of A");
  using Access = AccessTo<EighWorkspace<ExecSpace, Real>>;
  require(workspace.is_ragged(), function,
          [] { return std::string("the workspace was made for a uniform batch"); });
  require_eigenvectors<VView>(function, workspace.extents().vectors);
  auto const& sizes = Access::packed_sizes(workspace);
  EighViews<Real> views;
  Binder bind(function);
  bind.packed_input(views.a, "A", A, sizes[0]);
  bind.packed_output(views.w, "W", W, sizes[1]);
  bind.packed_output(views.v, "V", V, sizes[2]);
  return Access::batch(workspace, views);
}

}  // namespace carroll::detail
