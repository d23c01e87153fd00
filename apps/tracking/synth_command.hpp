// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"
#include "kokkos_flags.hpp"

namespace carroll::tool {

/// Runs `carroll synth-sequence`; returns the exit status, 0. FileError when the directory cannot
/// be written to.
[[nodiscard]] int run_synth(SynthArguments const& arguments, KokkosFlags const& flags);

}  // namespace carroll::tool
