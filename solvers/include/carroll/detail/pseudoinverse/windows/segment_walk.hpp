// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Of the bits, 0 where there is none.
KOKKOS_INLINE_FUNCTION int highest_bit(std::uint32_t bits) {
  return 31 - Kokkos::Experimental::countl_zero_builtin(bits | 1U);
}

/// Offsets of 64 segments, `base`, …, and of the one behind them, two of them in each lane. They
/// are read ahead of the rows that they are for, which the device hands out in the same order.
struct SegmentBounds {
  int base = 0;
  int own[2] = {};
  int behind = 0;
};

/// The pieces of a window's segments, numbered in the order of rows, as a lane sees them.
struct WindowPieces {
  std::uint32_t starts;  ///< bit i: a segment begins with its row i, not with the window
  std::uint32_t any;     ///< bit i: one does so in some lane
  int before;            ///< piece that its first row belongs to, or one that ends there
  int count;             ///< of the window
};

/// A warp's way along the segments of a frame. A window's walk begins with the segment of its first
/// row and ends with that of the first row behind it, where the next one's begins. On the way
/// offsets are checked, and empty segments that it passes get their group.
template <class Real>
class SegmentWalk {
 public:
  KOKKOS_FUNCTION SegmentWalk(ArrowBatch<Real> const& batch, DeviceWarp const& warp, int problem)
      : batch_(batch),
        warp_(warp),
        problem_(problem),
        frame_(batch.frame_of(problem)),
        offsets_(batch.offsets.data + frame_ * batch.offsets.strides[0]) {}

  KOKKOS_FUNCTION int frame() const { return frame_; }

  /// Offset i, that of the end for those beyond it.
  KOKKOS_FUNCTION int offset(int i) const {
    return held_offset(offsets_[Kokkos::min(i, batch_.m) * batch_.offsets.strides[1]], batch_.n);
  }

  /// The segment of place `place`: the last one that begins at or before it.
  KOKKOS_FUNCTION int find(int place) const {
    int found = 0, left = batch_.m;
    if (left > 32) {  // where it is if all have as many rows: most often it is near
      int const guess = static_cast<int>(static_cast<float>(place) / static_cast<float>(batch_.n) *
                                         static_cast<float>(left));
      int const near = Kokkos::min(Kokkos::max(guess - 15, 0), left - 32);
      std::uint32_t const begun = warp_.ballot(offset(near + warp_.lane) <= place);
      bool const is_last = near + 32 == left || (begun >> 31) == 0;
      if ((near == 0 || (begun & 1U) != 0) && is_last) return near + highest_bit(begun);
    }
    while (left > 1) {
      int const stride = (left + 31) / 32;
      int const i = warp_.lane * stride;
      bool const begins = i < left && offset(found + i) <= place;
      int const passed = stride * highest_bit(warp_.ballot(begins));
      found += passed;
      left = Kokkos::min(stride, left - passed);
    }
    return found;
  }

  KOKKOS_FUNCTION SegmentBounds read(int base) const {
    return {base, {offset(base + warp_.lane), offset(base + 32 + warp_.lane)}, offset(base + 64)};
  }

  /// Rows of segment base + lane, from, …, behind - 1; from = behind = n of one that does not
  /// exist.
  struct Rows {
    int from, behind;
  };
  KOKKOS_FUNCTION Rows rows(SegmentBounds const& bounds, int base) const {
    if (base - bounds.base > 32) return {offset(base + warp_.lane), offset(base + warp_.lane + 1)};
    bool const second = base != bounds.base;
    int const from = second ? bounds.own[1] : bounds.own[0];
    int const behind = warp_.from(from, warp_.lane + 1);
    int const last = warp_.from(second ? bounds.behind : bounds.own[1], 0);
    return {from, warp_.lane == 31 ? last : behind};
  }

  /// Where segments begin in the window of rows begin, …, end-1. `edges` gets what the offsets tell
  /// and the segments of the walk's ends.
  template <class Tile>
  KOKKOS_FUNCTION WindowPieces pieces(SegmentBounds const& bounds, int begin, int end, Tile& tile,
                                      WindowEdges& edges) const {
    constexpr unsigned run = Tile::run;
    tile.starts[warp_.lane] = 0;
    warp_.sync();
    edges.first = edges.next = bounds.base;
    for (int base = bounds.base;; base += 32) {
      auto const [from, behind] = rows(bounds, base);
      int const s = base + warp_.lane;
      bool const exists = s < batch_.m;
      unsigned const row = behind - begin;
      if (begin < behind && behind < end)
        Kokkos::atomic_or(&tile.starts[row / run], 1U << row % run);
      bool const in_order = from <= behind && behind <= batch_.n && (s > 0 || from == 0) &&
                            (s < batch_.m - 1 || behind == batch_.n);
      bool counts = false;
      if (exists && from == behind && from <= end) {
        double const damping = batch_.damping_of(frame_, batch_.k + s);
        for (int c = 0; c < batch_.k + 2; ++c) batch_.group(problem_, c, s) = c == 0 ? damping : 0;
        counts = damping > 0;
      }
      if (warp_.ballot(exists && !in_order) != 0) edges.invalid = 1;
      edges.depths += Kokkos::popcount(warp_.ballot(counts));
      std::uint32_t const begun = warp_.ballot(exists && from <= end);
      if (begun != 0) edges.next = base + highest_bit(begun);
      if (begun != 0xffffffffU) break;
    }
    if (batch_.m == 0) edges.invalid = 1;  // there are rows
    warp_.sync();
    std::uint32_t const starts = tile.starts[warp_.lane];
    int const own = Kokkos::popcount(starts);
    int const behind = inclusive_scan(warp_, own);
    return {starts, warp_.any_bits(starts), behind - own, warp_.from(behind, 31) + 1};
  }

 private:
  ArrowBatch<Real> const& batch_;
  DeviceWarp const& warp_;
  int problem_, frame_;
  int const* offsets_;
};

}  // namespace carroll::detail
