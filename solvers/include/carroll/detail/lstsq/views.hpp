// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/assert_field_views.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <carroll/lstsq/workspace.hpp>
#include <cstdint>
#include <string>

/// From the caller's Views to a checked LstsqBatch.
namespace carroll::detail {

/// The problem's matrices are of A's rank; of one rank less B is a vector, and so is X.
template <class AView, class BView>
inline constexpr bool has_one_rhs = rank_of<BView>() + 1 == int(AView::rank);

template <class ExecSpace, class AView, class BView, class XView>
consteval void assert_lstsq_views() {
  CARROLL_ASSERT_FIELD_MATRICES("carroll::lstsq", AView, ExecSpace);
  using Value = typename AView::non_const_value_type;
  constexpr int rank = int(AView::rank);
  static_assert(
      is_view_of<BView, ExecSpace, Value> &&
          (rank_of<BView>() == rank || rank_of<BView>() + 1 == rank),
      "carroll::lstsq: B must be a strided View of A's scalar type and of its rank, or of "
      "one less for one right-hand side each, in memory that the execution space can "
      "access");
  static_assert(
      is_output_of<XView, ExecSpace, Value> && rank_of<XView>() == rank_of<BView>(),
      "carroll::lstsq: X must be a writable strided View of B's rank and A's scalar type, "
      "in memory that the execution space can access");
}

template <class ExecSpace, class AView, class PView>
consteval void assert_pinv_views() {
  CARROLL_ASSERT_FIELD_MATRICES("carroll::pinv", AView, ExecSpace);
  CARROLL_ASSERT_OUTPUT("carroll::pinv", "P", PView, ExecSpace,
                        typename AView::non_const_value_type, int(AView::rank));
}

template <class ExecSpace, class InfoView, class Real, int Rank>
consteval void assert_lstsq_info() {
  CARROLL_ASSERT_INFO_OF_REAL("carroll::lstsq_async", InfoView, ExecSpace, LstsqInfo, Real, Rank,
                              "problem");
}

/// Of a call without a workspace. carroll::none for B: of a pseudoinverse.
template <class AView, class BView>
LstsqExtents lstsq_extents(AView const& A, [[maybe_unused]] BView const& B) {
  auto const [members, m, n] = strided_batch(A).extents;
  if constexpr (is_absent<BView>)
    return {members, m, n, m};
  else if constexpr (has_one_rhs<AView, BView>)
    return {members, m, n, 1};
  else
    return {members, m, n, static_cast<std::int64_t>(B.extent(int(BView::rank) - 1))};
}

/// The caller's Views, checked against extents and against each other.
template <class AView, class BView, class XView>
auto bind_lstsq_views(char const* function, LstsqExtents const& extents, AView const& A,
                      BView const& B, XView const& X) {
  auto const [members, m, n, p] = extents;
  LstsqViews<typename AView::non_const_value_type> views;
  Binder bind(function);
  bind.input(views.a, "A", A, {members, m, n});
  if constexpr (is_absent<BView>) {
    bind.output(views.x, "P", X, {members, n, m});
  } else if constexpr (has_one_rhs<AView, BView>) {
    bind.input(views.b, "B", B, {members, m});
    bind.output(views.x, "X", X, {members, n});
  } else {
    bind.input(views.b, "B", B, {members, m, p});
    bind.output(views.x, "X", X, {members, n, p});
  }
  return views;
}

template <class ExecSpace, class Value, class AView, class BView, class XView>
LstsqBatch<Value> bind_lstsq_views(char const* function,
                                   LstsqWorkspace<ExecSpace, Value> const& workspace,
                                   AView const& A, BView const& B, XView const& X) {
  CARROLL_ASSERT_WORKSPACE("carroll::lstsq", AView, Value);
  require(workspace.is_for_pinv() == is_absent<BView>, function, [] {
    return std::string(is_absent<BView> ? "the workspace was made by lstsq_workspace"
                                        : "the workspace was made by pinv_workspace");
  });
  if constexpr (!is_absent<BView> && has_one_rhs<AView, BView>)
    require(workspace.extents().rhs == 1, function, [&] {
      return "B is of one right-hand side, the workspace was made for " +
             std::to_string(workspace.extents().rhs);
    });
  return AccessTo<LstsqWorkspace<ExecSpace, Value>>::batch(
      workspace, bind_lstsq_views(function, workspace.extents(), A, B, X));
}

}  // namespace carroll::detail
