// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"
#include "kokkos_flags.hpp"
#include "ranks/ranks.hpp"

namespace carroll::tool {

/// Runs `carroll scaling`; returns the exit status. FileError where an operation cannot be
/// measured.
[[nodiscard]] int run_scaling(ScalingArguments const& arguments, KokkosFlags const& flags,
                              Ranks const& ranks);

}  // namespace carroll::tool
