// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/common/householder.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/host_block/tiles.hpp>
#include <limits>

/// Angles of many rotations at once, lane by lane.
namespace carroll::detail::blocks {

/// What the sets of a meeting of two blocks have seen.
template <class Real>
struct GramMeeting {
  Real square_cosine = 0;  ///< the largest
  Real cosines = 0;        ///< Σ of squares
  Real turns = 0;          ///< Σ of squared ways of columns, in units of their lengths
  int rotations = 0;
};

/// Coefficients of a set: x += half·y, y += sine·x, x += half·y.
template <class Real, int half>
struct GramShears {
  alignas(64) Real h[half];
  alignas(64) Real s[half];
};

/// `half` pairs of columns.
template <class Real, int half>
struct GramAngles {
  alignas(64) Real x[half], y[half];  ///< squared lengths; `find` brings them up to date
  alignas(64) Real d[half];           ///< products
  alignas(64) Real x_least[half], y_least[half];  ///< shorter, they are rounding errors
  alignas(64) BitsOf<Real> apart[half];           ///< y's exponent minus that of x

  /// The angles as `simd::find_rotation` finds them. Returns how many are not zero, or -1 if two
  /// columns are parallel.
  int find(PairRule<Real> const& rule, GramMeeting<Real>& met, GramShears<Real, half>& shears) {
    V const one = broadcast(Real(1));
    V const rotate_above = broadcast(rule.rotate_above * rule.rotate_above);
    V const almost = broadcast(1 - 16 * Kokkos::Experimental::epsilon_v<Real>);
    V most{}, cosines{}, turns{};
    M rotations{}, parallel{};
    for (int v = 0; v < vectors; ++v) {
      int const at = v * L;
      V const x_square = load(x + at), y_square = load(y + at), product = load(d + at);
      // What is left of a column that lost most of its length is rounding errors of G.
      M const usable = (x_square > load(x_least + at)) & (y_square > load(y_least + at));
      V const squares = usable ? x_square * y_square : one;
      V const square_cosine = usable ? product * product / squares : V{};
      most = larger(most, square_cosine);
      cosines += square_cosine;
      M const rotated = square_cosine > rotate_above;
      rotations -= rotated;
      parallel |= square_cosine > almost;
      M const far = M{} + std::numeric_limits<Real>::max_exponent / 3;
      M e = *reinterpret_cast<M const*>(apart + at);
      e = e > far ? far : e < -far ? -far : e;
      V const y_up = power_of_two_of(e);
      M const x_longer = y_square * y_up * y_up <= x_square;
      V const up = x_longer ? y_up : power_of_two_of(-e);
      V const a = x_longer ? x_square : y_square;
      V const b = x_longer ? y_square : x_square;
      V const dd = product * up;
      V const k = (a - b * up * up) * broadcast(Real(0.5));
      V const root = larger(k + square_root<Real>(accumulate(k * k, dd, dd)), absolute(dd));
      V const inverse = rotated ? one / (rotated ? root : one) : V{};
      V const t = dd * inverse;
      V const t_over_up = product * inverse;
      V const r = square_root<Real>(accumulate(one, t, t));
      V const share = one / (r * (one + r));
      V const to_x = x_longer ? t * up : -t_over_up;
      V const to_y = x_longer ? -t_over_up : t * up;
      store<Real>(shears.h + at, to_x * r * share);
      store<Real>(shears.s + at, to_y * (one + r) * share);
      store<Real>(x + at, x_longer ? accumulate(a, t, dd) : b - t_over_up * product);
      store<Real>(y + at, x_longer ? b - t_over_up * product : accumulate(a, t, dd));
      V const way = a * inverse;
      turns += square_cosine * way * way;
    }
    int count = 0;
    for (int l = 0; l < L; ++l) {
      met.square_cosine = Kokkos::max(met.square_cosine, most[l]);
      count += static_cast<int>(rotations[l]);
    }
    met.cosines += lane_total<Real>(cosines);
    met.turns += lane_total<Real>(turns);
    if (count == 0) return 0;
    if (!none<Real>(parallel)) return -1;
    return count;
  }

 private:
  using V = Vector<Real>;
  using M = IntVector<Real>;
  static constexpr int L = length<Real>;
  static constexpr int vectors = half / L;
  static_assert(half % L == 0);

  static V power_of_two_of(M e) {
    return reinterpret_cast<V>((e + exponent_bias<Real>) << mantissa_bits<Real>);
  }
  static V absolute(V x) { return x < V{} ? -x : x; }
  static V larger(V a, V b) { return a > b ? a : b; }
};

}  // namespace carroll::detail::blocks
