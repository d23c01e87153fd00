// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

/// Vectors of three numbers, and what the geometry on a sphere needs of them.
namespace carroll::detail {

template <class Real>
using Vec3 = Kokkos::Array<Real, 3>;

template <class Real>
KOKKOS_INLINE_FUNCTION Real dot(Vec3<Real> const& a, Vec3<Real> const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <class Real>
KOKKOS_INLINE_FUNCTION Vec3<Real> cross(Vec3<Real> const& a, Vec3<Real> const& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// a·(b×c): above 0 where a, b, c go round anticlockwise, seen from outside the sphere.
template <class Real>
KOKKOS_INLINE_FUNCTION Real triple_product(Vec3<Real> const& a, Vec3<Real> const& b,
                                           Vec3<Real> const& c) {
  return dot(a, cross(b, c));
}

/// x + t·d
template <class Real>
KOKKOS_INLINE_FUNCTION Vec3<Real> along(Vec3<Real> const& x, Real t, Vec3<Real> const& d) {
  return {x[0] + t * d[0], x[1] + t * d[1], x[2] + t * d[2]};
}

/// Row i of an M×3 View.
template <class View>
KOKKOS_INLINE_FUNCTION Vec3<typename View::non_const_value_type> row_of(View const& rows, int i) {
  return {rows(i, 0), rows(i, 1), rows(i, 2)};
}

}  // namespace carroll::detail
