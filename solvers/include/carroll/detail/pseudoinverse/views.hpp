// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/arrow_jacobian.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/pseudoinverse/view_checks.hpp>
#include <carroll/pseudoinverse/workspace.hpp>
#include <concepts>
#include <string>
#include <type_traits>

/// From the caller's Views to a checked ArrowBatch.
namespace carroll::detail {

template <class ExecSpace, class Arrow>
consteval void assert_arrow_jacobian() {
  static_assert(is_arrow_jacobian<Arrow>,
                "carroll::pseudoinverse: A must be a carroll::ArrowJacobian");
  using Motion = decltype(Arrow::motion);
  using Depth = decltype(Arrow::depth);
  using Offsets = decltype(Arrow::segment_offsets);
  using Rows = decltype(Arrow::rows);
  using Damping = decltype(Arrow::damping);
  using Real = typename Arrow::value_type;
  constexpr int rank = rank_of<Motion>();
  static_assert(RealScalar<Real> && is_view_of<Motion, ExecSpace, Real> && (rank == 2 || rank == 3),
                "carroll::pseudoinverse: A.motion must be a strided View of float or double, of "
                "rank 2 (one frame) or 3 (a batch), in memory that the execution space can access");
  static_assert(is_view_of<Depth, ExecSpace, Real> && rank_of<Depth>() == rank - 1,
                "carroll::pseudoinverse: A.depth must be a strided View of A.motion's scalar type, "
                "of one rank less");
  static_assert(
      is_view_of<Offsets, ExecSpace, int> &&
          (rank_of<Offsets>() == 1 || rank_of<Offsets>() == rank - 1),
      "carroll::pseudoinverse: A.segment_offsets must be a strided View of int, of rank 1 or, in a "
      "batch, 2");
  static_assert(is_absent<Rows> || (is_view_of<Rows, ExecSpace, int> &&
                                    (rank_of<Rows>() == 1 || rank_of<Rows>() == rank - 1)),
                "carroll::pseudoinverse: A.rows must be carroll::none or a strided View of int, of "
                "rank 1 or, in a batch, 2");
  static_assert(is_absent<Damping> || (is_view_of<Damping, ExecSpace, Real> &&
                                       (rank_of<Damping>() == 1 || rank_of<Damping>() == rank - 1)),
                "carroll::pseudoinverse: A.damping must be carroll::none or a strided View of "
                "A.motion's scalar type, of rank 1 or, in a batch, 2");
}

template <class ExecSpace, class Arrow, class RhsView, class Solution>
consteval void assert_arrow_step() {
  assert_arrow_jacobian<ExecSpace, Arrow>();
  static_assert(is_arrow_solution<Solution>,
                "carroll::apply_pseudoinverse: x must be a carroll::ArrowSolution");
  using Real = typename Arrow::value_type;
  using Y = decltype(Solution::motion);
  using Xi = decltype(Solution::depth);
  using C = decltype(Solution::motion_covariance);
  using V = decltype(Solution::depth_variances);
  constexpr int rank = rank_of<decltype(Arrow::motion)>();
  constexpr int rhs = rank_of<RhsView>();
  static_assert(is_view_of<RhsView, ExecSpace, Real> && (rhs == rank - 1 || rhs == rank),
                "carroll::apply_pseudoinverse: d must be a strided View of A.motion's scalar type, "
                "of one rank less (one right-hand side) or of the same (several)");
  static_assert(is_output_of<Y, ExecSpace, Real> && rank_of<Y>() == rhs &&
                    is_output_of<Xi, ExecSpace, Real> && rank_of<Xi>() == rhs,
                "carroll::apply_pseudoinverse: x.motion and x.depth must be writable strided Views "
                "of A.motion's scalar type, of d's rank");
  static_assert(is_absent<C> || (is_output_of<C, ExecSpace, Real> && rank_of<C>() == rank),
                "carroll::apply_pseudoinverse: x.motion_covariance must be carroll::none or a "
                "writable strided View of A.motion's scalar type and rank");
  static_assert(is_absent<V> || (is_output_of<V, ExecSpace, Real> && rank_of<V>() == rank - 1),
                "carroll::apply_pseudoinverse: x.depth_variances must be carroll::none or a "
                "writable strided View of A.motion's scalar type, of one rank less");
  static_assert((is_absent<C> && is_absent<V>) || rhs == rank - 1,
                "carroll::apply_pseudoinverse: variances are for one right-hand side");
}

/// `Rank` of the infos: of frames, in a batch, and of right-hand sides, where d has several.
template <class ExecSpace, class InfoView, class Real, int Rank>
consteval void assert_pseudoinverse_info() {
  static_assert(Kokkos::is_view_v<InfoView>,
                "carroll::apply_pseudoinverse_async: info must be a View of "
                "carroll::PseudoinverseInfo");
  static_assert(
      int(InfoView::rank) == Rank &&
          std::same_as<typename InfoView::value_type, PseudoinverseInfo<Real>> &&
          bool(Kokkos::SpaceAccessibility<ExecSpace, typename InfoView::memory_space>::accessible),
      "carroll::apply_pseudoinverse_async: info must be a writable View of "
      "carroll::PseudoinverseInfo of A's scalar type, with one index for the frame in batches and "
      "one for several right-hand sides, in memory that the execution space can access");
}

/// Extents of the problem behind A and `right_hand_sides`.
template <class Arrow>
PseudoinverseExtents arrow_extents(char const* function, Arrow const& A,
                                   std::int64_t right_hand_sides) {
  constexpr int rank = rank_of<decltype(Arrow::motion)>();
  constexpr int offsets_rank = rank_of<decltype(Arrow::segment_offsets)>();
  auto const offsets = static_cast<std::int64_t>(A.segment_offsets.extent(offsets_rank - 1));
  require(offsets >= 1, function, [] {
    return std::string(
        "A.segment_offsets is empty, must have one entry more than there are depths");
  });
  return {rank == 3 ? static_cast<std::int64_t>(A.motion.extent(0)) : 1,
          static_cast<std::int64_t>(A.motion.extent(rank - 2)),
          static_cast<std::int64_t>(A.motion.extent(rank - 1)), offsets - 1, right_hand_sides};
}

/// The caller's A into a batch, checked against the workspace.
template <class ExecSpace, class Real, class Arrow>
ArrowBatch<Real> bind_arrow_jacobian(char const* function,
                                     PseudoinverseWorkspace<ExecSpace, Real> const& workspace,
                                     Arrow const& A, std::int64_t right_hand_sides) {
  static_assert(std::same_as<typename Arrow::value_type, Real>,
                "carroll::pseudoinverse: the workspace must have the scalar type of A");
  auto const actual = arrow_extents(function, A, right_hand_sides);
  auto const& made = workspace.extents();
  auto const text = [](PseudoinverseExtents const& e) {
    return extents_text({e.frames, e.rows, e.motions, e.depths, e.right_hand_sides});
  };
  require(actual.frames == made.frames && actual.rows == made.rows &&
              actual.motions == made.motions && actual.depths == made.depths &&
              actual.right_hand_sides == made.right_hand_sides,
          function, [&] {
            return "the problem is " + text(actual) + ", the workspace was made for " + text(made) +
                   " (frames×rows×motions×depths×right-hand sides)";
          });
  constexpr bool batched = rank_of<decltype(Arrow::motion)>() == 3;
  long long const f = made.frames, n = made.rows, k = made.motions, m = made.depths;
  ArrowBatch<Real> batch = PseudoinverseAccess<ExecSpace, Real>::batch(workspace);
  typename decltype(Arrow::motion)::const_type const motion = A.motion;
  batch.motion = strided_batch(motion);
  auto const vector = [&](char const* name, auto const& view, long long length) {
    typename std::remove_cvref_t<decltype(view)>::const_type const read_only = view;
    if constexpr (batched && int(std::remove_cvref_t<decltype(view)>::rank) == 2)
      return bind_arrow_view(function, name, read_only, true, {f, length});
    else
      return bind_arrow_view(function, name, read_only, false, {length});
  };
  batch.depth = vector("A.depth", A.depth, n);
  batch.offsets = vector("A.segment_offsets", A.segment_offsets, m + 1);
  if constexpr (!is_absent<decltype(A.rows)>) batch.rows = vector("A.rows", A.rows, n);
  if constexpr (!is_absent<decltype(A.damping)>)
    batch.damping = vector("A.damping", A.damping, k + m);
  return batch;
}

template <class Real, class Out>
void require_distinct_from_inputs(char const* function, char const* name, Out const& out,
                                  ArrowBatch<Real> const& batch) {
  require_distinct(function, name, out, "A.motion", batch.motion);
  require_distinct(function, name, out, "A.depth", batch.depth);
  require_distinct(function, name, out, "A.segment_offsets", batch.offsets);
  require_distinct(function, name, out, "A.rows", batch.rows);
  require_distinct(function, name, out, "A.damping", batch.damping);
  require_distinct(function, name, out, "d", batch.rhs);
}

/// x into a batch, `Several`: of several right-hand sides.
template <class Real, bool Batched, bool Several, class Solution>
void bind_arrow_solution(char const* function, ArrowBatch<Real>& batch, Solution const& x) {
  long long const f = batch.frames, k = batch.k, m = batch.m;
  long long const r = batch.right_hand_sides;
  auto const columns = [&](char const* name, auto const& view, long long length) {
    if constexpr (Batched && Several)
      return bind_arrow_view(function, name, view, true, {f, length, r});
    else if constexpr (Batched)
      return bind_arrow_view(function, name, view, true, {f, length});
    else if constexpr (Several)
      return bind_arrow_view(function, name, view, false, {length, r});
    else
      return bind_arrow_view(function, name, view, false, {length});
  };
  batch.y = columns("x.motion", x.motion, k);
  batch.xi = columns("x.depth", x.depth, m);
  require_distinct_from_inputs(function, "x.motion", batch.y, batch);
  require_distinct_from_inputs(function, "x.depth", batch.xi, batch);
  require_distinct(function, "x.motion", batch.y, "x.depth", batch.xi);
  if constexpr (!is_absent<decltype(x.motion_covariance)>) {
    if constexpr (Batched)
      batch.covariance =
          bind_arrow_view(function, "x.motion_covariance", x.motion_covariance, true, {f, k, k});
    else
      batch.covariance =
          bind_arrow_view(function, "x.motion_covariance", x.motion_covariance, false, {k, k});
    require_distinct_from_inputs(function, "x.motion_covariance", batch.covariance, batch);
    require_distinct(function, "x.motion_covariance", batch.covariance, "x.motion", batch.y);
    require_distinct(function, "x.motion_covariance", batch.covariance, "x.depth", batch.xi);
  }
  if constexpr (!is_absent<decltype(x.depth_variances)>) {
    if constexpr (Batched)
      batch.variances =
          bind_arrow_view(function, "x.depth_variances", x.depth_variances, true, {f, m});
    else
      batch.variances =
          bind_arrow_view(function, "x.depth_variances", x.depth_variances, false, {m});
    require_distinct_from_inputs(function, "x.depth_variances", batch.variances, batch);
    require_distinct(function, "x.depth_variances", batch.variances, "x.motion", batch.y);
    require_distinct(function, "x.depth_variances", batch.variances, "x.depth", batch.xi);
    require_distinct(function, "x.depth_variances", batch.variances, "x.motion_covariance",
                     batch.covariance);
  }
}

/// d and x into a batch.
template <class Real, bool Batched, class RhsView, class Solution>
void bind_arrow_step(char const* function, ArrowBatch<Real>& batch, RhsView const& d,
                     Solution const& x) {
  constexpr bool several = int(RhsView::rank) == (Batched ? 3 : 2);
  long long const f = batch.frames, n = batch.n, r = batch.right_hand_sides;
  typename RhsView::const_type const rhs = d;
  if constexpr (Batched && several)
    batch.rhs = bind_arrow_view(function, "d", rhs, true, {f, n, r});
  else if constexpr (Batched)
    batch.rhs = bind_arrow_view(function, "d", rhs, true, {f, n});
  else if constexpr (several)
    batch.rhs = bind_arrow_view(function, "d", rhs, false, {n, r});
  else
    batch.rhs = bind_arrow_view(function, "d", rhs, false, {n});
  bind_arrow_solution<Real, Batched, several>(function, batch, x);
}

/// The caller's infos into a batch.
template <bool Batched, class Real, class InfoView>
void bind_pseudoinverse_info(char const* function, ArrowBatch<Real>& batch, InfoView const& info) {
  constexpr int rank = int(InfoView::rank);
  long long const f = batch.frames, r = batch.right_hand_sides;
  if constexpr (rank == 2)
    require_extents(
        function, "info",
        {static_cast<long long>(info.extent(0)), static_cast<long long>(info.extent(1))}, {f, r});
  else if constexpr (rank == 1)
    require_extents(function, "info", {static_cast<long long>(info.extent(0))}, {Batched ? f : r});
  batch.infos = info.data();
  if constexpr (rank > 0 && Batched)
    batch.info_strides[0] = static_cast<std::ptrdiff_t>(info.stride(0));
  if constexpr (rank > 0 && !(Batched && rank == 1))
    batch.info_strides[1] = static_cast<std::ptrdiff_t>(info.stride(rank - 1));
}

}  // namespace carroll::detail
