// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"
#include "kokkos_flags.hpp"

namespace carroll::tool {

/// Carry out `carroll denoise` and `carroll background`; return the exit status.
[[nodiscard]] int run_denoise(DenoiseArguments const& arguments, KokkosFlags const& flags);
[[nodiscard]] int run_background(BackgroundArguments const& arguments, KokkosFlags const& flags);

}  // namespace carroll::tool
