// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/complex_svd/host_block/lines.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <limits>

namespace carroll::detail::complex_blocks {

/// The rotations of pairs of columns that have none in common, lane by lane: `make_rotation`,
/// without its cosine, and the phase. What is not filled in is a pair to be let be.
template <class V, int pairs>
struct PairAngles {
  using Real = typename V::Number;
  static constexpr int count = std::max(pairs, V::width);

  alignas(64) Real x_square[count], y_square[count], re[count], im[count];
  alignas(64) Real x_factor[count], y_factor[count];
  alignas(64) BitsOf<Real> apart[count];  ///< y's exponent minus that of x

  alignas(64) Real size[count];  ///< of the cosine of the columns
  alignas(64) Real loss[count];  ///< 1 less the cosine of the angle
  bool turns[count], x_longer[count];

  PairAngles() {
    std::fill_n(x_square, count, Real(1));
    std::fill_n(y_square, count, Real(1));
    std::fill_n(x_factor, count, Real(1));
    std::fill_n(y_factor, count, Real(1));
    std::fill_n(re, count, Real(0));
    std::fill_n(im, count, Real(0));
    std::fill_n(apart, count, 0);
  }

  void set(int k, PairMoments<Real> const& found) {
    x_square[k] = found.x_square;
    y_square[k] = found.y_square;
    re[k] = found.re;
    im[k] = found.im;
  }

  /// Are all columns of lengths at which nothing under- or overflows?
  bool are_regular() const {
    Real const least = power_of_two<Real>(-16), most = power_of_two<Real>(16);
    bool regular = true;
    for (int k = 0; k < count; ++k)
      for (Real const square :
           {x_square[k] * x_factor[k] * x_factor[k], y_square[k] * y_factor[k] * y_factor[k]})
        regular = regular && square > least && square < most;
    return regular;
  }

  void find(Real rotate_above) {
    V const one = Real(1), half = Real(0.5);
    Mask const far = std::numeric_limits<Real>::max_exponent - 32;
    for (int k = 0; k < count; k += V::width) {
      V const x_norm = sqrt(V::load(x_square + k)), y_norm = sqrt(V::load(y_square + k));
      V const norms = x_norm * y_norm;
      V const cr = V::load(re + k) / norms, ci = V::load(im + k) / norms;
      V const modulus = sqrt(accumulate(cr * cr, ci, ci));
      Mask const turned = modulus > V(rotate_above);
      V const p = V::load(x_factor + k), q = V::load(y_factor + k);
      V const x = p * x_norm, y = q * y_norm;
      Mask const e = max(min(*reinterpret_cast<Mask const*>(apart + k), far), -far);
      V const y_up = V::power_of_two(e);
      Mask const longer = y * y_up <= x;
      V const up = select(longer, y_up, V::power_of_two(-e));
      V const mantissas = select(longer, y, x) / select(longer, x, y);
      V const ratio = mantissas * up, product = modulus * ratio;
      V const difference = (one - ratio) * (one + ratio) * half;
      V const root =
          max(difference + sqrt(accumulate(difference * difference, product, product)), product);
      V const to_shorter = modulus * mantissas / select(turned, root, one);
      V const tangent = to_shorter * up;
      V const to_longer = tangent * up;
      V const x_from_y = select(longer, to_longer, -to_shorter) * q / p;
      V const y_from_x = select(longer, -to_shorter, to_longer) * p / q;
      V const sign = select(longer, tangent, -tangent);
      V const unit = select(turned, modulus, one);
      V const phase_re = cr / unit, phase_im = ci / unit;
      keep(x_turns, k, x_from_y, y_from_x, phase_re, phase_im);
      keep(j_turns, k, sign * q / p, -sign * p / q, phase_re, phase_im);
      store(size + k, modulus);
      V const c = one / sqrt(accumulate(one, tangent, tangent)), s = c * tangent;
      store(loss + k, s * (s / (one + c)));
      for (int l = 0; l < V::width; ++l) {
        turns[k + l] = turned[l] != 0;
        x_longer[k + l] = longer[l] != 0;
      }
    }
  }

  /// The longer column of the pair comes first.
  PairTurn<Real> turn_of_columns(int k) const { return turn(x_turns, k); }
  PairTurn<Real> turn_of_rotations(int k) const { return turn(j_turns, k); }

 private:
  using Mask = typename V::Mask;
  struct Turns {
    alignas(64) Real a_re[count], a_im[count], b_re[count], b_im[count];
  };

  static void keep(Turns& kept, int k, V const& x_from_y, V const& y_from_x, V const& re,
                   V const& im) {
    store(kept.a_re + k, x_from_y * re);
    store(kept.a_im + k, -x_from_y * im);
    store(kept.b_re + k, y_from_x * re);
    store(kept.b_im + k, y_from_x * im);
  }
  PairTurn<Real> turn(Turns const& of, int k) const {
    return {of.a_re[k], of.a_im[k], of.b_re[k], of.b_im[k], !x_longer[k]};
  }

  Turns x_turns, j_turns;
};

}  // namespace carroll::detail::complex_blocks
