// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/assert_field_views.hpp>
#include <carroll/detail/assert_views.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <carroll/qr/workspace.hpp>
#include <concepts>
#include <cstdint>
#include <string>

/// From the caller's Views to a checked QrBatch.
namespace carroll::detail {

template <class ExecSpace, class AView, class QView, class RView, class PView>
consteval void assert_qr_views() {
  CARROLL_ASSERT_FIELD_MATRICES("carroll::qr", AView, ExecSpace);
  using Value = typename AView::non_const_value_type;
  constexpr int rank = int(AView::rank);
  CARROLL_ASSERT_OUTPUT("carroll::qr", "R", RView, ExecSpace, Value, rank);
  CARROLL_ASSERT_OPTIONAL_OUTPUT("carroll::qr", "Q", QView, ExecSpace, Value, rank);
  static_assert(is_optional_output<PView, ExecSpace, rank - 1, int>,
                "carroll::pivoted_qr: P must be a writable strided View of int of one rank less "
                "than A, in memory that the execution space can access");
}

template <class ExecSpace, class AView, class QView, class RView, class PView>
consteval void assert_ragged_qr_views() {
  static_assert(is_field_view<AView, ExecSpace, 1>,
                "carroll::qr_ragged: A must be a View of rank 1 of float, double or "
                "Kokkos::complex of these, in memory that the execution space can access");
  using Value = typename AView::non_const_value_type;
  CARROLL_ASSERT_PACKED_OUTPUT("carroll::qr_ragged", "R", RView, ExecSpace, Value);
  CARROLL_ASSERT_OPTIONAL_PACKED_OUTPUT("carroll::qr_ragged", "Q", QView, ExecSpace, Value);
  static_assert(is_optional_output<PView, ExecSpace, 1, int>,
                "carroll::pivoted_qr_ragged: P must be a writable View of rank 1 of int, in "
                "memory that the execution space can access");
}

template <class ExecSpace, class InfoView, int Rank>
consteval void assert_qr_info() {
  static_assert(is_info_view<InfoView, ExecSpace, QrInfo, Rank>,
                "carroll::qr_async: info must be a writable View of carroll::QrInfo, of rank 0 "
                "for one matrix and 1 for a batch, in memory that the execution space can access");
}

/// Of a call without a workspace: Q's columns say whether it is thin or full.
template <class PView, class AView, class QView>
QrExtents qr_extents(AView const& A, [[maybe_unused]] QView const& Q) {
  auto const [members, rows, cols] = strided_batch(A).extents;
  QrExtents extents{members, rows, cols, QrMode::r, !is_absent<PView>};
  if constexpr (!is_absent<QView>) {
    bool const full = std::int64_t(Q.extent(int(QView::rank) - 1)) == rows;
    extents.mode = full && rows > cols ? QrMode::full : QrMode::thin;
  }
  return extents;
}

/// Are Q and P given, and was the workspace made for them?
template <class QView, class PView>
void require_qr_outputs(char const* function, QrExtents const& made_for) {
  require_made_for<QView>(function, "Q", made_for.mode != QrMode::r);
  require(is_absent<PView> != made_for.pivoted, function, [] {
    return std::string(is_absent<PView> ? "the workspace was made for pivoting"
                                        : "the workspace was made without pivoting");
  });
}

/// The caller's Views, checked against extents and against each other.
template <class AView, class QView, class RView, class PView>
auto bind_qr_views(char const* function, QrExtents const& extents, AView const& A, QView const& Q,
                   RView const& R, PView const& P) {
  require_qr_outputs<QView, PView>(function, extents);
  auto const [members, m, n, mode, pivoted] = extents;
  QrViews<typename AView::non_const_value_type> views;
  Binder bind(function);
  bind.input(views.a, "A", A, {members, m, n});
  bind.output(views.q, "Q", Q, {members, m, extents.q_cols()});
  bind.output(views.r, "R", R, {members, extents.r_rows(), n});
  bind.output(views.p, "P", P, {members, n});
  return views;
}

template <class ExecSpace, class Value, class AView, class QView, class RView, class PView>
QrBatch<Value> bind_qr_views(char const* function, QrWorkspace<ExecSpace, Value> const& workspace,
                             AView const& A, QView const& Q, RView const& R, PView const& P) {
  CARROLL_ASSERT_WORKSPACE("carroll::qr", AView, Value);
  require_uniform(function, workspace);
  return AccessTo<QrWorkspace<ExecSpace, Value>>::batch(
      workspace, bind_qr_views(function, workspace.extents(), A, Q, R, P));
}

template <class ExecSpace, class Value, class AView, class QView, class RView, class PView>
QrBatch<Value> bind_packed_qr(char const* function, QrWorkspace<ExecSpace, Value> const& workspace,
                              AView const& A, QView const& Q, RView const& R, PView const& P) {
  CARROLL_ASSERT_WORKSPACE("carroll::qr_ragged", AView, Value);
  using Access = AccessTo<QrWorkspace<ExecSpace, Value>>;
  require_ragged(function, workspace);
  require_qr_outputs<QView, PView>(function, workspace.extents());
  auto const& sizes = Access::packed_sizes(workspace);
  QrViews<Value> views;
  Binder bind(function);
  bind.packed_input(views.a, "A", A, sizes[0]);
  bind.packed_output(views.q, "Q", Q, sizes[1]);
  bind.packed_output(views.r, "R", R, sizes[2]);
  bind.packed_output(views.p, "P", P, sizes[3]);
  return Access::batch(workspace, views);
}

}  // namespace carroll::detail
