// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/vec3.hpp>
#include <cstdint>

namespace carroll::detail {

/// The bits of x with a zero after each.
inline std::uint32_t spread_bits(std::uint32_t x) {
  x = (x | x << 8U) & 0x00FF00FFU;
  x = (x | x << 4U) & 0x0F0F0F0FU;
  x = (x | x << 2U) & 0x33333333U;
  return (x | x << 1U) & 0x55555555U;
}

/// Where the direction `d` comes on Morton's curve through the cylinder around the sphere, azimuth
/// by height, which keeps areas.
inline std::uint32_t morton_place(Vec3<double> const& d) {
  double const length = Kokkos::sqrt(dot(d, d));
  double const turn = Kokkos::atan2(d[1], d[0]) / (2 * Kokkos::numbers::pi) + 0.5;
  double const height = length > 0 ? (d[2] / length + 1) / 2 : 0;
  auto const bits = [](double x) {
    return static_cast<std::uint32_t>(Kokkos::clamp(x * 0x10000, 0.0, 0xFFFF * 1.0));
  };
  return spread_bits(bits(turn)) | spread_bits(bits(height)) << 1U;
}

}  // namespace carroll::detail
