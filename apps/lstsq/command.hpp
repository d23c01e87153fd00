// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"
#include "kokkos_flags.hpp"
#include "ranks/ranks.hpp"

namespace carroll::tool {

/// Runs `carroll lstsq` on the first of the ranks, on a batch on all; returns the exit status, 0 or
/// 1. FileError when input or output fail; then no file is left behind.
[[nodiscard]] int run_lstsq(LstsqArguments const& arguments, KokkosFlags const& flags,
                            Ranks const& ranks);

/// Runs `carroll pinv --general` in the same way: arguments without right-hand sides.
[[nodiscard]] int run_general_pinv(LstsqArguments const& arguments, KokkosFlags const& flags,
                                   Ranks const& ranks);

}  // namespace carroll::tool
