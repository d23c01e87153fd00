// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/polar.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/batch.hpp>

namespace carroll::detail {

/// H = I - v·vᴴ/h,  v = x - β·e₁,  β = -sign(Re x₁)·‖x‖,  h = vᴴ·x = ‖x‖² - β·x₁,  H·x = β·e₁
///
/// where, of real numbers, h = ‖x‖·(‖x‖ + |x₁|); of complex ones it is complex, and β real. Below
/// its first entry v is x.
template <class Value>
struct QrScaledReflector {
  RealOf<Value> beta;
  Value head, inverse;  ///< v's first entry; 1/h, or 0: no reflection
};

/// From x's first entry and the square of the norm of the rest, of columns scaled to entries of at
/// most 1: where that is negligible it counts as zero.
template <class Value>
KOKKOS_FORCEINLINE_FUNCTION QrScaledReflector<Value> make_scaled_reflector(Value const& alpha,
                                                                           RealOf<Value> tail) {
  using Real = RealOf<Value>;
  bool const reflects = tail > power_of_two<Real>(2 * negligible_part<Real>);
  Real const all = fused_square_sum(alpha, tail);
  Real const root = refined_rsqrt(all, rough_rsqrt(all));
  Real const norm = rounded_product(all, root);
  if constexpr (is_complex<Value>) {
    if (!reflects) {  // it takes the phase from alpha, whose square may be too small to be known
      auto const [size, phase] = polar_form(alpha);
      return {size, {Real(1), Real(0)}, {Real(1) - phase.real(), phase.imag()}};
    }
    // h = ‖x‖²·g; the square of h may be too small.
    bool const left = alpha.real() < Real(0);
    Real const beta = left ? norm : -norm;
    Real const g_re = Real(1) + Kokkos::abs(alpha.real()) * root;
    Real const g_im = (left ? -alpha.imag() : alpha.imag()) * root;
    Real const factor = normal_reciprocal(Kokkos::fma(g_re, g_re, g_im * g_im) * all);
    return {beta, {alpha.real() - beta, alpha.imag()}, {g_re * factor, -g_im * factor}};
  } else {
    Real const beta = !reflects ? alpha : alpha < Real(0) ? norm : -norm;
    return {beta, reflects ? alpha - beta : Real(0),
            reflects ? normal_reciprocal(Kokkos::fma(Kokkos::abs(alpha), norm, all)) : Real(0)};
  }
}

/// By which the square of a column's norm, 2^exponent longer than the lane knows it, becomes
/// comparable with others'. Columns of zeros, whose exponents mean nothing, do not count for what
/// the others are compared with.
template <class Group, class Real>
KOKKOS_FORCEINLINE_FUNCTION Real qr_column_weight(Group const& group, Real square, int exponent) {
  constexpr int farthest = -(exponent_bias<Real> / 2);
  int const most = group.max(square > Real(0) ? exponent : -4 * exponent_bias<Real>);
  return power_of_two<Real>(2 * Kokkos::min(Kokkos::max(exponent - most, farthest), 0));
}

/// The lane, the first of several, of the column that is left longest, the first of equals in
/// `place`s from k on, which takes place k. Called by all lanes, with what they know of a column
/// each.
template <class Group, class Real>
KOKKOS_FORCEINLINE_FUNCTION int choose_qr_column(Group const& group, Real left, int& place, int k,
                                                 int steps) {
  constexpr int none = 1 << 20;
  Real const mine = place >= k ? left : Real(-1);
  Real const longest = group.max(mine);
  int const candidate = place >= k && mine == longest ? place : none;
  int const found = group.min(candidate);  // by all lanes, whose matrices may be done
  int const first = k < steps ? found : k;
  if (place == k)
    place = first;
  else if (place == first)
    place = k;
  return Kokkos::Experimental::countr_zero_builtin(group.ballot(place == k));
}

/// The numerical rank from R's diagonal, of which a lane knows the entry at `place`, 2^exponent
/// larger than it says: how many come before the first that does not exceed `tolerance` times the
/// first of all; 0 of a matrix that is not finite. Called by all lanes.
template <class Group, class Real>
KOKKOS_FORCEINLINE_FUNCTION int qr_rank(Group const& group, int place, Real diagonal, int exponent,
                                        int steps, Real tolerance, bool finite) {
  int const first = Kokkos::Experimental::countr_zero_builtin(group.ballot(place == 0));
  Real const largest = Kokkos::abs(group.from(diagonal, first));
  int const largest_exponent = group.from(exponent, first);
  Real const size = scale(Kokkos::abs(diagonal), exponent - largest_exponent);
  bool const counts = place < steps && size > tolerance * largest;
  int const rank = group.min(counts ? steps : Kokkos::min(place, steps));
  return finite ? rank : 0;
}

}  // namespace carroll::detail
