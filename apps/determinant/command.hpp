// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"
#include "kokkos_flags.hpp"
#include "ranks/ranks.hpp"

namespace carroll::tool {

/// Runs `carroll det` on the first of the ranks, on a batch or a large matrix on all; returns the
/// exit status, 0 or 1. FileError when the input cannot be used.
[[nodiscard]] int run_det(DetArguments const& arguments, KokkosFlags const& flags,
                          Ranks const& ranks);

}  // namespace carroll::tool
