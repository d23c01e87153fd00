// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/pseudoinverse/windows/segment_walk.hpp>
#include <cstdint>

/// The segments that have rows of a window of OneMotionWindows, one in each lane of a warp.
namespace carroll::detail {

/// Offsets of 31 segments, `base`, …, and of the one behind them; that of the end where there is
/// none.
struct OneMotionSegmentsAtHand {
  static constexpr int at_once = 31;
  int base, from;
};
/// Rows of a lane's one of them, counted from a window's first row.
struct OneMotionSegmentRows {
  int base, from, behind;
};
/// What becomes part of the window's edges.
struct OneMotionFound {
  int head = -1, tail = -1, invalid = 0, depths = 0;
};

/// Checks the offsets of segments that begin before row `end` or with it, and puts empty ones
/// into their groups; `next`: the last of them, `here`: their rows. Returns whether there may be
/// more.
template <class Real>
KOKKOS_FUNCTION bool look_at(ArrowBatch<Real> const& batch, DeviceWarp const& warp, int problem,
                             int frame, int begin, int end, OneMotionSegmentsAtHand const& segments,
                             OneMotionSegmentRows& here, int& next, OneMotionFound& found) {
  constexpr int at_once = OneMotionSegmentsAtHand::at_once;
  int const s = segments.base + warp.lane, from = segments.from;
  int const behind = warp.from(from, warp.lane + 1);
  // Offsets may be any: of those out of range only `in_order` knows.
  auto const beyond = [=](int offset) {
    return static_cast<int>(static_cast<unsigned>(offset) - static_cast<unsigned>(begin));
  };
  here = {segments.base, beyond(from), beyond(behind)};
  bool const exists = warp.lane < at_once && s < batch.m;
  bool const in_order = from <= behind && behind <= batch.n && (s > 0 || from == 0) &&
                        (s < batch.m - 1 || behind == batch.n);
  bool const is_empty = from == behind && from <= end;
  if (warp.ballot(exists && (!in_order || is_empty)) != 0) {
    bool counts = false;
    if (exists && is_empty) {
      double const damping = batch.damping_of(frame, 1 + s);
      for (int c = 0; c < 3; ++c) batch.group(problem, c, s) = c == 0 ? damping : 0;
      counts = damping > 0;
    }
    if (warp.ballot(exists && !in_order) != 0) found.invalid = 1;
    found.depths += Kokkos::popcount(warp.ballot(counts));
  }
  std::uint32_t const begun = warp.ballot(s < batch.m && from <= end);
  if (begun != 0) next = segments.base + Kokkos::min(highest_bit(begun), at_once - 1);
  return begun == 0xffffffffU;
}

}  // namespace carroll::detail
