// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/warp_group.hpp>

/// One-sided Jacobi on columns that lie in registers.
namespace carroll::detail {

/// A lane's rows of a column, which stands for scale·x.
template <int K>
struct WarpColumn {
  double x[K];
  double squares;  ///< of the column's norm
  double scale;
  double inverse;  ///< of the scale
};

/// Outcome of the sweeps of one matrix.
struct WarpTally {
  int sweeps = 0;
  int rotations = 0;
  double max_cosine = 0;
  bool converged = false;
};

/// What a lane has seen of a sweep, as magnitudes.
struct WarpSweep {
  int cosine = 0;
  int mixing = 0;
  int rotations = 0;
};

template <class Group, int K>
KOKKOS_INLINE_FUNCTION void measure(Group const& group, WarpColumn<K>& p) {
  p.squares = p.scale * p.scale * group.sum_parts(lane_dot(p.x, p.x));
}

/// Makes columns p and q orthogonal if the magnitude of their cosine exceeds the tolerance's:
///
///   p' = c·(p - t·q),  q' = c·(q + t·p),  t² + t·(‖q‖² - ‖p‖²)/p·q - 1 = 0,  |t| <= 1
///
/// c goes into the columns' scales, which leaves one fused multiplication and addition per entry
/// (Gentleman 1973). t has 18 good bits, which leaves 2^-18 of the cosine; c has all of them, so that
/// the rotation is one. Squared norms are carried along and
/// formed anew in every sweep. Norms may range over 2^±450: products of two squares are not formed.
template <class Group, int K>
KOKKOS_INLINE_FUNCTION void orthogonalise(Group const& group, WarpColumn<K>& p, WarpColumn<K>& q,
                                          bool wanted, int tolerance, WarpSweep& sweep) {
  // What does not wait for the dot product comes first.
  double const reciprocal_norms = rough_rsqrt(p.squares) * rough_rsqrt(q.squares);
  double const larger = Kokkos::max(p.squares, q.squares);
  double const shrink = rough_reciprocal(larger);
  double const difference = (q.squares - p.squares) * shrink;
  double const difference2 = difference * difference;
  double const p_per_q = p.scale * q.inverse, q_per_p = q.scale * p.inverse;
  double const dot = p.scale * q.scale * group.sum_parts(lane_dot(p.x, q.x));
  int const cosine = wanted && dot != 0 ? magnitude(dot * reciprocal_norms) : 0;
  sweep.cosine = Kokkos::max(sweep.cosine, cosine);
  if (cosine > tolerance) {
    double const twice = dot * (2 * shrink);
    double const square = Kokkos::fma(twice, twice, difference2);
    double const root = square * rough_rsqrt(square);
    double const size = twice * rough_reciprocal(Kokkos::abs(difference) + root);
    double const t = difference < 0 ? -size : size;
    double const to_p = -t * q_per_p;
    double const to_q = t * p_per_q;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      double const x = p.x[k];
      p.x[k] = Kokkos::fma(to_p, q.x[k], x);
      q.x[k] = Kokkos::fma(to_q, x, q.x[k]);
    }
    // What is left of two nearly parallel columns is known again after the next sweep's start.
    constexpr double least = 0x1p-50;
    p.squares = Kokkos::max(Kokkos::fma(-t, dot, p.squares), least * p.squares);
    q.squares = Kokkos::max(Kokkos::fma(t, dot, q.squares), least * q.squares);
    double const secant2 = Kokkos::fma(t, t, 1.0);
    double const c = refined_rsqrt(secant2, rough_rsqrt(secant2));
    double const secant = secant2 * c;
    p.scale *= c;
    q.scale *= c;
    p.inverse *= secant;
    q.inverse *= secant;
    sweep.mixing = Kokkos::max(sweep.mixing, magnitude(t * (larger * reciprocal_norms)));
    ++sweep.rotations;
  }
}

template <class Group, int K>
KOKKOS_INLINE_FUNCTION void take(Group const& group, WarpColumn<K>& p, int source) {
#pragma unroll
  for (int k = 0; k < K; ++k) p.x[k] = group.warp.from(p.x[k], source);
  p.squares = group.warp.from(p.squares, source);
  p.scale = group.warp.from(p.scale, source);
  p.inverse = group.warp.from(p.inverse, source);
}

/// Sweeps until the columns are orthogonal. The columns stand in a line, neighbours meet and change
/// places, in turn those at even and at odd places: after as many steps as there are columns each
/// pair has met once and the line is reversed. A step moves one column per lane to its neighbour.
///
/// After a sweep in which two columns met at cosine γ at most and a rotation mixed columns by μ at
/// most, μ the tangent times the ratio of the norms, no cosine exceeds (n·μ + 2^-18)·γ: where that is
/// within the tolerance the matrix has converged without another sweep to check it.
///
/// Matrices of a warp that have converged wait for the others unchanged. 3·n flops·2 per rotated
/// pair and lane row, n/2 pairs a step.
template <class Group, int K>
KOKKOS_INLINE_FUNCTION WarpTally sweep_all(Group const& group, WarpColumn<K>& p, WarpColumn<K>& q,
                                           int n, double tolerance, int max_sweeps, bool works) {
  int const limit = magnitude(tolerance);
  bool const wall = group.is_last_pair();
  WarpTally tally;
  bool waits = !works;
  int sweeps = 0;
  while (group.any_in_warp(!waits) && sweeps < max_sweeps) {
    ++sweeps;
    measure(group, p);
    measure(group, q);
    WarpSweep sweep;
#pragma unroll 1
    for (int step = 0; step < Group::Shape::cols; step += 2) {
      orthogonalise(group, p, q, !waits, limit, sweep);
      take(group, q, group.next);
      orthogonalise(group, p, q, !waits && !wall, limit, sweep);
      // At the wall the first column of the line has come round: it becomes the next p.
      if (wall) Kokkos::kokkos_swap(p, q);
      take(group, p, group.prev);
    }
    int const cosine = group.max(sweep.cosine);
    int const mixing = group.max(sweep.mixing);
    int const rotations = group.sum(sweep.rotations) / Group::Shape::split;
    if (!waits) {
      tally.sweeps = sweeps;
      tally.rotations += rotations;
      double const bound = (n * above(mixing) + 0x1p-18) * above(cosine);
      bool const checked = cosine <= limit;
      tally.max_cosine = checked || bound > tolerance ? above(cosine - 1) : bound;
      tally.converged = waits = checked || bound <= tolerance;
    }
  }
  if (sweeps % 2 == 1) {  // the line is reversed
    Kokkos::kokkos_swap(p, q);
    take(group, p, group.mirror);
    take(group, q, group.mirror);
  }
  return tally;
}

}  // namespace carroll::detail
