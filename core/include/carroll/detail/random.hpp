// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <cstdint>

/// Random numbers as a function of (seed, stream, index): no state, so that every entry of a random
/// matrix can be made by any thread, in any order, with the same bits.
namespace carroll::detail {

/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
/// SC'11): ten rounds of multiply and xor that turn a counter into 128 random bits.
KOKKOS_INLINE_FUNCTION Kokkos::Array<std::uint32_t, 4> philox(
    std::uint64_t key, Kokkos::Array<std::uint32_t, 4> const& counter) {
  std::uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32U);
  for (int round = 0; round < 10; ++round) {
    std::uint64_t const p0 = std::uint64_t{0xD2511F53U} * c0;
    std::uint64_t const p1 = std::uint64_t{0xCD9E8D57U} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32U) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32U) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return {c0, c1, c2, c3};
}

/// A standard normal number (Box and Muller 1958) from two uniform ones with all the digits that
/// Real holds. Streams of one seed are independent of each other.
template <class Real>
KOKKOS_INLINE_FUNCTION Real random_normal(std::uint64_t seed, std::uint32_t stream,
                                          std::uint64_t index) {
  auto const bits = philox(seed, {static_cast<std::uint32_t>(index),
                                  static_cast<std::uint32_t>(index >> 32U), stream, 0});
  constexpr int unused = 63 - mantissa_bits<Real>;
  auto const uniform = [](std::uint32_t high, std::uint32_t low) {
    std::uint64_t const word = (std::uint64_t{high} << 32U | low) >> unused;
    return (static_cast<Real>(word) + Real(0.5)) * power_of_two<Real>(-mantissa_bits<Real> - 1);
  };
  Real const radius = Kokkos::sqrt(Real(-2) * Kokkos::log(uniform(bits[0], bits[1])));
  return radius * Kokkos::cos(2 * Kokkos::numbers::pi_v<Real> * uniform(bits[2], bits[3]));
}

}  // namespace carroll::detail
