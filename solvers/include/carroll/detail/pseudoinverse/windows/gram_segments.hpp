// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <climits>

/// The segments of a window of GramWindowsKernel, as the lanes of a warp see them.
namespace carroll::detail {

/// Consecutive segments, one in each lane, of which those in front of `group` have all their rows
/// of the window in scratch.
struct GramSegments {
  static constexpr int at_once = 8;  ///< of which pieces are summed
  int first = 0;
  int group = 0;
  int from = 0, behind = 0;  ///< rows of segment first + lane
};
template <class Real>
KOKKOS_FUNCTION void read_segments(ArrowBatch<Real> const& batch, DeviceWarp const& warp, int frame,
                                   int first, GramSegments& segments) {
  segments.first = first;
  segments.group = 0;
  segments.from = batch.offset(frame, Kokkos::min(first + warp.lane, batch.m));
  segments.behind = batch.offset(frame, Kokkos::min(first + warp.lane + 1, batch.m));
}

/// The eight segments whose pieces are being summed, as a lane sees them.
struct GramGroup {
  unsigned from, count;  ///< rows of segment lane/4 of them
  int end;               ///< row behind them; behind all rows where there are fewer of them
};
KOKKOS_INLINE_FUNCTION GramGroup group_at_hand(int m, DeviceWarp const& warp,
                                               GramSegments const& segments) {
  int const own = segments.group + warp.lane / 4, last = segments.group + GramSegments::at_once - 1;
  unsigned const count = segments.behind > segments.from ? static_cast<unsigned>(segments.behind) -
                                                               static_cast<unsigned>(segments.from)
                                                         : 0U;
  int const end = warp.max(warp.lane == last ? segments.behind : INT_MIN);
  return {warp.from(static_cast<unsigned>(segments.from), own), warp.from(count, own),
          segments.first + last < m ? end : INT_MAX};
}

}  // namespace carroll::detail
