// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hostile/tracker/drawn_tracks.hpp"
#include "support/random.hpp"

/// Masks of all kinds for the pictures of a track.
namespace carroll::test {

/// Gives one of the pictures, or both, a mask: of scattered pixels, a rectangle, a border, of
/// nothing, of all but one pixel, or of all.
void draw_masks(Random& random, DrawnTrack& problem);

/// Other grey levels where they do not count, among them what is no number.
[[nodiscard]] Pair with_other_garbage(Random& random, Pair const& pictures);

/// Is there a pixel that counts and is no number?
[[nodiscard]] bool has_bad_pixel(Pair const& pictures);

/// How many pixels of the current picture count.
[[nodiscard]] int pixels_that_count(Pair const& pictures);

}  // namespace carroll::test
