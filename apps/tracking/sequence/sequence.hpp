// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"
#include "kokkos_flags.hpp"

namespace carroll::tool {

/// Runs `carroll track` on more or less than two pictures: each is the reference of the one that
/// follows, which begins with the depths of the step before, moved along, and with its motion.
/// Where that is no success, or explains little of the picture, it is begun once more as if nothing
/// was known, with a search, and the better one counts; a step that is none either goes on as the
/// one before. Returns the exit status, 0 or 1. FileError when the input cannot be used.
[[nodiscard]] int run_track_sequence(TrackArguments const& arguments, KokkosFlags const& flags);

}  // namespace carroll::tool
