// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace carroll::detail {

/// Arithmetic modulo an odd p < 2^29 without divisions (Montgomery, "Modular multiplication without
/// trial division", Math. Comp. 44, 1985), with R = 2^32. x is "in Montgomery form" when it stands
/// for x·R⁻¹; the product of a number in that form and a plain one is plain.
///
/// Why 29 bits: a sum of eight products stays below p·R, so that one reduction (two products more)
/// serves eight, at 1.25 multiplications for each 29 bits of the determinant. Below 2^31 it is 2
/// products to a reduction, hence 2 for 31 bits, and below 2^32 it is 3 for 32. Hosts and GPUs
/// alike have the one instruction that all this needs, 32×32 → 64 bits, and GPUs add to it for
/// nothing.
struct Montgomery {
  static constexpr int prime_bits = 29;
  static constexpr int products_per_reduction = 1 << (32 - prime_bits);

  std::uint32_t p;
  std::uint32_t negated_inverse;  ///< -1/p mod R
  std::uint32_t r;                ///< R mod p: 1 in Montgomery form
  std::uint32_t r_squared;        ///< R² mod p

  KOKKOS_FUNCTION explicit Montgomery(std::uint32_t prime) : p(prime) {
    std::uint32_t inverse = p;  // right in the last 3 bits, as p² = 1 mod 8; each step doubles them
    for (int bits = 3; bits < 32; bits *= 2) inverse *= 2U - p * inverse;
    negated_inverse = 0U - inverse;
    r = static_cast<std::uint32_t>((std::uint64_t{1} << 32U) % p);
    r_squared = static_cast<std::uint32_t>(std::uint64_t{r} * r % p);
  }

  /// sum/R mod p, in [0, 2p), for a sum below p·R; in [0, 3p) for one below 2·p·R.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lazy_reduce(std::uint64_t sum) const {
    std::uint32_t const multiple = static_cast<std::uint32_t>(sum) * negated_inverse;
    return static_cast<std::uint32_t>((sum + std::uint64_t{multiple} * p) >> 32U);
  }
  /// x, or x + p if x, taken as signed, is negative.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t raise(std::uint32_t x) const {
    return x + (p & (0U - (x >> 31U)));
  }
  /// sum/R mod p, in [0, p), for a sum below p·R.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t reduce(std::uint64_t sum) const {
    return raise(lazy_reduce(sum) - p);
  }
  /// x − sum/R mod p, in [0, p), for x in [0, p) and a sum below p·R.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t subtract(std::uint32_t x, std::uint64_t sum) const {
    return raise(raise(x - lazy_reduce(sum)));
  }
  /// a·b/R mod p, in [0, p), for a·b < p·R.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t multiply(std::uint32_t a, std::uint32_t b) const {
    return reduce(std::uint64_t{a} * b);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t to_form(std::uint32_t x) const {
    return multiply(x, r_squared);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t from_form(std::uint32_t x) const { return reduce(x); }

  /// base^exponent, both powers in Montgomery form; exponent > 0.
  KOKKOS_FUNCTION std::uint32_t power(std::uint32_t base, std::uint32_t exponent) const {
    std::uint32_t result = r;
    for (; exponent > 1; exponent /= 2) {
      if (exponent % 2 == 1) result = multiply(result, base);
      base = multiply(base, base);
    }
    return multiply(result, base);
  }
  /// 1/x of x != 0, both in Montgomery form, by Fermat's theorem: as many steps for every x.
  KOKKOS_FUNCTION std::uint32_t inverse(std::uint32_t x) const { return power(x, p - 2); }

  /// An integer mod p, in [0, p). Two's complement is the integer itself plus 2^32 or 2^64 if it is
  /// negative.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t residue(std::int32_t x) const {
    auto const word = static_cast<std::uint32_t>(x);
    std::uint32_t const wrapped = r & (0U - (word >> 31U));
    return raise(reduce(std::uint64_t{word} * r) - wrapped);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t residue(std::int64_t x) const {
    auto const words = static_cast<std::uint64_t>(x);
    auto const low = static_cast<std::uint32_t>(words);
    auto const high = static_cast<std::uint32_t>(words >> 32U);
    std::uint32_t const wrapped = r_squared & (0U - (high >> 31U));
    std::uint32_t const sum = lazy_reduce(std::uint64_t{low} * r + std::uint64_t{high} * r_squared);
    return raise(raise(raise(sum - p) - p) - wrapped);
  }
};

}  // namespace carroll::detail
