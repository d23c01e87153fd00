// SPDX-License-Identifier: BSD-3-Clause
#include "svd/energy.hpp"

#include <algorithm>
#include <cmath>

namespace carroll::tool {

std::vector<double> cumulative_energy(std::vector<double> const& S) {
  std::vector<double> sums;
  double sum = 0;
  for (double const sigma : S) {
    if (!std::isfinite(sigma)) return {};
    double const share = S[0] > 0 ? sigma / S[0] : 0;
    sum += share * share;
    sums.push_back(sum);
  }
  return sums;
}

std::optional<std::int64_t> energy_rank(std::vector<double> const& S, double fraction) {
  auto const sums = cumulative_energy(S);
  if (sums.size() != S.size()) return std::nullopt;
  if (sums.empty()) return 0;
  double const needed = fraction * sums.back();
  if (needed <= 0) return 0;
  return std::lower_bound(sums.begin(), sums.end(), needed) - sums.begin() + 1;
}

}  // namespace carroll::tool
