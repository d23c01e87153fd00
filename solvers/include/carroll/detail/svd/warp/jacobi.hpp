// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/math.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/warp/group.hpp>
#include <carroll/detail/unroll.hpp>

/// One-sided Jacobi on columns that lie in registers.
namespace carroll::detail {

/// A lane's rows of a column, which stands for 2^exponent·x/√(1 + excess). In double columns may
/// differ by 2^±450 and exponents are 0; in single each column begins near 1.
///
/// The excess is what rotations have added to the square of the length of x. It is kept instead of
/// the length, of which rotations by small angles leave the last bit or none: rounded there, they
/// stretch or shrink a whole column by the same amount each, and hundreds of them drift
/// (Rutishauser 1966 keeps 1 - cos for that reason).
template <class Work, int K>
struct WarpColumn {
  Work x[K];
  Work squares;  ///< of the column's norm, but for the exponent
  Work excess;
  int exponent;
};

/// Divides by √(1 + excess), each entry rounded as good as once: the reciprocal root y is known
/// with what its rounding leaves, from 1 - (1 + excess)·y² in twice the precision.
template <class Work>
struct ExcessRoot {
  Work y, y_rest;

  KOKKOS_FUNCTION explicit ExcessRoot(Work excess) {
    Work const square = 1 + excess;
    Work const lost = excess < Work(1) ? excess - (square - 1) : 1 - (square - excess);
    y = refined_rsqrt(square, rough_rsqrt(square));
    Work const product = square * y, product_rest = Kokkos::fma(square, y, -product);
    Work const off = Kokkos::fma(-product, y, Work(1)) - Kokkos::fma(lost, y, product_rest) * y;
    y_rest = y * off / 2;
  }
  KOKKOS_FUNCTION Work operator()(Work x) const { return Kokkos::fma(x, y, x * y_rest); }
};

/// x := x/√(1 + excess)
template <class Work, int K>
KOKKOS_INLINE_FUNCTION void fold(WarpColumn<Work, K>& p) {
  ExcessRoot<Work> const shrunk(p.excess);
  CARROLL_UNROLL
  for (int t = 0; t < K; ++t) p.x[t] = shrunk(p.x[t]);
  p.excess = 0;
}

/// Before the excesses of two columns can grow so large that their product leaves the range.
template <class Work, int K>
KOKKOS_INLINE_FUNCTION void fold_long(WarpColumn<Work, K>& p, Work most) {
  if (p.excess > most) fold(p);
}

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

template <class Group, class Work, int K>
KOKKOS_INLINE_FUNCTION void measure(Group const& group, WarpColumn<Work, K>& p) {
  p.squares = group.sum_parts(lane_dot(p.x, p.x)) / (1 + p.excess);
}

/// 2^(q.exponent - p.exponent). Beyond 2^±40 the rotation depends on it no more.
template <class Work, int K>
KOKKOS_INLINE_FUNCTION Work apart(WarpColumn<Work, K> const& p, WarpColumn<Work, K> const& q,
                                  int sign) {
  if constexpr (sizeof(Work) == sizeof(double)) return 1;
  int const difference = Kokkos::max(-40, Kokkos::min(40, q.exponent - p.exponent));
  return power_of_two<Work>(sign * difference);
}

/// Makes columns p and q orthogonal if the magnitude of their cosine exceeds the tolerance's:
///
///   p' = c·(p - t·q),  q' = c·(q + t·p),  t² + t·(‖q‖² - ‖p‖²)/p·q - 1 = 0,  |t| <= 1
///
/// 1/c² = 1 + t² goes into the columns' excesses, which leaves one fused multiplication and
/// addition per entry (Gentleman 1973). t has 18 good bits, which leaves 2^-18 of the cosine; the
/// excess has all bits of that t, so that the rotation is one. Squared norms are carried along and
/// formed anew in every sweep; no products of two squares are formed, for the sake of the range.
///
/// A pair that is let be is turned by t = 0, which changes nothing: where one warp works alone, a
/// branch that its lanes do not take together costs more than what it skips.
template <class Group, class Work, int K>
KOKKOS_INLINE_FUNCTION void orthogonalise(Group const& group, WarpColumn<Work, K>& p,
                                          WarpColumn<Work, K>& q, bool wanted, int tolerance,
                                          WarpSweep& sweep) {
  // What does not wait for the dot product comes first. Lengths of q in the unit of p's.
  Work const unit = apart(p, q, 1), back = apart(p, q, -1);
  Work const q_squares = q.squares * (unit * unit);
  Work const reciprocal_norms = rough_rsqrt(p.squares) * rough_rsqrt(q.squares);
  Work const larger = Kokkos::max(p.squares, q_squares);
  Work const shrink = rough_reciprocal(larger);
  Work const difference = (q_squares - p.squares) * shrink;
  Work const difference2 = difference * difference;
  Work const p_square = 1 + p.excess, q_square = 1 + q.excess, both = p_square * q_square;
  Work const scales = refined_rsqrt(both, rough_rsqrt(both));
  Work const p_per_q = q_square * scales * back, q_per_p = p_square * scales * unit;
  Work const to_cosine = scales * reciprocal_norms, to_twice = 2 * unit * shrink * scales;
  Work const to_mixing = larger * reciprocal_norms * back;
  Work const product = group.sum_parts(lane_dot(p.x, q.x));
  int const met = magnitude(product * to_cosine);
  int const cosine = wanted & (magnitude(product) != 0) ? met : 0;
  sweep.cosine = Kokkos::max(sweep.cosine, cosine);
  bool const turns = cosine > tolerance;
  Work const twice = product * to_twice;
  Work const square = Kokkos::fma(twice, twice, difference2);
  Work const root = square * rough_rsqrt(square);
  Work const tangent =
      with_sign_of(difference, twice * rough_reciprocal(Kokkos::abs(difference) + root));
  Work const t = turns ? tangent : Work(0);
  Work const to_p = -t * q_per_p;
  Work const to_q = t * p_per_q;
  CARROLL_UNROLL
  for (int k = 0; k < K; ++k) {
    Work const x = p.x[k];
    p.x[k] = Kokkos::fma(to_p, q.x[k], x);
    q.x[k] = Kokkos::fma(to_q, x, q.x[k]);
  }
  // What is left of two nearly parallel columns is known again after the next sweep's start.
  Work const dot = product * scales;
  p.squares = Kokkos::abs(Kokkos::fma(-t * unit, dot, p.squares));
  q.squares = Kokkos::abs(Kokkos::fma(t * back, dot, q.squares));
  Work const growth = t * t;
  p.excess = Kokkos::fma(p.excess, growth, p.excess + growth);
  q.excess = Kokkos::fma(q.excess, growth, q.excess + growth);
  sweep.mixing = Kokkos::max(sweep.mixing, turns ? magnitude(t * to_mixing) : 0);
  sweep.rotations += turns ? 1 : 0;
}

/// Where `yes`, p and q change places: without a branch, as in `orthogonalise`.
template <class Work, int K>
KOKKOS_INLINE_FUNCTION void swap_if(bool yes, WarpColumn<Work, K>& p, WarpColumn<Work, K>& q) {
  auto const swap_one = [yes](auto& x, auto& y) {
    auto const old_x = x, old_y = y;
    x = yes ? old_y : old_x;
    y = yes ? old_x : old_y;
  };
  CARROLL_UNROLL
  for (int k = 0; k < K; ++k) swap_one(p.x[k], q.x[k]);
  swap_one(p.squares, q.squares);
  swap_one(p.excess, q.excess);
  swap_one(p.exponent, q.exponent);
}

template <class Group, class Work, int K>
KOKKOS_INLINE_FUNCTION void take(Group const& group, WarpColumn<Work, K>& p, int source) {
  CARROLL_UNROLL
  for (int k = 0; k < K; ++k) p.x[k] = group.warp.from(p.x[k], source);
  p.squares = group.warp.from(p.squares, source);
  p.excess = group.warp.from(p.excess, source);
  if (sizeof(Work) < sizeof(double)) p.exponent = group.warp.from(p.exponent, source);
}

/// Sweeps until the columns are orthogonal. The columns stand in a line, neighbours meet and change
/// places, in turn those at even and at odd places: after as many steps as there are columns each
/// pair has met once and the line is reversed. A step moves one column per lane to its neighbour.
///
/// After a sweep in which two columns met at cosine γ at most and a rotation mixed columns by μ at
/// most, μ the tangent times the ratio of the norms, no cosine exceeds (n·μ + 2^-18)·γ: where that
/// is within the tolerance the matrix has converged without another sweep to check it.
///
/// Matrices of a warp that have converged wait for the others unchanged. 6 flops per row for a pair
/// that is rotated, 2 for one let be; n/2 pairs a step, n steps a sweep.
template <class Group, class Work, int K>
KOKKOS_INLINE_FUNCTION WarpTally sweep_all(Group const& group, WarpColumn<Work, K>& p,
                                           WarpColumn<Work, K>& q, int n, Work tolerance,
                                           int max_sweeps, bool works) {
  int const limit = magnitude(tolerance);
  bool const wall = group.is_last_pair();
  WarpTally tally;
  bool waits = !works;
  int sweeps = 0;
  while (group.any_in_warp(!waits) && sweeps < max_sweeps) {
    ++sweeps;
    if (!waits) {  // what has converged is not rounded once more
      fold_long(p, Work(1));
      fold_long(q, Work(1));
    }
    measure(group, p);
    measure(group, q);
    WarpSweep sweep;
    CARROLL_NO_UNROLL
    for (int step = 0; step < Group::Shape::cols; step += 2) {
      orthogonalise(group, p, q, !waits, limit, sweep);
      take(group, q, group.next);
      orthogonalise(group, p, q, !waits && !wall, limit, sweep);
      // At the wall the first column of the line has come round: it becomes the next p.
      swap_if(wall, p, q);
      take(group, p, group.prev);
    }
    int const cosine = group.max(sweep.cosine);
    int const mixing = group.max(sweep.mixing);
    int const rotations = group.sum(sweep.rotations) / Group::Shape::split;
    if (!waits) {
      tally.sweeps = sweeps;
      tally.rotations += rotations;
      Work const met = of_magnitude<Work>(cosine);
      Work const bound = (n * of_magnitude<Work>(mixing) + Work(0x1p-18)) * met;
      bool const checked = cosine <= limit;
      tally.converged = waits = checked || bound <= tolerance;
      tally.max_cosine = checked || !waits ? met : bound;
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
