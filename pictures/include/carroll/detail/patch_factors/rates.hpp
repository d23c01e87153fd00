// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/patch_factors/types.hpp>
#include <cstdint>

namespace carroll::detail {

/// Bits of a factor, in 64ths: whether it is 0, by component, and how large it is.
struct FactorRates {
  static constexpr int sizes = 64;
  std::int32_t zero[64];
  std::int32_t other[64];
  std::int32_t size[sizes];  ///< the last one for all that are larger
};

/// log₂x in units of 2^-20, cut, of 1 ≤ x < 2^31, digit by digit: the square of a number from 1 to
/// 2 is above 2 where the next digit of its logarithm is 1. Integers, so that every device has the
/// bits of every other, which libraries' logarithms have not.
KOKKOS_INLINE_FUNCTION std::int64_t log2_in_millionths(std::uint64_t x) {
  int whole = 0;
  while (x >> (whole + 1) != 0) ++whole;
  std::uint64_t part = x << (31 - whole);  // from 2^31 to 2^32
  std::int64_t log = whole;
  for (int digit = 0; digit < 20; ++digit) {
    part = part * part >> 31;
    log *= 2;
    if (part >> 32 != 0) {
      part >>= 1;
      ++log;
    }
  }
  return log;
}

/// What factors take, from how many of each component are not 0: an ideal code for that, a bit for
/// the sign, and 1.8 bits for every doubling of the size, which is what run and size codes take. No
/// part is taken for less than half of one. A work item for each component, and for each size.
template <class Counts, class Rates>
struct FindFactorRates {
  Counts counts;  ///< by component
  Rates rates;
  std::int64_t patches;

  KOKKOS_FUNCTION void operator()(int r) const {
    FactorRates& found = rates();
    std::int64_t const some = counts(r);
    found.zero[r] = rate_of(patches - some);
    found.other[r] = rate_of(some) + 64;
    found.size[r] = r < 1 ? 0 : nearest_64th(log2_in_millionths(std::uint64_t(r)) * 18 / 10);
  }

 private:
  KOKKOS_FUNCTION static std::int32_t nearest_64th(std::int64_t log) {
    return static_cast<std::int32_t>((log + (1 << 13)) >> 14);
  }
  /// −log₂ of the part `count` of all patches.
  KOKKOS_FUNCTION std::int32_t rate_of(std::int64_t count) const {
    return nearest_64th(log2_in_millionths(std::uint64_t(2 * (patches + 1))) -
                        log2_in_millionths(std::uint64_t(2 * count + 1)));
  }
};

/// What is told of factors, from how many of each component are not 0.
template <class Counts>
KOKKOS_INLINE_FUNCTION PatchFactorInfo factor_info(Counts const& counts, PatchBasis basis) {
  PatchFactorInfo info;
  info.basis = basis;
  for (int r = 1; r < patch_samples; ++r) {
    info.non_zero += counts(r);
    if (counts(r) > 0) info.components = r + 1;
  }
  return info;
}

/// The same, written where the caller wants it.
template <class Counts, class Info>
struct WriteFactorInfo {
  Counts counts;
  Info info;
  PatchBasis basis;
  KOKKOS_FUNCTION void operator()(int) const { info() = factor_info(counts, basis); }
};

}  // namespace carroll::detail
