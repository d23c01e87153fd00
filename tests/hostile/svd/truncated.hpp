// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hostile/round.hpp"

namespace carroll::test {

/// A matrix that hurts through `truncated_svd`: in every layout, scaled, and against LAPACK, which
/// says whether what it says of its own errors holds.
void truncated_round(Round& round);

}  // namespace carroll::test
