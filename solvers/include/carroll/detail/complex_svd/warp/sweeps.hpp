// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/warp/factorise.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/svd/types.hpp>

namespace carroll::detail {

/// One-sided Jacobi on complex columns in registers, a column to a lane. Lane t meets lane t xor s,
/// for s = 1, 2, … each other one once; both find the rotation, from the same numbers, and turn the
/// column that they have. J's columns are in scratch, each read and written by its own lane.
///
/// Per lane and step 16·n flops for the products, 8·n for a rotation, 12·n more with J; 2·n words
/// cross for X and as many for J.
template <class Real, class Shape>
class ComplexWarpSweeps {
 public:
  static constexpr int order = Shape::order;
  using Value = Kokkos::complex<Real>;
  using Factor = ComplexWarpFactor<Real, Shape>;
  using Group = LaneGroup<Shape>;

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
    for (int i = 0; i < order; ++i)
      factor_.J(group_.row).set(i, i == group_.row ? Value(1, 0) : Value(0, 0));
  }

  KOKKOS_FORCEINLINE_FUNCTION Real squares() const {
    Real sum[2] = {};
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i)
      sum[i % 2] = Kokkos::fma(re[i], re[i], Kokkos::fma(im[i], im[i], sum[i % 2]));
    return sum[0] + sum[1];
  }

  /// Sweeps until the columns of all matrices of the warp that work are orthogonal; J goes along if
  /// `accumulates`, which is the same for the warp.
  KOKKOS_FORCEINLINE_FUNCTION SvdInfo<Real> sweep_all(int n, Real tolerance, int max_sweeps,
                                                      bool works, bool accumulates) {
    int lanes_in_use = 1;
    while (lanes_in_use < n) lanes_in_use *= 2;
    SvdInfo<Real> info;
    info.status = Status::not_converged;
    bool waits = !works;
    for (int sweep = 1; sweep <= max_sweeps; ++sweep) {
      if (group_.warp.ballot(!waits) == 0) break;
      Tally tally;
      CARROLL_NO_UNROLL
      for (int s = 1; s < lanes_in_use; ++s) meet(n, s, tolerance, !waits, accumulates, tally);
      Real const cosine = group_.max(tally.cosine);
      int const rotations = static_cast<int>(group_.sum(tally.rotations));
      if (!waits) {
        info.sweeps = sweep;
        info.rotations += rotations;
        info.max_cosine = cosine;
        waits = cosine <= tolerance;
        if (waits) info.status = Status::success;
      }
    }
    return info;
  }

 private:
  struct Tally {
    Real cosine = 0;
    int rotations = 0;
  };

  /// Are two columns held in registers at once, or does the other one cross a second time?
  static constexpr bool holds = order * sizeof(Real) <= 128;

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
    Real const mine = squares(), others = warp.across(mine, s);
    bool const low = group_.row < (group_.row ^ s);
    Real const one_way = cross[0] + cross[1], other_way = crossed[0] + crossed[1];
    ColumnLength<Real> const p{Kokkos::sqrt(low ? mine : others), 0};
    ColumnLength<Real> const q{Kokkos::sqrt(low ? others : mine), 0};
    Real const norms = p.norm * q.norm;
    bool const both = wanted && norms > Real(0);
    Real const inverse = both ? Real(1) / norms : Real(0);
    Value const cosine{(real[0] + real[1]) * inverse,
                       (low ? one_way - other_way : other_way - one_way) * inverse};
    Real const size =
        Kokkos::sqrt(Kokkos::fma(cosine.real(), cosine.real(), cosine.imag() * cosine.imag()));
    tally.cosine = Kokkos::max(tally.cosine, size);
    bool const turns = both && size > tolerance;
    if (warp.ballot(turns) == 0) return;
    tally.rotations += turns && low ? 1 : 0;

    Rotation<Real> r{};
    Value phase{};
    if (turns) {
      r = make_rotation(p, q, size);
      phase = low ? conjugate(cosine / size) : cosine / size;
    }
    Value const from_other = phase * (low ? r.p_from_q : r.q_from_p);
    Real const fr = from_other.real(), fi = from_other.imag();
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
      Real const x = re[i], y = im[i];
      re[i] = x + Kokkos::fma(fr, a, Kokkos::fma(-fi, b, -r.h * x));
      im[i] = y + Kokkos::fma(fr, b, Kokkos::fma(fi, a, -r.h * y));
    }
    if (accumulates) turn_rotations(n, s, phase * (low ? r.sine : -r.sine), r.h);
  }

  KOKKOS_FORCEINLINE_FUNCTION void turn_rotations(int n, int s, Value const& from_other, Real h) {
    Real const fr = from_other.real(), fi = from_other.imag();
    auto const J = factor_.J(group_.row);
    for (int i = 0; i < n; ++i) {
      Real const x = J.re(i), y = J.im(i);
      Real const a = group_.warp.across(x, s), b = group_.warp.across(y, s);
      J.re(i) = x + Kokkos::fma(fr, a, Kokkos::fma(-fi, b, -h * x));
      J.im(i) = y + Kokkos::fma(fr, b, Kokkos::fma(fi, a, -h * y));
    }
  }

  Group group_;
  Factor factor_;
};

}  // namespace carroll::detail
