// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "ranks/ranks.hpp"
#include "scaling/measure.hpp"
#include "scaling/operations.hpp"

namespace carroll::tool {

/// The names of the operations that `carroll scaling --ranks` knows.
[[nodiscard]] std::vector<char const*> const& rank_operation_names();

/// Those operations. All ranks prepare and run them together, by the first p of them; the others
/// wait, asleep. Needs a Runtime, which has to outlive them.
[[nodiscard]] std::vector<Operation> rank_operations(Ranks const& ranks);

/// What messages between so many ranks cost, the same on all. Needs a Runtime.
[[nodiscard]] Network measure_network(Ranks const& ranks, std::vector<int> const& numbers);

}  // namespace carroll::tool
