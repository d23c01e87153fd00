// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"
#include "kokkos_flags.hpp"
#include "tracking/track.hpp"

namespace carroll::tool {

/// What the command line wishes of each pair of pictures, no pictures drawn.
[[nodiscard]] TrackWishes track_wishes(TrackArguments const& arguments);

/// Runs `carroll track`; returns the exit status, 0 or 1. FileError when the input cannot be used.
[[nodiscard]] int run_track(TrackArguments const& arguments, KokkosFlags const& flags);

}  // namespace carroll::tool
