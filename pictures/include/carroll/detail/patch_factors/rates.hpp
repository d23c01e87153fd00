// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/patch_factors/choose.hpp>
#include <cmath>
#include <cstdint>

namespace carroll::detail {

/// −64·log₂ of the part `count` of `all`, an integer; no part is taken for less than half of one.
inline std::int32_t rate_of(double count, double all) {
  return static_cast<std::int32_t>(std::lround(-64 * std::log2((count + .5) / (all + 1))));
}

/// What factors take, from how many of each component are not 0: an ideal code for that, a bit for
/// the sign, and 1.8 bits for every doubling of the size, which is what run and size codes take.
inline FactorRates factor_rates(std::int32_t const* counts, std::int64_t patches) {
  FactorRates rates{};
  auto const all = static_cast<double>(patches);
  for (int r = 0; r < 64; ++r) {
    rates.zero[r] = rate_of(all - counts[r], all);
    rates.other[r] = rate_of(counts[r], all) + 64;
  }
  for (int k = 1; k < FactorRates::sizes; ++k)
    rates.size[k] = static_cast<std::int32_t>(std::lround(64 * 1.8 * std::log2(k)));
  return rates;
}

}  // namespace carroll::detail
