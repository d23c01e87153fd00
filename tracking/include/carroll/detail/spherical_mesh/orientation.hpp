// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/vec3.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>

/// On which side of a plane a point is, without rounding. Corners of an image stand in rows and
/// columns, which a pinhole puts into planes with the centre: there rounding decides, differently
/// for every question that is asked of the same points, and a triangulation that believes its
/// answers contradicts itself. So points are taken to a lattice first, by not more than what their
/// own rounding may have moved them, and the answers there are exact: those of one set of points.
namespace carroll::detail {

__extension__ typedef __int128 Int128;  // of g++, clang and nvcc; NOLINT(modernize-use-using)

/// Multiples of 2⁻⁵³, the spacing of double precision below 1.
using LatticePoint = Kokkos::Array<std::int64_t, 3>;

/// `p` of length 1, or less.
inline LatticePoint on_lattice(Vec3<double> const& p) {
  LatticePoint point{};
  for (std::size_t k = 0; k < 3; ++k)
    point[k] = static_cast<std::int64_t>(std::llrint(p[k] * 0x1p53));
  return point;
}

inline LatticePoint difference(LatticePoint const& a, LatticePoint const& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// The sign of det(a, b, c) of coordinates up to 2⁵⁴: 1 where a, b, c go round anticlockwise, seen
/// from outside the sphere; 0: a plane with the centre. Minors have 110 bits, and a product of one
/// with a coordinate 164: two words of 128 bits, 64 apart.
inline int orientation(LatticePoint const& a, LatticePoint const& b, LatticePoint const& c) {
  Int128 high = 0, low = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    std::size_t const j = (i + 1) % 3, k = (i + 2) % 3;
    Int128 const minor = Int128{b[j]} * c[k] - Int128{b[k]} * c[j];
    high += (minor >> 64) * a[i];
    low += Int128{static_cast<std::uint64_t>(minor)} * a[i];
  }
  high += low >> 64;
  if (high != 0) return high > 0 ? 1 : -1;
  return static_cast<std::uint64_t>(low) != 0 ? 1 : 0;
}

/// The same for rays: by double precision where that can tell. Of rays of length 1 a triple product
/// is wrong by less than 5·2⁻⁵³ for each of the six products of its permanent, which is at most 6,
/// and the way to the lattice moves it by not more than 3·√3·2⁻⁵⁴: together below 2⁻⁴⁷.
inline int orientation_of(double product, Vec3<double> const& a, Vec3<double> const& b,
                          Vec3<double> const& c) {
  constexpr double doubt = 0x1p-47;
  if (product > doubt) return 1;
  if (product < -doubt) return -1;
  return orientation(on_lattice(a), on_lattice(b), on_lattice(c));
}

/// Is a corner of a, b, c, which go round anticlockwise, so near to the great circle of the other
/// two that rounding decides on which side it is? A coordinate's rounding moves the height of the
/// triangle by 2⁻⁵³ at most; its weights V⁻ᵀs mean nothing then.
inline bool is_flat(Vec3<double> const& a, Vec3<double> const& b, Vec3<double> const& c) {
  Vec3<double> const ab = along(b, -1.0, a), ac = along(c, -1.0, a), bc = along(c, -1.0, b);
  double const longest =
      Kokkos::sqrt(Kokkos::fmax(dot(ab, ab), Kokkos::fmax(dot(ac, ac), dot(bc, bc))));
  // det(a, b, c) is the length of an edge times the height above it, as the sphere sees them.
  return !(triple_product(a, ab, ac) > 0x1p-48 * longest);
}

}  // namespace carroll::detail
