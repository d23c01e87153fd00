// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/complex_svd/workspace.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/svd/views.hpp>
#include <concepts>
#include <cstdint>

namespace carroll {

/// A View of complex numbers, of any kind: what sends a call to the solvers for these.
template <class T>
concept ComplexView = Kokkos::is_view_v<T> && ComplexScalar<typename T::non_const_value_type>;

}  // namespace carroll

/// From the caller's complex Views to a checked ComplexSvdBatch.
namespace carroll::detail {

template <class AView>
using ComplexRealOf = RealOf<typename AView::non_const_value_type>;

template <class ExecSpace, class AView, class UView, class SView, class VView>
consteval void assert_complex_svd_views() {
  using Value = typename AView::non_const_value_type;
  constexpr int rank = int(AView::rank);
  static_assert(is_view_of<AView, ExecSpace, Value> && (rank == 2 || rank == 3),
                "carroll::svd: A must be a strided View of rank 2 (one matrix) or 3 (a batch), in "
                "memory that the execution space can access");
  static_assert(is_output_of<SView, ExecSpace, RealOf<Value>> && rank_of<SView>() == rank - 1,
                "carroll::svd: S of a complex A must be a writable strided View of real numbers of "
                "A's precision, of one rank less than A, in memory that the execution space can "
                "access");
  static_assert(
      is_vectors<UView, ExecSpace, rank, Value>,
      "carroll::svd: U of a complex A must be carroll::none or a writable strided View of "
      "A's rank and complex type, in memory that the execution space can access");
  static_assert(
      is_vectors<VView, ExecSpace, rank, Value>,
      "carroll::svd: V of a complex A must be carroll::none or a writable strided View of "
      "A's rank and complex type, in memory that the execution space can access");
}

/// The caller's Views, checked against extents and against each other.
template <class AView, class UView, class SView, class VView>
auto bind_complex_views(char const* function, SvdExtents const& extents, AView const& A,
                        UView const& U, SView const& S, VView const& V) {
  auto const& [members, m, n, u, v] = extents;
  std::int64_t const least = std::min(m, n);
  require_wanted<UView>(function, "U", u);
  require_wanted<VView>(function, "V", v);
  ComplexSvdViews<ComplexRealOf<AView>> views;
  Binder bind(function);
  bind.input(views.a, "A", A, {members, m, n});
  bind.output(views.u, "U", U, {members, m, vector_columns(u, m, least)});
  bind.output(views.s, "S", S, {members, least});
  bind.output(views.v, "V", V, {members, n, vector_columns(v, n, least)});
  return views;
}

template <class ExecSpace, class Value, class AView, class UView, class SView, class VView>
auto bind_complex_views(char const* function, SvdWorkspace<ExecSpace, Value> const& workspace,
                        AView const& A, UView const& U, SView const& S, VView const& V) {
  static_assert(std::same_as<typename AView::non_const_value_type, Value>,
                "carroll::svd: the workspace must have the scalar type of A");
  return AccessTo<SvdWorkspace<ExecSpace, Value>>::batch(
      workspace, bind_complex_views(function, workspace.extents(), A, U, S, V));
}

}  // namespace carroll::detail
