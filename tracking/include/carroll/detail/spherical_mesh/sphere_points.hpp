// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/vec3.hpp>
#include <cstdint>

namespace carroll::detail {

/// Point `index` of a sequence that fills a band of the sphere evenly, however many points are
/// taken: the additive recurrence of the plastic number, x³ = x + 1 (Roberts, "The unreasonable
/// effectiveness of quasirandom sequences", 2018), carried from the unit square to the sphere by
/// Archimedes' map, which keeps areas. The recurrence is in integers: the same points everywhere
/// but for the rounding of sine and cosine.
inline Vec3<double> sphere_point(std::uint64_t index, double lowest = -1, double highest = 1) {
  constexpr std::uint64_t first = 0xC13FA9A902A6328FU;   // 2⁶⁴/x
  constexpr std::uint64_t second = 0x91E10DA5C79E7B1CU;  // 2⁶⁴/x²
  auto const fraction = [](std::uint64_t bits) {
    return (static_cast<double>(bits >> 12U) + 0.5) * power_of_two<double>(-52);
  };
  double const z = lowest + (highest - lowest) * fraction(second * (index + 1));
  double const azimuth = 2 * Kokkos::numbers::pi * (fraction(first * (index + 1)) - 0.5);
  double const r = Kokkos::sqrt(Kokkos::fmax(0.0, 1 - z * z));
  return {r * Kokkos::cos(azimuth), r * Kokkos::sin(azimuth), z};
}

}  // namespace carroll::detail
