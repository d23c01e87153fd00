// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"
#include "kokkos_flags.hpp"
#include "ranks/ranks.hpp"

namespace carroll::tool {

/// Runs `carroll pinv` on the first of the ranks; returns the exit status, 0 or 1. FileError when
/// the input cannot be used.
[[nodiscard]] int run_pinv(PinvArguments const& arguments, KokkosFlags const& flags,
                           Ranks const& ranks);

}  // namespace carroll::tool
