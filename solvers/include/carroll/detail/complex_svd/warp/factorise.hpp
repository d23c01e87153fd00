// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/complex_svd/polar.hpp>
#include <carroll/detail/complex_svd/range.hpp>
#include <carroll/detail/complex_svd/warp/shape.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <carroll/detail/power_of_two.hpp>

/// A matrix into scratch, and its QR factorisation with column pivoting there, by the lanes of a
/// group. All matrices of a warp have the same extents.
namespace carroll::detail {

template <class Real, class Shape>
class ComplexWarpFactor {
 public:
  static constexpr int order = Shape::order;
  using Value = Kokkos::complex<Real>;
  using Group = LaneGroup<Shape>;
  using Scratch = ComplexWarpScratch<Real, Shape>;
  using Column = ComplexWarpColumn<Real, order>;

  KOKKOS_FUNCTION ComplexWarpFactor(Group const& group, Scratch& scratch)
      : group_(group), scratch_(scratch) {}

  KOKKOS_FUNCTION Column F(int j) const { return {scratch_.F + j * Scratch::stride}; }
  KOKKOS_FUNCTION Column J(int j) const { return {scratch_.J + j * Scratch::stride}; }

  /// What is known of the entries.
  struct Range {
    bool usable;  ///< finite, without columns of zeros, and not of too different sizes
    bool turns;   ///< square, and scaled by rows rather than by columns
    int top;      ///< exponent of the largest part
  };

  /// F := B, lanes side by side in memory.
  KOKKOS_FUNCTION void load(ComplexSvdProblem<Real> const& problem) const {
    int const t = group_.row;
    bool const down = problem.a.row_stride <= problem.a.col_stride;
    int const lines = down ? problem.cols : problem.rows;
    int const entries = down ? problem.rows : problem.cols;
    for (int line = 0; line < lines; ++line) {
      int const i = down ? t : line, j = down ? line : t;
      if (t < entries) F(j).set(i, problem.entry(i, j));
    }
    group_.warp.sync();
  }

  KOKKOS_FUNCTION Range look(int m, int n) const {
    constexpr int none_yet = -(1 << 20);
    constexpr Real infinity = Kokkos::Experimental::infinity_v<Real>;
    int const t = group_.row;
    bool const inside = t < n;
    auto const largest_of = [&](int count, auto const& entry) {
      Real largest = 0;
      for (int i = 0; i < count; ++i) {
        Real const x = largest_part(entry(i));
        largest = Kokkos::max(largest, x < infinity ? x : infinity);  // NaN too
      }
      return largest;
    };
    auto const exponent = [&](Real x) {
      return x > Real(0) && x < infinity ? exponent_of(x) : none_yet;
    };
    Real const col_size = inside ? largest_of(m, [&](int i) { return F(t)(i); }) : Real(0);
    int const col = exponent(col_size);
    int const row =
        inside && m == n ? exponent(largest_of(n, [&](int j) { return F(j)(t); })) : none_yet;
    auto const least_of = [&](int e) { return group_.min(e > none_yet ? e : -none_yet); };
    int const col_top = group_.max(col), col_least = least_of(col);
    int const row_top = group_.max(row), row_least = least_of(row);
    bool const turns = row_top > none_yet && row_top - row_least > col_top - col_least + 8;
    bool const bad = inside && (!(col_size < infinity) || col_size == Real(0) ||
                                col < col_top - complex_svd_range<Real>);
    return {group_.ballot(bad) == 0, turns, col_top};
  }

  /// F := 2^-top·F
  KOKKOS_FUNCTION void scale_down(int m, int n, int top) const {
    if (group_.row < n)
      for (int i = 0; i < m; ++i) F(group_.row).set(i, scale_parts(F(group_.row)(i), -top));
    group_.warp.sync();
  }

  /// A·P = Q·R, as `pivoted_complex_qr` does it. False if what is left of a column is out of range
  /// when its turn comes: then F is of no use.
  KOKKOS_FUNCTION bool factorise(int m, int n) const {
    int const t = group_.row;
    Real const least = power_of_two<Real>(-2 * complex_svd_range<Real>);
    int original = t;
    Real left = t < n ? squares(t, 0, m) : Real(-1);
    bool usable = true;
    for (int k = 0; k < n; ++k) {
      Real const mine = t >= k ? left : Real(-1);
      Real const longest = group_.max(mine);
      int const found = group_.min(mine == longest ? t : order);
      int const pivot = found < order ? found : k;  // NaN has no largest
      bool const fine = longest > least;
      usable = usable && fine;
      exchange(m, k, pivot);
      Real const left_k = group_.from(left, k), left_pivot = group_.from(left, pivot);
      int const original_k = group_.from(original, k),
                original_pivot = group_.from(original, pivot);
      if (t == pivot) {
        left = left_k;
        original = original_k;
      }
      if (t == k) {
        left = left_pivot;
        original = original_pivot;
      }
      group_.warp.sync();
      make_reflector(m, k, fine ? Kokkos::sqrt(longest) : Real(1));
      if (t > k && t < n) {
        reflect(m, k, F(t));
        left = squares(t, k + 1, m);
      }
      group_.warp.sync();
    }
    if (t < n) scratch_.permutation[t] = original;
    group_.warp.sync();
    return usable;
  }

  /// x := H₀⋯H_{n-1}·x, a column of this lane's own.
  KOKKOS_FUNCTION void apply(int m, int n, Column const& x) const {
    for (int k = n - 1; k >= 0; --k) reflect(m, k, x);
  }

 private:
  KOKKOS_FUNCTION Real squares(int j, int begin, int end) const {
    Column const x = F(j);
    Real sum = 0;
    for (int i = begin; i < end; ++i)
      sum = Kokkos::fma(x.re(i), x.re(i), Kokkos::fma(x.im(i), x.im(i), sum));
    return sum;
  }

  /// Columns k and pivot change places, a row to a lane.
  KOKKOS_FUNCTION void exchange(int m, int k, int pivot) const {
    int const i = group_.row;
    if (i >= m) return;
    Value const x = F(k)(i), y = F(pivot)(i);
    F(k).set(i, y);
    F(pivot).set(i, x);
  }

  KOKKOS_FUNCTION void make_reflector(int m, int k, Real norm) const {
    int const i = group_.row;
    Polar<Real> const alpha = polar_form(F(k)(k));
    Value const factor = conjugate(alpha.phase) / (alpha.size + norm);
    group_.warp.sync();  // all have read it
    if (i > k && i < m) F(k).set(i, F(k)(i) * factor);
    if (i == k) {
      F(k).set(k, alpha.phase * -norm);
      scratch_.tau[k] = (alpha.size + norm) / norm;
    }
    group_.warp.sync();
  }

  /// x -= tau·(vᴴ·x)·v, v reflector k.
  KOKKOS_FUNCTION void reflect(int m, int k, Column const& x) const {
    Column const v = F(k);
    Real re = x.re(k), im = x.im(k);
    for (int i = k + 1; i < m; ++i) {
      re = Kokkos::fma(v.re(i), x.re(i), Kokkos::fma(v.im(i), x.im(i), re));
      im = Kokkos::fma(v.re(i), x.im(i), Kokkos::fma(-v.im(i), x.re(i), im));
    }
    Real const tau = scratch_.tau[k], wr = -tau * re, wi = -tau * im;
    x.re(k) += wr;
    x.im(k) += wi;
    for (int i = k + 1; i < m; ++i) {
      x.re(i) = Kokkos::fma(wr, v.re(i), Kokkos::fma(-wi, v.im(i), x.re(i)));
      x.im(i) = Kokkos::fma(wr, v.im(i), Kokkos::fma(wi, v.re(i), x.im(i)));
    }
  }

  Group group_;
  Scratch& scratch_;
};

}  // namespace carroll::detail
