// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/copies/bulk_copies.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// A window's rows (u | b | r) in the scratch of a warp, a run of them to each lane, and what is
/// summed of the pieces of its segments.
///
/// `Run`: rows of a lane, of plain rows an odd number of vectors of two or four, so that lanes read
/// from different banks without more ado.
template <class Real, class Source, int Run>
struct OneMotionTile {
  using Stored = std::conditional_t<Source::is_plain, Real, double>;
  static constexpr int run = Run;
  static constexpr int window_rows = 32 * run;
  static constexpr int columns = 3;
  static constexpr int room = 33;  ///< pieces: of 31 segments, what is before and behind them
  static constexpr int width = sizeof(Stored) == sizeof(float) && run % 4 == 0 ? 4 : 2;

  struct alignas(width * sizeof(Stored)) Vector {
    Stored part[width];
  };

  alignas(16) Vector rows[columns][window_rows / width];
  alignas(16) double pieces[room][4];
  alignas(16) double runs[32][4];  ///< of each lane: the piece that its run ends with
  std::uint32_t starts[32];

  KOKKOS_FUNCTION Stored& at(int c, int i) { return rows[c][i / width].part[i % width]; }

  /// Where the columns of a frame begin. In scratch, for there are not enough registers.
  Real const* columns_of_frame[columns];
  int alignment;

  template <class Rows>
  KOKKOS_FUNCTION void begin_frame(DeviceWarp const& warp, Rows const& frame) {
    if (warp.lane == 0) {
      columns_of_frame[0] = frame.depths();
      columns_of_frame[1] = frame.motions();
      columns_of_frame[2] = frame.residuals();
      std::uintptr_t bits = 0;
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c)
        bits |= reinterpret_cast<std::uintptr_t>(columns_of_frame[c]);
      alignment = static_cast<int>(bits % 16);
    }
    warp.sync();
  }
  /// Has rows begin, …, end-1 of the frame copied, with zeros behind the last one.
  KOKKOS_FUNCTION void begin_copies(DeviceWarp const& warp, BulkCopies& copies, int begin,
                                    int end) {
    int const count = end - begin;
    if (count == window_rows && alignment == 0) {
      copies.begin(
          columns, static_cast<int>(window_rows * sizeof(Real)), [&](int c) { return &rows[c][0]; },
          [&](int c) { return columns_of_frame[c] + begin; });
      return;
    }
    CARROLL_NO_UNROLL
    for (int c = 0; c < columns; ++c) {
      Real const* const from = columns_of_frame[c] + begin;
      CARROLL_NO_UNROLL
      for (int i = warp.lane; i < window_rows; i += 32)
        copy_async(&at(c, i), from + (i < count ? i : 0),
                   i < count ? static_cast<int>(sizeof(Real)) : 0);
    }
  }

  /// Reads them. Returns whether the place of one is none.
  template <class Rows>
  KOKKOS_FUNCTION int read(DeviceWarp const& warp, Rows const& frame, int begin, int end) {
    bool invalid = false;
    constexpr int ahead = 4;  // rows that are on their way at a time
    for (int first = warp.lane; first < window_rows; first += 32 * ahead) {
      Stored held[ahead][columns] = {};
      CARROLL_UNROLL
      for (int a = 0; a < ahead; ++a) {
        int const p = begin + first + 32 * a;
        if (p >= end) continue;
        frame.read(p, 1, [&](int c, double value) { held[a][c] = value; });
        if constexpr (Source::checks_places) invalid = invalid || !frame.valid_at(p);
      }
      CARROLL_UNROLL
      for (int a = 0; a < ahead; ++a) {
        if (first + 32 * a >= window_rows) continue;
        for (int c = 0; c < columns; ++c) at(c, first + 32 * a) = held[a][c];
      }
    }
    return Source::checks_places && warp.ballot(invalid) != 0 ? 1 : 0;
  }
};

/// Calls row(i, u, b, r) for the rows of a lane's run, in their order; the next ones are on their
/// way meanwhile.
template <class Tile, class Row>
KOKKOS_FUNCTION void for_rows(Tile const& tile, int lane, Row const& row) {
  constexpr int width = Tile::width, vectors = Tile::run / width;
  auto const first = lane * vectors;
  typename Tile::Vector held[2][3];
  CARROLL_UNROLL
  for (int c = 0; c < 3; ++c) held[0][c] = tile.rows[c][first];
  CARROLL_UNROLL
  for (int v = 0; v < vectors; ++v) {
    if (v + 1 < vectors) CARROLL_UNROLL
    for (int c = 0; c < 3; ++c) held[(v + 1) % 2][c] = tile.rows[c][first + v + 1];
    CARROLL_UNROLL
    for (int i = 0; i < width; ++i)
      row(v * width + i, static_cast<double>(held[v % 2][0].part[i]),
          static_cast<double>(held[v % 2][1].part[i]), static_cast<double>(held[v % 2][2].part[i]));
  }
}

}  // namespace carroll::detail
