// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/tiled/pair.hpp>

/// A rotation from an entry of a Gram matrix.
namespace carroll::detail {

/// A column: its squared norm as stored and its exponent, and where it was among the 64.
template <class Real>
struct GramColumn {
  Real square;
  int exponent;
  int column;
};

/// x' = x + (from_y·y - h·x) and so on; see Rotation.
template <class Real>
struct GramPairRotation {
  Real h, p_from_q, q_from_p;
};

/// Brings a norm near 1 by a power of two, which is returned; below `negligible_square` it is zero.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION int normalise(GramColumn<Real>& column) {
  bool const zero = column.square < negligible_square<Real>;
  int const shift = zero ? 0 : exponent_of(column.square) / 2;
  Real const down = power_of_two<Real>(-shift);
  column.square = zero ? Real(0) : column.square * down * down;
  column.exponent += shift;
  return shift;
}

/// The cosines that have been met.
struct GramCosines {
  float least_square;        ///< of those that are rotated
  float largest_square = 0;  ///< of all
  int rotations = 0;
};

/// What can be known of the next rotation before the product of its columns is. All in single
/// precision: an angle need not be exact; what must be is that it is a rotation.
struct GramAngle {
  float k;        ///< half the difference of the squared norms, in units of the longer column
  float up;       ///< the shorter column's unit by the longer's
  float by_both;  ///< 1/(|p|²·|q|²), 0 where a column has vanished
  bool p_longer;
};

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION GramAngle angle_of(GramColumn<Real> const& p_column,
                                               GramColumn<Real> const& q_column) {
  // What is left of a column that lost most of its length is rounding errors of G.
  constexpr float lost = 1.0F / (1 << 14);
  auto const p = static_cast<float>(p_column.square), q = static_cast<float>(q_column.square);
  // Beyond this distance the shorter column does not change the longer one, and must not: what
  // rounding would leave there is large in terms of what the columns stand for.
  constexpr int far = 60;
  int const apart = q_column.exponent - p_column.exponent;
  int const nearer = Kokkos::clamp(apart, -int{far}, int{far});
  float const q_up = power_of_two<float>(nearer);
  bool const p_longer = q * q_up * q_up <= p;
  float const up = nearer != apart ? 0.0F : power_of_two<float>(p_longer ? nearer : -nearer);
  return {.k = ((p_longer ? p : q) - (p_longer ? q : p) * up * up) / 2,
          .up = up,
          .by_both = p > lost && q > lost ? rough_reciprocal(p * q) : 0.0F,
          .p_longer = p_longer};
}

/// tan(atan(√x)/2)/√x for 0 <= x <= 1, wrong by less than 6e-6·x: least squares on Chebyshev
/// nodes.
KOKKOS_FORCEINLINE_FUNCTION float half_tangent(float x) {
  float const x2 = x * x;
  float const low = Kokkos::fma(-0.12499425F, x, 0.5F);
  float const mid = Kokkos::fma(-0.036289507F, x, 0.062190566F);
  float const high = Kokkos::fma(-0.0045974F, x, 0.017899822F);
  return Kokkos::fma(x2, Kokkos::fma(x2, high, mid), low);
}

/// The rotation of this lane's pair by the tangent g of `make_rotation`, in units of the two
/// columns: t = g·up. With τ, the tangent of half the angle, s = 2τ/(1 + τ²) and 1 - c = s·τ are
/// those of a rotation to working accuracy, whatever τ is.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION GramPairRotation<Real> find_rotation(GramAngle const& angle,
                                                                 Real product, GramColumn<Real>& p,
                                                                 GramColumn<Real>& q,
                                                                 GramCosines& met) {
  auto const x = static_cast<float>(product);
  float const square_cosine = x * x * angle.by_both;
  bool const wanted = square_cosine > met.least_square;
  met.largest_square = Kokkos::max(met.largest_square, square_cosine);
  met.rotations += wanted;
  float const d = x * angle.up;
  float const squares = angle.k * angle.k + d * d;
  float const root = squares * rough_rsqrt(Kokkos::max(squares, 0x1p-120F));
  float const inverse = rough_reciprocal(Kokkos::max(angle.k + root, Kokkos::abs(d)));
  float const g = wanted ? x * inverse : 0.0F;
  float const t = g * angle.up;
  auto const half = static_cast<Real>(g * half_tangent(t * t));
  auto const up2 = static_cast<Real>(angle.up * angle.up);
  Real const s = 2 * half * reciprocal(Kokkos::fma(half * up2, half, Real(1)));
  Real const to_longer = s * up2;
  Real const step = static_cast<Real>(g) * product, growth = up2 * step;
  p.square += angle.p_longer ? growth : -step;
  q.square += angle.p_longer ? -step : growth;
  return {.h = to_longer * half,
          .p_from_q = angle.p_longer ? to_longer : -s,
          .q_from_p = angle.p_longer ? -s : to_longer};
}

}  // namespace carroll::detail
