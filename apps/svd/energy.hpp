// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace carroll::tool {

/// Σ₁ᵏσ² for k = 1 … r, in units of σ₁², so that no square over- or underflows. `S` descends.
/// Empty when a singular value is not finite.
[[nodiscard]] std::vector<double> cumulative_energy(std::vector<double> const& S);

/// The smallest k with Σ₁ᵏσ² ≥ fraction·Σσ²; 0 for a matrix that is zero or empty. Nothing when a
/// singular value is not finite.
[[nodiscard]] std::optional<std::int64_t> energy_rank(std::vector<double> const& S,
                                                      double fraction);

}  // namespace carroll::tool
