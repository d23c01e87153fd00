// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/arrow_jacobian.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/pseudoinverse/view_checks.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <carroll/mesh_jacobian/workspace.hpp>
#include <concepts>
#include <string>
#include <type_traits>

/// From the caller's Views to a checked MeshBatch.
namespace carroll::detail {

template <class T>
inline constexpr bool is_mesh_row = false;
template <class Real, int K>
inline constexpr bool is_mesh_row<MeshRow<Real, K>> = true;

/// An object that supplies rows: rows(frame, triangle)(row) is a MeshRow.
template <class Rows>
concept MeshRowFunctor = requires(Rows const& rows) {
  requires is_mesh_row<std::remove_cvref_t<decltype(rows(0, 0)(0))>>;
};

/// A View with one number per problem, or none.
template <class View, class ExecSpace, class Value>
inline constexpr bool is_control = is_absent<View> ||
                                   (is_view_of<View, ExecSpace, Value> && rank_of<View>() <= 1);

template <class ExecSpace, class OffsetView, class ActiveView>
consteval void assert_mesh_offsets() {
  static_assert(is_view_of<OffsetView, ExecSpace, int> &&
                    (rank_of<OffsetView>() == 1 || rank_of<OffsetView>() == 2),
                "carroll::mesh_jacobian: triangle_offsets must be a strided View of int, of rank 1 "
                "or, with a row per frame, 2, in memory that the execution space can access");
  static_assert(is_control<ActiveView, ExecSpace, int>,
                "carroll::mesh_jacobian: active must be carroll::none or a strided View of int, of "
                "rank 0 or 1");
}

template <class ExecSpace, class Real, class Solution, class InfoView, class Controls>
consteval void assert_mesh_step() {
  static_assert(is_arrow_solution<Solution>,
                "carroll::mesh_jacobian: x must be a carroll::ArrowSolution");
  using Y = decltype(Solution::motion);
  using Xi = decltype(Solution::depth);
  using C = decltype(Solution::motion_covariance);
  static_assert(is_output_of<Y, ExecSpace, Real> && is_output_of<Xi, ExecSpace, Real> &&
                    rank_of<Y>() == rank_of<Xi>() && (rank_of<Y>() == 1 || rank_of<Y>() == 2),
                "carroll::mesh_jacobian: x.motion and x.depth must be writable strided Views of "
                "the workspace's scalar type, of rank 1 (one problem) or 2 (a batch)");
  static_assert(
      is_absent<C> || (is_output_of<C, ExecSpace, Real> && rank_of<C>() == rank_of<Y>() + 1),
      "carroll::mesh_jacobian: x.motion_covariance must be carroll::none or a writable "
      "strided View of the workspace's scalar type, of one rank more than x.motion");
  static_assert(is_absent<decltype(Solution::depth_variances)>,
                "carroll::mesh_jacobian: depth variances are not to be had from conjugate "
                "gradients; x.depth_variances must be carroll::none");
  static_assert(is_absent<InfoView> ||
                    (Kokkos::is_view_v<InfoView> && rank_of<InfoView>() == rank_of<Y>() - 1),
                "carroll::mesh_jacobian: info must be a View of carroll::MeshInfo, of one rank "
                "less than x.motion");
  using P = decltype(Controls::prior);
  static_assert(is_control<decltype(Controls::damping), ExecSpace, double>,
                "carroll::mesh_jacobian: controls.damping must be carroll::none or a strided View "
                "of double, of rank 0 or 1");
  static_assert(is_absent<P> || (is_view_of<P, ExecSpace, Real> && rank_of<P>() == rank_of<Y>()),
                "carroll::mesh_jacobian: controls.prior must be carroll::none or a strided View of "
                "the workspace's scalar type, of x.depth's rank");
  static_assert(is_control<decltype(Controls::active), ExecSpace, int>,
                "carroll::mesh_jacobian: controls.active must be carroll::none or a strided View "
                "of int, of rank 0 or 1");
}

/// A View of one number per problem.
template <class View>
auto bind_control(char const* function, char const* name, View const& view, long long problems) {
  typename View::const_type const read_only = view;
  StridedBatch<typename View::const_type::value_type> batch;
  batch.data = read_only.data();
  batch.extents = {1, 1, 1};
  if constexpr (int(View::rank) == 1) {
    require_extents(function, name, {static_cast<long long>(view.extent(0))}, {problems});
    batch.extents[0] = static_cast<std::int64_t>(problems);
    batch.strides[0] = static_cast<std::ptrdiff_t>(view.stride(0));
  } else {
    require(problems == 1, function, [&] {
      return std::string(name) + " is one number, must be " + std::to_string(problems) +
             ", one per problem";
    });
  }
  return batch;
}

template <class Real, class OffsetView, class ActiveView>
void bind_mesh_offsets(char const* function, MeshBatch<Real>& batch, OffsetView const& offsets,
                       ActiveView const& active) {
  long long const frames = static_cast<long long>(batch.problems) * batch.frames;
  typename OffsetView::const_type const read_only = offsets;
  if constexpr (int(OffsetView::rank) == 2)
    batch.offsets = bind_arrow_view(function, "triangle_offsets", read_only, true,
                                    {frames, batch.triangles + 1LL});
  else
    batch.offsets =
        bind_arrow_view(function, "triangle_offsets", read_only, false, {batch.triangles + 1LL});
  if constexpr (!is_absent<ActiveView>)
    batch.active = bind_control(function, "active", active, batch.problems);
}

template <class Real, class Solution, class Controls>
void bind_mesh_step(char const* function, MeshBatch<Real>& batch, Solution const& x,
                    Controls const& controls) {
  constexpr bool batched = rank_of<decltype(x.motion)>() == 2;
  long long const p = batch.problems, K = batch.motions(), m = batch.m;
  require(batched || p == 1, function, [&] {
    return "the workspace is for " + std::to_string(p) +
           " problems, x must have the problem as first index";
  });
  auto const vector = [&](char const* name, auto const& view, long long length) {
    if constexpr (batched)
      return bind_arrow_view(function, name, view, true, {p, length});
    else
      return bind_arrow_view(function, name, view, false, {length});
  };
  batch.y = vector("x.motion", x.motion, K);
  batch.xi = vector("x.depth", x.depth, m);
  require_distinct(function, "x.motion", batch.y, "x.depth", batch.xi);
  if constexpr (!is_absent<decltype(x.motion_covariance)>) {
    if constexpr (batched)
      batch.covariance =
          bind_arrow_view(function, "x.motion_covariance", x.motion_covariance, true, {p, K, K});
    else
      batch.covariance =
          bind_arrow_view(function, "x.motion_covariance", x.motion_covariance, false, {K, K});
    require_distinct(function, "x.motion_covariance", batch.covariance, "x.motion", batch.y);
    require_distinct(function, "x.motion_covariance", batch.covariance, "x.depth", batch.xi);
  }
  if constexpr (!is_absent<decltype(controls.damping)>)
    batch.damping = bind_control(function, "controls.damping", controls.damping, p);
  if constexpr (!is_absent<decltype(controls.active)>)
    batch.active = bind_control(function, "controls.active", controls.active, p);
  if constexpr (!is_absent<decltype(controls.prior)>) {
    typename decltype(controls.prior)::const_type const prior = controls.prior;
    batch.prior = vector("controls.prior", prior, m);
    require_distinct(function, "x.motion", batch.y, "controls.prior", batch.prior);
    require_distinct(function, "x.depth", batch.xi, "controls.prior", batch.prior);
  }
}

template <class Real, class InfoView>
void bind_mesh_info(char const* function, MeshBatch<Real>& batch, InfoView const& info) {
  if constexpr (int(InfoView::rank) == 1) {
    require_extents(function, "info", {static_cast<long long>(info.extent(0))}, {batch.problems});
    batch.info_stride = static_cast<std::ptrdiff_t>(info.stride(0));
  }
  batch.infos = info.data();
}

}  // namespace carroll::detail
