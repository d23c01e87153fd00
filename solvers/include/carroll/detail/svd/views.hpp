// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <carroll/svd/workspace.hpp>
#include <concepts>
#include <string>

/// From the caller's Views to a checked SvdBatch.
namespace carroll::detail {

template <class View>
inline constexpr SvdVectors default_vectors = is_absent<View> ? SvdVectors::none : SvdVectors::thin;

/// carroll::none, or a View for singular vectors.
template <class View, class ExecSpace, int Rank, class Real>
inline constexpr bool is_vectors = is_absent<View> ||
                                   (is_output_of<View, ExecSpace, Real> && rank_of<View>() == Rank);

template <class ExecSpace, class AView, class UView, class SView, class VView>
consteval void assert_svd_views() {
  static_assert(ReadableView<AView, ExecSpace, 2> || ReadableView<AView, ExecSpace, 3>,
                "carroll::svd: A must be a strided View of float or double, of rank 2 (one matrix) "
                "or 3 (a batch), in memory that the execution space can access");
  using Real = typename AView::non_const_value_type;
  constexpr int rank = int(AView::rank);
  static_assert(
      WritableView<SView, ExecSpace, rank - 1>,
      "carroll::svd: S must be a writable strided View of one rank less than A, in memory "
      "that the execution space can access");
  static_assert(std::same_as<typename SView::value_type, Real>,
                "carroll::svd: S must have the scalar type of A");
  static_assert(is_vectors<UView, ExecSpace, rank, Real>,
                "carroll::svd: U must be carroll::none or a writable strided View of A's rank and "
                "scalar type, in memory that the execution space can access");
  static_assert(is_vectors<VView, ExecSpace, rank, Real>,
                "carroll::svd: V must be carroll::none or a writable strided View of A's rank and "
                "scalar type, in memory that the execution space can access");
}

template <class ExecSpace, class AView, class UView, class SView, class VView>
consteval void assert_ragged_views() {
  static_assert(
      ReadableView<AView, ExecSpace, 1>,
      "carroll::svd_ragged: A must be a View of rank 1 of float or double, in memory that "
      "the execution space can access");
  using Real = typename AView::non_const_value_type;
  static_assert(WritableView<SView, ExecSpace, 1> && is_vectors<SView, ExecSpace, 1, Real>,
                "carroll::svd_ragged: S must be a writable View of rank 1 of A's scalar type, in "
                "memory that the execution space can access");
  static_assert(is_vectors<UView, ExecSpace, 1, Real>,
                "carroll::svd_ragged: U must be carroll::none or a writable View of rank 1 of A's "
                "scalar type, in memory that the execution space can access");
  static_assert(is_vectors<VView, ExecSpace, 1, Real>,
                "carroll::svd_ragged: V must be carroll::none or a writable View of rank 1 of A's "
                "scalar type, in memory that the execution space can access");
}

template <class ExecSpace, class InfoView, class Real, int Rank>
consteval void assert_svd_info() {
  static_assert(is_info_view<InfoView, ExecSpace, SvdInfo<Real>, Rank>,
                "carroll::svd_async: info must be a writable View of carroll::SvdInfo of A's "
                "scalar type, of rank 0 for one matrix and 1 for a batch, in memory that the "
                "execution space can access");
}

/// Thin or full, by the number of columns that the caller's View has.
template <class View>
SvdVectors wanted_vectors(char const* function, char const* argument, View const& view,
                          std::int64_t length, std::int64_t least) {
  if constexpr (is_absent<View>) {
    return SvdVectors::none;
  } else {
    auto const cols = static_cast<std::int64_t>(view.extent(int(View::rank) - 1));
    require(cols == least || cols == length, function, [&] {
      std::string const either =
          length == least ? "" : " (thin) or " + std::to_string(length) + " (full)";
      return std::string(argument) + " has " + std::to_string(cols) + " columns, must have " +
             std::to_string(least) + either;
    });
    return cols == least ? SvdVectors::thin : SvdVectors::full;
  }
}

template <class AView, class UView, class VView>
SvdExtents wanted_extents(char const* function, AView const& A, UView const& U, VView const& V) {
  auto const batch = strided_batch(A);
  auto const [members, rows, cols] = batch.extents;
  std::int64_t const least = std::min(rows, cols);
  return {members, rows, cols, wanted_vectors(function, "U", U, rows, least),
          wanted_vectors(function, "V", V, cols, least)};
}

/// Is one side given, and was the workspace made for it?
template <class View>
void require_wanted(char const* function, char const* argument, SvdVectors made_for) {
  require(is_absent<View> == (made_for == SvdVectors::none), function, [&] {
    return std::string(argument) +
           (is_absent<View> ? " is carroll::none, but the workspace was made for it"
                            : " is given, but the workspace was made without it");
  });
}

/// The caller's Views, checked against extents and against each other.
template <class AView, class UView, class SView, class VView>
auto bind_views(char const* function, SvdExtents const& extents, AView const& A, UView const& U,
                SView const& S, VView const& V) {
  auto const& [members, m, n, u, v] = extents;
  std::int64_t const least = std::min(m, n);
  require_wanted<UView>(function, "U", u);
  require_wanted<VView>(function, "V", v);
  SvdViews<typename AView::non_const_value_type> views;
  Binder bind(function);
  bind.input(views.a, "A", A, {members, m, n});
  bind.output(views.s, "S", S, {members, least});
  bind.output(views.u, "U", U, {members, m, vector_columns(u, m, least)});
  bind.output(views.v, "V", V, {members, n, vector_columns(v, n, least)});
  return views;
}

template <class ExecSpace, class Real, class AView, class UView, class SView, class VView>
SvdBatch<Real> bind_views(char const* function, SvdWorkspace<ExecSpace, Real> const& workspace,
                          AView const& A, UView const& U, SView const& S, VView const& V) {
  static_assert(std::same_as<typename AView::non_const_value_type, Real>,
                "carroll::svd: the workspace must have the scalar type of A");
  require(!workspace.is_ragged(), function,
          [] { return std::string("the workspace was made for a ragged batch"); });
  return AccessTo<SvdWorkspace<ExecSpace, Real>>::batch(
      workspace, bind_views(function, workspace.extents(), A, U, S, V));
}

template <class ExecSpace, class Real, class AView, class UView, class SView, class VView>
SvdBatch<Real> bind_packed(char const* function, SvdWorkspace<ExecSpace, Real> const& workspace,
                           AView const& A, UView const& U, SView const& S, VView const& V) {
  static_assert(std::same_as<typename AView::non_const_value_type, Real>,
                "carroll::svd_ragged: the workspace must have the scalar type of A");
  using Access = AccessTo<SvdWorkspace<ExecSpace, Real>>;
  require(workspace.is_ragged(), function,
          [] { return std::string("the workspace was made for a uniform batch"); });
  require_wanted<UView>(function, "U", workspace.extents().u);
  require_wanted<VView>(function, "V", workspace.extents().v);
  auto const& sizes = Access::packed_sizes(workspace);
  SvdViews<Real> views;
  Binder bind(function);
  bind.packed_input(views.a, "A", A, sizes[0]);
  bind.packed_output(views.s, "S", S, sizes[2]);
  bind.packed_output(views.u, "U", U, sizes[1]);
  bind.packed_output(views.v, "V", V, sizes[3]);
  return Access::batch(workspace, views);
}

}  // namespace carroll::detail
