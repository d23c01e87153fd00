// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/warp/factorise.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/svd/warp/jacobi.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/svd/types.hpp>

namespace carroll::detail {

/// One-sided Jacobi on complex columns in registers, a column to a lane. Lane t meets lane t xor s,
/// for s = 1, 2, … each other one once; both find the rotation, from the same numbers, and turn the
/// column that they have. J's columns are in registers, too, if there is room, else in scratch,
/// each read and written by its own lane.
///
/// What a lane holds stands for that over √(1 + excess), of X and of J, as WarpColumn does: a
/// rotation is one fused multiplication and addition per product.
///
/// Per lane and step 8·n flops for the products, 8·n for a rotation, 8·n more with J; 2·n words
/// cross for X and as many for J.
template <class Real, class Shape>
class ComplexWarpSweeps {
 public:
  static constexpr int order = Shape::order;
  using Value = Kokkos::complex<Real>;
  using Factor = ComplexWarpFactor<Real, Shape>;
  using Group = LaneGroup<Shape>;

  /// Is J's column in registers, else in scratch? Is the other column of X held beside the own one,
  /// or does it cross a second time?
  static constexpr bool keeps_j = order * sizeof(Real) <= 128;
  static constexpr bool holds = order * sizeof(Real) <= (sizeof(Real) == 4 ? 128 : 64);
  static constexpr int columns_held = 1 + (keeps_j ? 1 : 0) + (holds ? 1 : 0);

  /// The column of this lane.
  Real re[order], im[order];

  KOKKOS_FUNCTION ComplexWarpSweeps(Group const& group, Factor const& factor)
      : group_(group), factor_(factor) {}

  /// X := Rᴴ
  KOKKOS_FORCEINLINE_FUNCTION void load_triangle(int n) {
    int const t = group_.row;
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) {
      bool const there = i >= t && i < n;
      Value const z = factor_.F(there ? i : 0)(there ? t : 0);
      re[i] = there ? z.real() : Real(0);
      im[i] = there ? -z.imag() : Real(0);
    }
  }

  /// J := I
  KOKKOS_FORCEINLINE_FUNCTION void start_rotations() {
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) {
      Value const entry = i == group_.row ? Value(1, 0) : Value(0, 0);
      if constexpr (keeps_j)
        set(i, entry);
      else if (group_.row < order)
        factor_.J(group_.row).set(i, entry);
    }
  }

  /// J as it is, in scratch.
  KOKKOS_FORCEINLINE_FUNCTION void finish_rotations() const {
    if (group_.row >= order) return;
    ExcessRoot<Real> const shrunk(excess_);
    if constexpr (keeps_j) {
      auto const J = factor_.J(group_.row);
      CARROLL_UNROLL
      for (int i = 0; i < order; ++i) J.set(i, {shrunk(j_re_[i]), shrunk(j_im_[i])});
    } else {
      shrink_stored(shrunk);
    }
  }

  /// Of what the lane holds of X.
  KOKKOS_FORCEINLINE_FUNCTION Real squares() const {
    Real sum[2] = {};
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i)
      sum[i % 2] = Kokkos::fma(re[i], re[i], Kokkos::fma(im[i], im[i], sum[i % 2]));
    return sum[0] + sum[1];
  }
  /// X's column as it is, from the square of what is held of it: its length.
  KOKKOS_FORCEINLINE_FUNCTION Real length(Real squares) const {
    return ExcessRoot<Real>(excess_)(Kokkos::sqrt(squares));
  }

  /// Sweeps until the columns of all matrices of the warp that work are orthogonal; J goes along if
  /// `accumulates`, which is the same for the warp. When it is known that another sweep would find
  /// nothing see sweep_all of real matrices.
  KOKKOS_FORCEINLINE_FUNCTION SvdInfo<Real> sweep_all(int n, Real tolerance, int max_sweeps,
                                                      bool works, bool accumulates) {
    int lanes_in_use = 1;
    while (lanes_in_use < n) lanes_in_use *= 2;
    SvdInfo<Real> info;
    info.status = Status::not_converged;
    bool waits = !works;
    for (int sweep = 1; sweep <= max_sweeps; ++sweep) {
      if (group_.warp.ballot(!waits) == 0) break;
      if (!waits && excess_ > Real(1)) fold_columns(accumulates);
      squares_ = squares() / (1 + excess_);
      Tally tally;
      CARROLL_NO_UNROLL
      for (int s = 1; s < lanes_in_use; ++s) meet(n, s, tolerance, !waits, accumulates, tally);
      Real const cosine = group_.max(tally.cosine), mixing = group_.max(tally.mixing);
      int const rotations = static_cast<int>(group_.sum(tally.rotations));
      if (!waits) {
        info.sweeps = sweep;
        info.rotations += rotations;
        Real const bound = (Real(n) * mixing + Real(0x1p-18)) * cosine;
        bool const checked = cosine <= tolerance;
        waits = checked || bound <= tolerance;
        info.max_cosine = checked || !waits ? cosine : bound;
        if (waits) info.status = Status::success;
      }
    }
    return info;
  }

 private:
  struct Tally {
    Real cosine = 0;
    Real mixing = 0;  ///< largest tangent times the ratio of the columns' lengths
    int rotations = 0;
  };

  KOKKOS_FORCEINLINE_FUNCTION void set(int i, Value const& entry) {
    j_re_[i] = entry.real();
    j_im_[i] = entry.imag();
  }

  /// J's column where that is in scratch.
  KOKKOS_FORCEINLINE_FUNCTION void shrink_stored(ExcessRoot<Real> const& shrunk) const {
    auto const J = factor_.J(group_.row);
    CARROLL_NO_UNROLL
    for (int i = 0; i < order; ++i) J.set(i, {shrunk(J.re(i)), shrunk(J.im(i))});
  }

  KOKKOS_FORCEINLINE_FUNCTION void fold_columns(bool accumulates) {
    ExcessRoot<Real> const shrunk(excess_);
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) {
      re[i] = shrunk(re[i]);
      im[i] = shrunk(im[i]);
      if constexpr (keeps_j) set(i, {shrunk(j_re_[i]), shrunk(j_im_[i])});
    }
    if (!keeps_j && accumulates) shrink_stored(shrunk);
    excess_ = 0;
  }

  /// The rotation of columns p, of the lower lane, and q with pᴴ·q = |pᴴ·q|·e^{iφ}:
  ///
  ///   p' = c·(p - t·e^{-iφ}·q),  q' = c·(q + t·e^{iφ}·p)
  ///
  /// t as of real columns (orthogonalise), from rough reciprocals. The excess gets |t·e^{iφ}|² as
  /// the columns do, 1/c² = 1 + that.
  KOKKOS_FORCEINLINE_FUNCTION void meet(int n, int s, Real tolerance, bool wanted, bool accumulates,
                                        Tally& tally) {
    DeviceWarp const& warp = group_.warp;
    Real other_re[holds ? order : 1], other_im[holds ? order : 1];
    // Sums of products in the same order on both sides, so that both find the same bits.
    Real real[2] = {}, cross[2] = {}, crossed[2] = {};
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) {
      Real const r = warp.across(re[i], s), m = warp.across(im[i], s);
      if constexpr (holds) {
        other_re[i] = r;
        other_im[i] = m;
      }
      real[i % 2] = Kokkos::fma(re[i], r, real[i % 2]);
      real[(i + 1) % 2] = Kokkos::fma(im[i], m, real[(i + 1) % 2]);
      cross[i % 2] = Kokkos::fma(re[i], m, cross[i % 2]);
      crossed[i % 2] = Kokkos::fma(im[i], r, crossed[i % 2]);
    }
    bool const low = group_.row < (group_.row ^ s);
    Real const own_square = 1 + excess_, other_square = warp.across(own_square, s);
    Real const product_square = own_square * other_square;
    Real const scales = refined_rsqrt(product_square, rough_rsqrt(product_square));
    Real const others = warp.across(squares_, s);
    Real const p = low ? squares_ : others, q = low ? others : squares_;
    Real const p_inverse = rough_rsqrt(p), q_inverse = rough_rsqrt(q);
    constexpr Real least = Kokkos::Experimental::norm_min_v<Real>;
    bool const both = wanted && p >= least && q >= least;
    Real const to_cosine = scales * (p_inverse * q_inverse);
    Real const one_way = cross[0] + cross[1], other_way = crossed[0] + crossed[1];
    Real const cos_re = (real[0] + real[1]) * to_cosine;
    Real const cos_im = (low ? one_way - other_way : other_way - one_way) * to_cosine;
    Real const square = Kokkos::fma(cos_re, cos_re, cos_im * cos_im);
    Real const inverse = rough_rsqrt(square);
    Real const size = both && square >= least ? square * inverse : Real(0);
    tally.cosine = Kokkos::max(tally.cosine, size);
    bool const turns = size > tolerance;
    if (warp.ballot(turns) == 0) return;
    tally.rotations += turns && low ? 1 : 0;

    Real const lengths = (p * p_inverse) * (q * q_inverse), larger = Kokkos::max(p, q);
    Real const shrink = rough_reciprocal(larger), difference = (q - p) * shrink;
    Real const twice = 2 * size * (lengths * shrink);
    Real const sum = Kokkos::fma(twice, twice, difference * difference);
    Real const tangent = twice * rough_reciprocal(Kokkos::abs(difference) + sum * rough_rsqrt(sum));
    Real const t = turns ? with_sign_of(difference, tangent) : Real(0);
    Real const unit = turns ? t * inverse : Real(0);
    Real const turn_re = turns ? unit * cos_re : Real(0), turn_im = turns ? unit * cos_im : Real(0);
    Real const to_own = own_square * scales;
    Real const fr = (low ? -turn_re : turn_re) * to_own, fi = turn_im * to_own;
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) {
      Real a, b;
      if constexpr (holds) {
        a = other_re[i];
        b = other_im[i];
      } else {
        a = warp.across(re[i], s);
        b = warp.across(im[i], s);
      }
      re[i] = Kokkos::fma(fr, a, Kokkos::fma(-fi, b, re[i]));
      im[i] = Kokkos::fma(fr, b, Kokkos::fma(fi, a, im[i]));
    }
    if (accumulates) turn_rotations(n, s, fr, fi);
    if (!turns) return;
    // What is left of two nearly parallel columns is known again after the next sweep's start.
    Real const moved = t * size * lengths;
    squares_ = Kokkos::abs(low ? squares_ - moved : squares_ + moved);
    Real const growth = Kokkos::fma(turn_re, turn_re, turn_im * turn_im);
    excess_ = Kokkos::fma(excess_, growth, excess_ + growth);
    tally.mixing = Kokkos::max(tally.mixing, Kokkos::abs(t) * (larger * (p_inverse * q_inverse)));
  }

  KOKKOS_FORCEINLINE_FUNCTION void turn_rotations(int n, int s, Real fr, Real fi) {
    auto const turn = [&](Real& x, Real& y) {
      Real const a = group_.warp.across(x, s), b = group_.warp.across(y, s);
      x = Kokkos::fma(fr, a, Kokkos::fma(-fi, b, x));
      y = Kokkos::fma(fr, b, Kokkos::fma(fi, a, y));
    };
    if constexpr (keeps_j) {
      CARROLL_UNROLL
      for (int i = 0; i < order; ++i) turn(j_re_[i], j_im_[i]);
    } else {
      auto const J = factor_.J(group_.row < order ? group_.row : 0);
      for (int i = 0; i < n; ++i) {
        Real x = J.re(i), y = J.im(i);
        turn(x, y);
        if (group_.row < order) {
          J.re(i) = x;
          J.im(i) = y;
        }
      }
    }
  }

  Group group_;
  Factor factor_;
  Real j_re_[keeps_j ? order : 1] = {}, j_im_[keeps_j ? order : 1] = {};
  Real squares_ = 0;  ///< of X's column as it is
  Real excess_ = 0;
};

}  // namespace carroll::detail
