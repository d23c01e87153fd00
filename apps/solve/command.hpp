// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"
#include "kokkos_flags.hpp"
#include "ranks/ranks.hpp"

namespace carroll::tool {

/// Runs `carroll solve`, or, with no name of B, `carroll inverse`, on one rank; returns the exit
/// status, 0 or 1. FileError when input or output fail; then no file is left behind.
[[nodiscard]] int run_solve(SolveArguments const& arguments, KokkosFlags const& flags,
                            Ranks const& ranks);

}  // namespace carroll::tool
