// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/arrow_jacobian.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/assert_views.hpp>
#include <carroll/detail/bind.hpp>
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
  constexpr int rank = rank_of<decltype(Solution::motion)>();
  static_assert((rank == 1 || rank == 2) && is_step_of<Solution, ExecSpace, Real, rank>,
                "carroll::mesh_jacobian: x.motion and x.depth must be writable strided Views of "
                "the workspace's scalar type, of rank 1 (one problem) or 2 (a batch)");
  static_assert(
      is_optional_output<decltype(Solution::motion_covariance), ExecSpace, rank + 1, Real>,
      "carroll::mesh_jacobian: x.motion_covariance must be carroll::none or a writable "
      "strided View of the workspace's scalar type, of one rank more than x.motion");
  static_assert(is_absent<decltype(Solution::depth_variances)>,
                "carroll::mesh_jacobian: depth variances are not to be had from conjugate "
                "gradients; x.depth_variances must be carroll::none");
  static_assert(
      is_absent<InfoView> || (Kokkos::is_view_v<InfoView> && rank_of<InfoView>() == rank - 1),
      "carroll::mesh_jacobian: info must be a View of carroll::MeshInfo, of one rank "
      "less than x.motion");
  using P = decltype(Controls::prior);
  static_assert(is_control<decltype(Controls::damping), ExecSpace, double>,
                "carroll::mesh_jacobian: controls.damping must be carroll::none or a strided View "
                "of double, of rank 0 or 1");
  static_assert(is_absent<P> || (is_view_of<P, ExecSpace, Real> && rank_of<P>() == rank),
                "carroll::mesh_jacobian: controls.prior must be carroll::none or a strided View of "
                "the workspace's scalar type, of x.depth's rank");
  static_assert(is_control<decltype(Controls::active), ExecSpace, int>,
                "carroll::mesh_jacobian: controls.active must be carroll::none or a strided View "
                "of int, of rank 0 or 1");
}

template <class Real, class OffsetView, class ActiveView>
void bind_mesh_offsets(char const* function, MeshBatch<Real>& batch, OffsetView const& offsets,
                       ActiveView const& active) {
  std::int64_t const p = batch.problems, frames = p * batch.frames;
  Binder bind(function);
  bind.shared_input(batch.offsets, "triangle_offsets", offsets,
                    {frames, std::int64_t{batch.triangles} + 1});
  bind.input(batch.active, "active", active, {p});
}

template <class Real, class Solution, class Controls>
void bind_mesh_step(Binder& bind, MeshBatch<Real>& batch, Solution const& x,
                    Controls const& controls) {
  constexpr bool batched = rank_of<decltype(x.motion)>() == 2;
  std::int64_t const p = batch.problems, K = batch.motions(), m = batch.m;
  require(batched || p == 1, bind.function(), [&] {
    return "the workspace is for " + std::to_string(p) +
           " problems, x must have the problem as first index";
  });
  bind.output(batch.y, "x.motion", x.motion, {p, K});
  bind.output(batch.xi, "x.depth", x.depth, {p, m});
  bind.output(batch.covariance, "x.motion_covariance", x.motion_covariance, {p, K, K});
  bind.input(batch.damping, "controls.damping", controls.damping, {p});
  bind.input(batch.active, "controls.active", controls.active, {p});
  bind.input(batch.prior, "controls.prior", controls.prior, {p, m});
}

template <class Real, class InfoView>
void bind_mesh_info(char const* function, MeshBatch<Real>& batch, InfoView const& info) {
  auto const infos = Binder(function).infos(info, {std::int64_t{batch.problems}});
  batch.infos = infos.data;
  batch.info_stride = infos.strides[0];
}

}  // namespace carroll::detail
