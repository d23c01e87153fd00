// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>

/// A depth column, or a piece of one, that has been eliminated from its rows:
///
///   d = uᵀu,  β = uᵀB/d,  γ = uᵀr/d,  so that ξ = γ - βy;  β = γ = 0 where d = 0.
///
/// Two pieces of one column are put together by a rotation of their rows (√d, √d·β, √d·γ):
///
///   d = d₁ + d₂,  β = β₁ + (d₂/d)(β₂ - β₁),  and the row √(d₁d₂/d)·(β₂ - β₁ | γ₂ - γ₁)
///
/// is left of them for the motion columns; β is had from that of the larger piece, for that of one
/// next to nothing may be large, and would cancel. No difference of squares is formed (Chan, Golub
/// and LeVeque, Am. Stat. 37, 1983, do the same for variances). Damping by μ is a piece with d₂ = μ
/// and β₂ = γ₂ = 0.
namespace carroll::detail {

/// Adds the piece `other`, d₂, γ₂, β₂, to `group`, and turns `other` into the row that is left,
/// (·, γ, β). Both have k + 2 entries.
KOKKOS_INLINE_FUNCTION void merge_groups(double* group, double* other, int k) {
  double const d = group[0] + other[0];
  bool const is_smaller = group[0] < other[0];
  // The share of the smaller one first: no product or quotient of the two can overflow.
  double const share = d > 0 ? (is_smaller ? group[0] : other[0]) / d : 0;
  double const root = Kokkos::sqrt((is_smaller ? other[0] : group[0]) * share);
  for (int c = 1; c < k + 2; ++c) {
    double const difference = other[c] - group[c];
    group[c] = is_smaller ? multiply_add(-share, difference, other[c])
                          : multiply_add(share, difference, group[c]);
    other[c] = root * difference;
  }
  group[0] = d;
}

/// What is to be taken off the rows for damping by μ: 1 - √(μ/(d+μ)) times u·β. The row that the
/// damping leaves then stands in the rows themselves, in the direction of u, which is free: E and u
/// are orthogonal.
KOKKOS_INLINE_FUNCTION double damped_share(double d, double mu) {
  return mu > 0 ? 1 - Kokkos::sqrt(mu / (d + mu)) : 1;
}

}  // namespace carroll::detail
