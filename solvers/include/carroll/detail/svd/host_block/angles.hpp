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
template <class V, int half>
struct GramAngles {
  using Real = typename V::Number;

  alignas(64) Real x[half], y[half];  ///< squared lengths; `find` brings them up to date
  alignas(64) Real d[half];           ///< products
  alignas(64) Real x_least[half], y_least[half];  ///< shorter, they are rounding errors
  alignas(64) BitsOf<Real> apart[half];           ///< y's exponent minus that of x

  /// The angles as `simd::find_rotation` finds them. Returns how many are not zero, or -1 if two
  /// columns are parallel.
  int find(PairRule<Real> const& rule, GramMeeting<Real>& met, GramShears<Real, half>& shears) {
    V const one = Real(1), zero = Real(0);
    V const rotate_above = rule.rotate_above * rule.rotate_above;
    V const almost = 1 - 16 * Kokkos::Experimental::epsilon_v<Real>;
    V most = zero, cosines = zero, turns = zero;
    M rotations = 0, parallel = 0;
    for (int v = 0; v < vectors; ++v) {
      int const at = v * L;
      V const x_square = V::load(x + at), y_square = V::load(y + at), product = V::load(d + at);
      // What is left of a column that lost most of its length is rounding errors of G.
      M const usable = (x_square > V::load(x_least + at)) & (y_square > V::load(y_least + at));
      V const squares = select(usable, x_square * y_square, one);
      V const square_cosine = select(usable, product * product / squares, zero);
      most = max(most, square_cosine);
      cosines += square_cosine;
      M const rotated = square_cosine > rotate_above;
      rotations -= rotated;
      parallel |= square_cosine > almost;
      M const far = std::numeric_limits<Real>::max_exponent / 3;
      M const e = max(min(*reinterpret_cast<M const*>(apart + at), far), -far);
      V const y_up = V::power_of_two(e);
      M const x_longer = y_square * y_up * y_up <= x_square;
      V const up = select(x_longer, y_up, V::power_of_two(-e));
      V const a = select(x_longer, x_square, y_square);
      V const b = select(x_longer, y_square, x_square);
      V const dd = product * up;
      V const k = (a - b * up * up) * V(Real(0.5));
      V const root = max(k + sqrt(accumulate(k * k, dd, dd)), abs(dd));
      V const inverse = select(rotated, one / select(rotated, root, one), zero);
      V const t = dd * inverse;
      V const t_over_up = product * inverse;
      V const r = sqrt(accumulate(one, t, t));
      V const share = one / (r * (one + r));
      V const to_x = select(x_longer, t * up, -t_over_up);
      V const to_y = select(x_longer, -t_over_up, t * up);
      store(shears.h + at, to_x * r * share);
      store(shears.s + at, to_y * (one + r) * share);
      V const longer = accumulate(a, t, dd), shorter = b - t_over_up * product;
      store(x + at, select(x_longer, longer, shorter));
      store(y + at, select(x_longer, shorter, longer));
      V const way = a * inverse;
      turns += square_cosine * way * way;
    }
    int count = 0;
    for (int l = 0; l < L; ++l) {
      met.square_cosine = Kokkos::max(met.square_cosine, most[l]);
      count += static_cast<int>(rotations[l]);
    }
    met.cosines += sum_of(cosines);
    met.turns += sum_of(turns);
    if (count == 0) return 0;
    if (any(parallel)) return -1;
    return count;
  }

 private:
  using M = typename V::Mask;
  static constexpr int L = V::width;
  static constexpr int vectors = half / L;
  static_assert(half % L == 0);
};

}  // namespace carroll::detail::blocks
