// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/assert_views.hpp>
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
template <class View, class ExecSpace, int Rank, class Value>
inline constexpr bool is_vectors = is_optional_output<View, ExecSpace, Rank, Value>;

template <class ExecSpace, class AView, class UView, class SView, class VView>
consteval void assert_svd_views() {
  CARROLL_ASSERT_MATRICES("carroll::svd", AView, ExecSpace);
  using Real = typename AView::non_const_value_type;
  constexpr int rank = int(AView::rank);
  static_assert(
      WritableView<SView, ExecSpace, rank - 1>,
      "carroll::svd: S must be a writable strided View of one rank less than A, in memory "
      "that the execution space can access");
  static_assert(std::same_as<typename SView::value_type, Real>,
                "carroll::svd: S must have the scalar type of A");
  CARROLL_ASSERT_OPTIONAL_OUTPUT("carroll::svd", "U", UView, ExecSpace, Real, rank);
  CARROLL_ASSERT_OPTIONAL_OUTPUT("carroll::svd", "V", VView, ExecSpace, Real, rank);
}

template <class ExecSpace, class AView, class UView, class SView, class VView>
consteval void assert_ragged_views() {
  CARROLL_ASSERT_PACKED_MATRICES("carroll::svd_ragged", AView, ExecSpace);
  using Real = typename AView::non_const_value_type;
  CARROLL_ASSERT_PACKED_OUTPUT("carroll::svd_ragged", "S", SView, ExecSpace, Real);
  CARROLL_ASSERT_OPTIONAL_PACKED_OUTPUT("carroll::svd_ragged", "U", UView, ExecSpace, Real);
  CARROLL_ASSERT_OPTIONAL_PACKED_OUTPUT("carroll::svd_ragged", "V", VView, ExecSpace, Real);
}

template <class ExecSpace, class InfoView, class Real, int Rank>
consteval void assert_svd_info() {
  CARROLL_ASSERT_INFO_OF_REAL("carroll::svd_async", InfoView, ExecSpace, SvdInfo, Real, Rank,
                              "matrix");
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
void require_wanted(char const* function, char const* name, SvdVectors made_for) {
  require_made_for<View>(function, name, made_for != SvdVectors::none);
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
  CARROLL_ASSERT_WORKSPACE("carroll::svd", AView, Real);
  require_uniform(function, workspace);
  return AccessTo<SvdWorkspace<ExecSpace, Real>>::batch(
      workspace, bind_views(function, workspace.extents(), A, U, S, V));
}

template <class ExecSpace, class Real, class AView, class UView, class SView, class VView>
SvdBatch<Real> bind_packed(char const* function, SvdWorkspace<ExecSpace, Real> const& workspace,
                           AView const& A, UView const& U, SView const& S, VView const& V) {
  CARROLL_ASSERT_WORKSPACE("carroll::svd_ragged", AView, Real);
  using Access = AccessTo<SvdWorkspace<ExecSpace, Real>>;
  require_ragged(function, workspace);
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
