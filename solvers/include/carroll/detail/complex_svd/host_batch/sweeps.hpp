// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/complex_svd/host_batch/work.hpp>

/// One-sided Jacobi on as many complex matrices as a register has lanes.
namespace carroll::detail::simd {

/// What the sweeps did in each lane.
template <class Pack>
struct ComplexSweeps {
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  Ints sweeps = Ints(0), rotations = Ints(0);
  Pack max_cosine = Pack(0);
  Mask converged = Mask(0);
};

/// x' = x - s·e^{-iφ}·y - h·x, y' = y + s·e^{iφ}·x - h·y; `from_y` is -s·e^{-iφ}.
template <class Pack>
void rotate_complex_packs(ComplexPack<Pack>* x, ComplexPack<Pack>* y, int n,
                          ComplexPack<Pack> const& from_y, Pack const& h) {
  for (int i = 0; i < n; ++i) {
    ComplexPack<Pack> const p = x[i], q = y[i];
    x[i].re = p.re + subtract_product(subtract_product(from_y.re * q.re, from_y.im, q.im), h, p.re);
    x[i].im = p.im + subtract_product(accumulate(from_y.re * q.im, from_y.im, q.re), h, p.im);
    // -conj(from_y)·x
    y[i].re = q.re - accumulate(accumulate(from_y.re * p.re, from_y.im, p.im), h, q.re);
    y[i].im = q.im - accumulate(subtract_product(from_y.re * p.im, from_y.im, p.re), h, q.im);
  }
}

/// Makes columns p and q orthogonal in the lanes where the rule does not let them be:
///
///   t = g/(d + sign(d)·√(d² + g²)),  d = (‖y‖² - ‖x‖²)/L,  g = 2·|xᴴ·y|/L,  L the larger square
///
/// h = 1 - cos is what is used of the cosine: see Rotation. Lanes let be stay as they are, bit by
/// bit.
template <class Pack>
void orthogonalise_complex_packs(ComplexSvdWork<Pack> const& at, int p, int q,
                                 Pack const& tolerance, typename Pack::Mask const& active,
                                 bool accumulates, ComplexSweeps<Pack>& result) {
  using Mask = typename Pack::Mask;
  int const n = at.n;
  ComplexPack<Pack> const g = complex_dot(at.x(p), at.x(q), 0, n, {Pack(0), Pack(0)});
  Pack const product = sqrt(at.squares[p]) * sqrt(at.squares[q]);
  Mask const both = active & (product > Pack(0));
  Pack const inverse = select(both, Pack(1) / select(both, product, Pack(1)), Pack(0));
  Pack const cr = g.re * inverse, ci = g.im * inverse;
  Pack const size = sqrt(accumulate(cr * cr, ci, ci));
  result.max_cosine = select(both & (size > result.max_cosine), size, result.max_cosine);
  Mask const turns = both & (size > tolerance);
  if (!any(turns)) return;
  result.rotations -= turns;  // all bits of a lane are -1
  Pack const larger = select(turns, max(at.squares[p], at.squares[q]), Pack(1));
  Pack const difference = (at.squares[q] - at.squares[p]) / larger;
  Pack const twice = Pack(2) * size * product / larger;
  Pack const root = abs(difference) + sqrt(accumulate(difference * difference, twice, twice));
  Pack const size_of_t = twice / select(turns, root, Pack(1));
  Pack const t = select(difference < Pack(0), -size_of_t, size_of_t);
  Pack const c = Pack(1) / sqrt(accumulate(Pack(1), t, t));
  Pack const sine = select(turns, c * t, Pack(0));
  Pack const h = sine * (sine / (Pack(1) + c));
  Pack const unit = select(turns, size, Pack(1));
  // -s·e^{-iφ}, e^{iφ} = (cr + i·ci)/size
  ComplexPack<Pack> const from_y{-sine * (cr / unit), sine * (ci / unit)};
  rotate_complex_packs(at.x(p), at.x(q), n, from_y, h);
  if (accumulates) rotate_complex_packs(at.j(p), at.j(q), n, from_y, h);
  at.squares[p] = select(turns, sum_of_squares(at.x(p), 0, n), at.squares[p]);
  at.squares[q] = select(turns, sum_of_squares(at.x(q), 0, n), at.squares[q]);
}

/// Sweeps in row-cyclic order until the columns of X are orthogonal in every lane of `works`. Lanes
/// that have converged are let be while others go on. 8·n flops a pair and lane, 24·n more if it is
/// rotated, 16·n with J.
template <class Pack>
ComplexSweeps<Pack> sweep_complex(ComplexSvdWork<Pack> const& at, Pack const& tolerance,
                                  int max_sweeps, typename Pack::Mask const& works,
                                  bool accumulates) {
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  ComplexSweeps<Pack> result;
  for (int j = 0; j < at.n; ++j) at.squares[j] = sum_of_squares(at.x(j), 0, at.n);
  for (int sweep = 1; sweep <= max_sweeps; ++sweep) {
    Mask const active = works & ~result.converged;
    if (!any(active)) break;
    result.sweeps = select(active, Ints(sweep), result.sweeps);
    result.max_cosine = select(active, Pack(0), result.max_cosine);
    for (int p = 0; p < at.n; ++p)
      for (int q = p + 1; q < at.n; ++q)
        orthogonalise_complex_packs(at, p, q, tolerance, active, accumulates, result);
    result.converged = result.converged | (active & (result.max_cosine <= tolerance));
  }
  return result;
}

}  // namespace carroll::detail::simd
