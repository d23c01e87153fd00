// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/svd/types.hpp>  // carroll::none
#include <concepts>
#include <type_traits>

namespace carroll {

/// The Jacobian of direct visual SLAM, A = [B | U], n×(k+m): k >= 1 dense motion columns and m
/// depth columns, of which each row has an entry in one. The rows come in m segments; U is the
/// block-diagonal matrix of their pieces of u. Nothing is copied: Views of the caller's memory.
///
///   carroll::ArrowJacobian A{motion, depth, segment_offsets};
///
/// Batches: `motion` of rank 3, `depth` of rank 2, the frame first. Offsets, rows and damping are
/// those of all frames, or have the frame as first index, too.
template <class MotionView, class DepthView, class OffsetView, class RowView = None,
          class DampingView = None>
struct ArrowJacobian {
  using value_type = typename MotionView::non_const_value_type;

  MotionView motion;           ///< B, n×k
  DepthView depth;             ///< u, n: of each row the entry in its depth column
  OffsetView segment_offsets;  ///< m+1 of int, rising from 0 to n; equal ones: an empty segment
  /// n of int: place p of the segments holds row rows(p) of B, u and right-hand sides; none: p.
  [[no_unique_address]] RowView rows = {};
  /// k+m numbers λ >= 0, motion columns first: √λ of each column is the only entry of one more row,
  /// with residual 0. Added to PseudoinverseOptions::damping; none: zeros.
  [[no_unique_address]] DampingView damping = {};
};

template <class M, class D, class O>
ArrowJacobian(M, D, O) -> ArrowJacobian<M, D, O>;
template <class M, class D, class O, class R>
ArrowJacobian(M, D, O, R) -> ArrowJacobian<M, D, O, R>;
template <class M, class D, class O, class R, class L>
ArrowJacobian(M, D, O, R, L) -> ArrowJacobian<M, D, O, R, L>;

/// A row of an arrow Jacobian with its right-hand side, as a row functor returns it.
template <class Real, int K>
struct ArrowRow {
  static_assert(RealScalar<Real> && K >= 1, "carroll::ArrowRow: float or double, K >= 1");
  using value_type = Real;
  static constexpr int motions = K;

  Kokkos::Array<Real, K> motion;  ///< in the motion columns
  Real depth;                     ///< u, in the depth column of the row's segment
  Real residual;                  ///< d, the right-hand side
};

/// An arrow Jacobian that is never stored: `rows` is a functor, which kernels call once per row,
/// rows(frame, row) with 0 <= row < n, in the order of the segments, for its ArrowRow<Real, k>:
///
///   struct Rows {
///     KOKKOS_FUNCTION carroll::ArrowRow<float, 1> operator()(int frame, int row) const;
///   };
///   carroll::FusedArrowJacobian A{Rows{…}, segment_offsets};
///
/// The number of frames and rows is that of the workspace.
template <class Functor, class OffsetView, class DampingView = None>
struct FusedArrowJacobian {
  Functor rows;
  OffsetView segment_offsets;  ///< as in ArrowJacobian
  [[no_unique_address]] DampingView damping = {};
};

template <class F, class O>
FusedArrowJacobian(F, O) -> FusedArrowJacobian<F, O>;
template <class F, class O, class L>
FusedArrowJacobian(F, O, L) -> FusedArrowJacobian<F, O, L>;

/// x = (y, ξ) of a step, y of the motion columns, ξ of the depth columns, and what is known of
/// their errors. Views as for right-hand sides: y of k, ξ of m entries for d of n, k×r and m×r for
/// n×r, and the frame first in batches.
template <class MotionView, class DepthView, class CovarianceView = None, class VarianceView = None>
struct ArrowSolution {
  MotionView motion;  ///< y
  DepthView depth;    ///< ξ
  /// k×k: of y for residuals of variance 1, that is of (AᵀA + Λ)⁻¹, or its pseudoinverse, its first
  /// block. Multiply by the residuals' variance. Only with one right-hand side.
  [[no_unique_address]] CovarianceView motion_covariance = {};
  /// m: the same of ξ, the diagonal alone.
  [[no_unique_address]] VarianceView depth_variances = {};
};

template <class M, class D>
ArrowSolution(M, D) -> ArrowSolution<M, D>;
template <class M, class D, class C>
ArrowSolution(M, D, C) -> ArrowSolution<M, D, C>;
template <class M, class D, class C, class V>
ArrowSolution(M, D, C, V) -> ArrowSolution<M, D, C, V>;

template <class T>
inline constexpr bool is_arrow_jacobian = detail::is_instance_of<T, ArrowJacobian>;

template <class T>
inline constexpr bool is_arrow_row = false;
template <class Real, int K>
inline constexpr bool is_arrow_row<ArrowRow<Real, K>> = true;

template <class T>
inline constexpr bool is_arrow_solution = detail::is_instance_of<T, ArrowSolution>;

}  // namespace carroll
