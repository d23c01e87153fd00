// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/arrow_jacobian.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/assert_views.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
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
  constexpr int rank = rank_of<decltype(Arrow::motion)>();
  constexpr int rhs = rank_of<RhsView>();
  static_assert(is_view_of<RhsView, ExecSpace, Real> && (rhs == rank - 1 || rhs == rank),
                "carroll::apply_pseudoinverse: d must be a strided View of A.motion's scalar type, "
                "of one rank less (one right-hand side) or of the same (several)");
  static_assert(is_step_of<Solution, ExecSpace, Real, rhs>,
                "carroll::apply_pseudoinverse: x.motion and x.depth must be writable strided Views "
                "of A.motion's scalar type, of d's rank");
  static_assert(is_optional_output<decltype(Solution::motion_covariance), ExecSpace, rank, Real>,
                "carroll::apply_pseudoinverse: x.motion_covariance must be carroll::none or a "
                "writable strided View of A.motion's scalar type and rank");
  static_assert(is_optional_output<decltype(Solution::depth_variances), ExecSpace, rank - 1, Real>,
                "carroll::apply_pseudoinverse: x.depth_variances must be carroll::none or a "
                "writable strided View of A.motion's scalar type, of one rank less");
  static_assert((is_absent<decltype(Solution::motion_covariance)> &&
                 is_absent<decltype(Solution::depth_variances)>) ||
                    rhs == rank - 1,
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
ArrowBatch<Real> bind_arrow_jacobian(Binder& bind,
                                     PseudoinverseWorkspace<ExecSpace, Real> const& workspace,
                                     Arrow const& A, std::int64_t right_hand_sides) {
  static_assert(std::same_as<typename Arrow::value_type, Real>,
                "carroll::pseudoinverse: the workspace must have the scalar type of A");
  auto const actual = arrow_extents(bind.function(), A, right_hand_sides);
  auto const& made = workspace.extents();
  auto const text = [](PseudoinverseExtents const& e) {
    return extents_text({e.frames, e.rows, e.motions, e.depths, e.right_hand_sides});
  };
  require(actual.frames == made.frames && actual.rows == made.rows &&
              actual.motions == made.motions && actual.depths == made.depths &&
              actual.right_hand_sides == made.right_hand_sides,
          bind.function(), [&] {
            return "the problem is " + text(actual) + ", the workspace was made for " + text(made) +
                   " (frames×rows×motions×depths×right-hand sides)";
          });
  std::int64_t const f = made.frames, n = made.rows, k = made.motions, m = made.depths;
  ArrowBatch<Real> batch = AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::batch(workspace);
  bind.input(batch.motion, "A.motion", A.motion, {f, n, k});
  bind.input(batch.depth, "A.depth", A.depth, {f, n});
  bind.shared_input(batch.offsets, "A.segment_offsets", A.segment_offsets, {f, m + 1});
  bind.shared_input(batch.rows, "A.rows", A.rows, {f, n});
  bind.shared_input(batch.damping, "A.damping", A.damping, {f, k + m});
  return batch;
}

/// x into a batch, `Several`: of several right-hand sides.
template <bool Several, class Real, class Solution>
void bind_arrow_solution(Binder& bind, ArrowBatch<Real>& batch, Solution const& x) {
  std::int64_t const f = batch.frames, k = batch.k, m = batch.m;
  if constexpr (Several) {
    std::int64_t const r = batch.right_hand_sides;
    bind.output(batch.y, "x.motion", x.motion, {f, k, r});
    bind.output(batch.xi, "x.depth", x.depth, {f, m, r});
  } else {
    bind.output(batch.y, "x.motion", x.motion, {f, k});
    bind.output(batch.xi, "x.depth", x.depth, {f, m});
  }
  bind.output(batch.covariance, "x.motion_covariance", x.motion_covariance, {f, k, k});
  bind.output(batch.variances, "x.depth_variances", x.depth_variances, {f, m});
}

/// d into a batch.
template <bool Several, class Real, class RhsView>
void bind_arrow_rhs(Binder& bind, ArrowBatch<Real>& batch, RhsView const& d) {
  std::int64_t const f = batch.frames, n = batch.n, r = batch.right_hand_sides;
  if constexpr (Several)
    bind.input(batch.rhs, "d", d, {f, n, r});
  else
    bind.input(batch.rhs, "d", d, {f, n});
}

/// The caller's infos into a batch.
template <bool Batched, class Real, class InfoView>
void bind_pseudoinverse_info(char const* function, ArrowBatch<Real>& batch, InfoView const& info) {
  constexpr bool several = int(InfoView::rank) == (Batched ? 2 : 1);
  std::int64_t const f = batch.frames, r = batch.right_hand_sides;
  Binder bind(function);
  auto const take = [&](auto const& infos) {
    batch.infos = infos.data;
    for (int d = 0; d < 2; ++d) batch.info_strides[d] = infos.strides[d];
  };
  if constexpr (several)
    take(bind.infos(info, {f, r}));
  else
    take(bind.infos(info, {f}));
}

}  // namespace carroll::detail
