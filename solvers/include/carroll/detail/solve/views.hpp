// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/assert_field_views.hpp>
#include <carroll/detail/assert_views.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <carroll/solve/workspace.hpp>
#include <string>

/// From the caller's Views to a checked SolveBatch.
namespace carroll::detail {

/// A View over Value that kernels can read, of this rank, or carroll::none.
template <class View, class ExecSpace, int Rank, class Value>
inline constexpr bool is_right_side = is_absent<View> || (is_view_of<View, ExecSpace, Value> &&
                                                          rank_of<View>() == Rank);

template <class ExecSpace, class AView, class BView, class XView>
consteval void assert_solve_views() {
  CARROLL_ASSERT_FIELD_MATRICES("carroll::solve", AView, ExecSpace);
  using Value = typename AView::non_const_value_type;
  constexpr int rank = int(AView::rank);
  static_assert(is_right_side<BView, ExecSpace, rank, Value>,
                "carroll::solve: B must be a strided View of A's rank and scalar type, in memory "
                "that the execution space can access");
  CARROLL_ASSERT_OUTPUT("carroll::solve", "X", XView, ExecSpace, Value, rank);
}

template <class ExecSpace, class InfoView, class Value, int Rank>
consteval void assert_solve_info() {
  CARROLL_ASSERT_INFO_OF_REAL("carroll::solve_async", InfoView, ExecSpace, SolveInfo, RealOf<Value>,
                              Rank, "matrix");
}

/// Of a call without a workspace.
template <class AView, class BView>
SolveExtents solve_extents(AView const& A, [[maybe_unused]] BView const& B) {
  auto const a = strided_batch(A).extents;
  SolveExtents extents{a[0], a[1], a[1], is_absent<BView>};
  if constexpr (!is_absent<BView>) extents.columns = strided_batch(B).extents[2];
  return extents;
}

/// The caller's Views, checked against extents and against each other.
template <class AView, class BView, class XView>
auto bind_solve_views(char const* function, SolveExtents const& extents, AView const& A,
                      BView const& B, XView const& X) {
  auto const [members, n, columns, inverse] = extents;
  SolveViews<typename AView::non_const_value_type> views;
  Binder bind(function);
  bind.input(views.a, "A", A, {members, n, n});
  bind.input(views.b, "B", B, {members, n, columns});
  bind.output(views.x, "X", X, {members, n, columns});
  return views;
}

template <class ExecSpace, class Value, class AView, class BView, class XView>
SolveBatch<Value> bind_solve_views(char const* function,
                                   SolveWorkspace<ExecSpace, Value> const& workspace,
                                   AView const& A, BView const& B, XView const& X) {
  CARROLL_ASSERT_WORKSPACE("carroll::solve", AView, Value);
  require(is_absent<BView> == workspace.extents().inverse, function, [] {
    return std::string(is_absent<BView> ? "the workspace was made by solve_workspace"
                                        : "the workspace was made by inverse_workspace");
  });
  return AccessTo<SolveWorkspace<ExecSpace, Value>>::batch(
      workspace, bind_solve_views(function, workspace.extents(), A, B, X));
}

}  // namespace carroll::detail
