// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <carroll/svd/workspace.hpp>
#include <concepts>
#include <string>
#include <type_traits>

/// From the caller's Views to a checked SvdBatch.
namespace carroll::detail {

template <class View>
inline constexpr bool is_none = std::same_as<View, None>;

template <class View>
inline constexpr SvdVectors default_vectors = is_none<View> ? SvdVectors::none : SvdVectors::thin;

template <class View, class ExecSpace, int Rank, class Real>
inline constexpr bool is_vectors = is_none<View>;
template <class View, class ExecSpace, int Rank, class Real>
requires WritableView<View, ExecSpace, Rank>
inline constexpr bool is_vectors<View, ExecSpace, Rank, Real> =
    std::same_as<typename View::value_type, Real>;

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
  static_assert(Kokkos::is_view_v<InfoView>,
                "carroll::svd_async: info must be a View of carroll::SvdInfo");
  static_assert(
      int(InfoView::rank) == Rank && std::same_as<typename InfoView::value_type, SvdInfo<Real>> &&
          bool(Kokkos::SpaceAccessibility<ExecSpace, typename InfoView::memory_space>::accessible),
      "carroll::svd_async: info must be a writable View of carroll::SvdInfo of A's scalar "
      "type, of rank 0 for one matrix and 1 for a batch, in memory that the execution "
      "space can access");
}

/// Thin or full, by the number of columns that the caller's View has.
template <class View>
SvdVectors wanted_vectors(char const* function, char const* argument, View const& view,
                          std::int64_t length, std::int64_t least) {
  if constexpr (is_none<View>) {
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

/// Extents as the caller wrote them: without the batch for one matrix.
template <class T>
void require_batch(char const* function, char const* argument, StridedBatch<T> const& actual,
                   int rank, Kokkos::Array<std::int64_t, 3> const& required, bool vectors) {
  auto const& a = actual.extents;
  if (rank == 1 && vectors)
    require_extents(function, argument, {a[1]}, {required[1]});
  else if (rank == 2)
    vectors ? require_extents(function, argument, {a[0], a[1]}, {required[0], required[1]})
            : require_extents(function, argument, {a[1], a[2]}, {required[1], required[2]});
  else
    require_extents(function, argument, {a[0], a[1], a[2]},
                    {required[0], required[1], required[2]});
}

template <class T, class U>
void require_apart(char const* function, char const* names, StridedBatch<T> const& a,
                   StridedBatch<U> const& b) {
  require(!may_alias(a, b), function,
          [&] { return std::string(names) + " overlap; each must have memory of its own"; });
}

template <class Real>
void require_all_apart(char const* function, SvdBatch<Real> const& batch) {
  require_apart(function, "A and U", batch.a, batch.u);
  require_apart(function, "A and S", batch.a, batch.s);
  require_apart(function, "A and V", batch.a, batch.v);
  require_apart(function, "U and S", batch.u, batch.s);
  require_apart(function, "U and V", batch.u, batch.v);
  require_apart(function, "S and V", batch.s, batch.v);
}

/// One side's vectors into the batch, checked.
template <class Real, class View>
void bind_vectors(char const* function, char const* argument, StridedBatch<Real>& into,
                  View const& view, SvdVectors made_for, std::int64_t members, std::int64_t length,
                  std::int64_t least) {
  if constexpr (is_none<View>) {
    require(made_for == SvdVectors::none, function, [&] {
      return std::string(argument) + " is carroll::none, but the workspace was made for it";
    });
  } else {
    require(made_for != SvdVectors::none, function, [&] {
      return std::string(argument) + " is given, but the workspace was made without it";
    });
    into = strided_batch(view);
    require_batch(function, argument, into, int(View::rank),
                  {members, length, vector_columns(made_for, length, least)}, false);
  }
}

/// The caller's Views into the batch, checked against extents and against each other.
template <class Real, class AView, class UView, class SView, class VView>
void bind_views(char const* function, SvdBatch<Real>& batch, SvdExtents const& extents,
                AView const& A, UView const& U, SView const& S, VView const& V) {
  std::int64_t const members = extents.batch;
  std::int64_t const least = std::min(extents.rows, extents.cols);
  typename AView::const_type const read_only = A;
  batch.a = strided_batch(read_only);
  require_batch(function, "A", batch.a, int(AView::rank), {members, extents.rows, extents.cols},
                false);
  require(batch.a.extents[0] == members, function, [&] {
    return "A is one matrix, the workspace was made for a batch of " + std::to_string(members);
  });
  batch.s = strided_batch(S, int(SView::rank) == 2);
  require_batch(function, "S", batch.s, int(SView::rank), {members, least, 1}, true);
  bind_vectors(function, "U", batch.u, U, extents.u, members, extents.rows, least);
  bind_vectors(function, "V", batch.v, V, extents.v, members, extents.cols, least);
  require_all_apart(function, batch);
}

template <class ExecSpace, class Real, class AView, class UView, class SView, class VView>
SvdBatch<Real> bind_views(char const* function, SvdWorkspace<ExecSpace, Real> const& workspace,
                          AView const& A, UView const& U, SView const& S, VView const& V) {
  static_assert(std::same_as<typename AView::non_const_value_type, Real>,
                "carroll::svd: the workspace must have the scalar type of A");
  require(!workspace.is_ragged(), function,
          [] { return std::string("the workspace was made for a ragged batch"); });
  auto batch = SvdAccess<ExecSpace, Real>::batch(workspace);
  bind_views(function, batch, workspace.extents(), A, U, S, V);
  return batch;
}

/// A packed View: long enough and without gaps.
template <class View>
auto bind_packed_view(char const* function, char const* argument, View const& view,
                      std::int64_t least) {
  auto const size = static_cast<std::int64_t>(view.extent(0));
  require(size >= least, function, [&] {
    return std::string(argument) + " has " + std::to_string(size) + " entries, the members need " +
           std::to_string(least);
  });
  require(size < 2 || view.stride(0) == 1, function,
          [&] { return std::string(argument) + " must be contiguous"; });
  return strided_batch(view);
}

template <class ExecSpace, class Real, class AView, class UView, class SView, class VView>
SvdBatch<Real> bind_packed(char const* function, SvdWorkspace<ExecSpace, Real> const& workspace,
                           AView const& A, UView const& U, SView const& S, VView const& V) {
  static_assert(std::same_as<typename AView::non_const_value_type, Real>,
                "carroll::svd_ragged: the workspace must have the scalar type of A");
  using Access = SvdAccess<ExecSpace, Real>;
  require(workspace.is_ragged(), function,
          [] { return std::string("the workspace was made for a uniform batch"); });
  auto const& sizes = Access::packed_sizes(workspace);
  auto batch = Access::batch(workspace);
  typename AView::const_type const read_only = A;
  batch.a = bind_packed_view(function, "A", read_only, sizes[0]);
  batch.s = bind_packed_view(function, "S", S, sizes[2]);
  auto const bind = [&](char const* argument, auto& into, auto const& view, SvdVectors wanted,
                        std::int64_t least) {
    constexpr bool absent = is_none<std::remove_cvref_t<decltype(view)>>;
    require(absent == (wanted == SvdVectors::none), function, [&] {
      return std::string(argument) + (absent ? " is carroll::none, but its vectors are wanted"
                                             : " is given, but its vectors are not wanted");
    });
    if constexpr (!absent) into = bind_packed_view(function, argument, view, least);
  };
  bind("U", batch.u, U, workspace.extents().u, sizes[1]);
  bind("V", batch.v, V, workspace.extents().v, sizes[3]);
  require_all_apart(function, batch);
  return batch;
}

template <class ExecSpace, class Real, class InfoView>
void bind_info(char const* function, SvdBatch<Real>& batch, InfoView const& info,
               SvdWorkspace<ExecSpace, Real> const& workspace) {
  if constexpr (int(InfoView::rank) == 1) {
    require_extents(function, "info", {static_cast<long long>(info.extent(0))},
                    {workspace.extents().batch});
    batch.info_stride = static_cast<std::ptrdiff_t>(info.stride(0));
  }
  batch.infos = info.data();
}

}  // namespace carroll::detail
