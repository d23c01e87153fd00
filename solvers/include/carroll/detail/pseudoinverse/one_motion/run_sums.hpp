// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/scratch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/one_motion/tile.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

/// What a lane sums of its run of a window's rows, one motion column, wherever segments begin in
/// it; see OneMotionWindows.
namespace carroll::detail {

/// What a lane sums up of a window: Σe², Σef, Σb².
struct WindowTotals {
  double ee = 0, ef = 0, bb = 0;
};

/// Σ count over the lanes before this one, 0 <= count <= `Most`.
template <int Most>
KOKKOS_FUNCTION int sum_before(DeviceWarp const& warp, int count) {
  constexpr int bits = Most < 8 ? 3 : Most < 16 ? 4 : Most < 32 ? 5 : 6;
  std::uint32_t const lower = (1U << warp.lane) - 1;
  int sum = 0;
  CARROLL_UNROLL
  for (int bit = 0; bit < bits; ++bit)
    sum += Kokkos::popcount(warp.ballot((count >> bit & 1) != 0) & lower) << bit;
  return sum;
}

/// Σu², Σub, Σur of pieces, as far as the lane in which they end has them, and of the piece that
/// its run ends with. `Few`: in few rows a piece begins in any lane, as `any` tells.
template <bool Few, bool Products, class Tile>
KOKKOS_FUNCTION void sum_depths(DeviceWarp const& warp, Tile& tile, std::uint32_t starts,
                                [[maybe_unused]] std::uint32_t any, int before,
                                [[maybe_unused]] WindowTotals& totals) {
  double sums[3] = {};
  ScratchCursor cursor(tile.pieces[before]);
  for_rows(tile, warp.lane, [&](int i, double u, double b, double r) {
    if (!Few || (any & (1U << i)) != 0) {
      std::uint32_t const ends = starts & (1U << i);
      cursor.leave(ends, sums);
      CARROLL_UNROLL
      for (int c = 0; c < 3; ++c) sums[c] = ends != 0 ? 0.0 : sums[c];
    }
    sums[0] = multiply_add(u, u, sums[0]);
    sums[1] = multiply_add(u, b, sums[1]);
    sums[2] = multiply_add(u, r, sums[2]);
    if constexpr (Products) {
      totals.ee = multiply_add(b, b, totals.ee);
      totals.ef = multiply_add(b, r, totals.ef);
    }
  });
  CARROLL_UNROLL
  for (int c = 0; c < 3; ++c) tile.runs[warp.lane][c] = sums[c];
}

/// Adds the lane's products of rows of pieces first, …, first + count - 1, of which those times u
/// are taken off; `All`: there are no others.
template <bool All, class Tile>
KOKKOS_FUNCTION void add_products(DeviceWarp const& warp, Tile const& tile, std::uint32_t starts,
                                  int before, int first, int count, WindowTotals& totals) {
  ScratchCursor cursor(tile.pieces[before]);
  int piece = before - first;
  double beta, gamma;
  cursor.read(beta, gamma);
  for_rows(tile, warp.lane, [&](int i, double u, double b, double r) {
    std::uint32_t const begins = starts & (1U << i);
    cursor.read_next(begins, beta, gamma);
    double e = multiply_add(-u, beta, b);
    double f = multiply_add(-u, gamma, r);
    if constexpr (!All) {
      piece += begins != 0 ? 1 : 0;
      bool const inside = static_cast<unsigned>(piece) < static_cast<unsigned>(count);
      e = inside ? e : 0;
      f = inside ? f : 0;
    }
    totals.ee = multiply_add(e, e, totals.ee);
    totals.ef = multiply_add(e, f, totals.ef);
  });
}

}  // namespace carroll::detail
