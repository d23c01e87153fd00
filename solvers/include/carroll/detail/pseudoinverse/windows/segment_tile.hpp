// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/copies/async_copy.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// A window's rows (u | b | r) in the scratch of a warp, `run` of them to each lane, and what is
/// summed of its pieces.
template <class Real, int K, class Source>
struct SegmentTile {
  using Stored = std::conditional_t<Source::is_plain, Real, double>;
  static constexpr int run = 16;  ///< of a lane
  static constexpr int window_rows = 32 * run;
  static constexpr int columns = K + 2;
  static constexpr int pieces_at_once = 32;
  /// Doubles from one piece to the next; odd, so that neighbours are in other banks.
  static constexpr int piece_width = (K + 2) | 1;

  /// What a lane reads at a time.
  struct alignas(16) Vector {
    static constexpr unsigned width = 16 / sizeof(Stored);
    Stored part[width];
  };
  static constexpr unsigned width = Vector::width;
  static constexpr unsigned lane_vectors = run / width, vectors = 32 * lane_vectors;

  Vector rows[columns][vectors];
  alignas(16) double pieces[pieces_at_once][piece_width];
  alignas(16) double runs[32][piece_width];  ///< of each lane: the piece that its run ends with
  int spans[pieces_at_once];  ///< runs that a piece ends, the first one and behind the last one
  std::uint32_t starts[32];

  KOKKOS_FUNCTION static bool has_room(int piece) {
    return static_cast<unsigned>(piece) < static_cast<unsigned>(pieces_at_once);
  }

  /// Where vector x of a column is: those that lanes read together are in different banks. For
  /// the v-th one of a lane's run that is place(lane·lane_vectors) ^ v.
  KOKKOS_FUNCTION static unsigned place(unsigned x) {
    constexpr unsigned apart = lane_vectors > 8 ? lane_vectors : 8;
    return x ^ (x / apart % 8);
  }
  KOKKOS_FUNCTION Stored& at(int c, unsigned i) {
    return rows[c][place(i / width)].part[i % width];
  }

  /// Rows begin, …, end-1 of a frame, with zeros behind the last one. Returns whether one is none.
  template <class Rows>
  KOKKOS_FUNCTION int load(DeviceWarp const& warp, Rows const& frame, int begin, int end) {
    int const count = end - begin;
    bool invalid = false;
    if constexpr (Source::is_plain) {
      Real const* from[columns];
      bool aligned = true;
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) {
        auto const column = frame.column(c, K);
        from[c] = column.data + begin * column.stride;
        aligned = aligned && column.stride == 1 &&
                  reinterpret_cast<std::uintptr_t>(from[c]) % sizeof(Vector) == 0;
      }
      if (aligned && count == window_rows) {
        CARROLL_UNROLL
        for (int c = 0; c < columns; ++c) CARROLL_UNROLL
        for (unsigned x = 0; x < vectors; x += 32)
          copy_async(&rows[c][place(x + warp.lane)],
                     reinterpret_cast<Vector const*>(from[c]) + x + warp.lane);
      } else if (aligned) {
        CARROLL_NO_UNROLL
        for (unsigned x = warp.lane; x < vectors; x += 32) {
          int const left = count * static_cast<int>(sizeof(Real)) - static_cast<int>(16 * x);
          int const bytes = Kokkos::clamp(left, 0, 16);
          CARROLL_UNROLL
          for (int c = 0; c < columns; ++c)
            copy_async(&rows[c][place(x)],
                       reinterpret_cast<Vector const*>(from[c]) + (bytes > 0 ? x : 0), bytes);
        }
      } else {
        CARROLL_UNROLL
        for (int c = 0; c < columns; ++c) {
          std::ptrdiff_t const stride = frame.column(c, K).stride;
          CARROLL_NO_UNROLL
          for (int i = warp.lane; i < window_rows; i += 32)
            copy_async(&at(c, i), from[c] + (i < count ? i : 0) * stride,
                       i < count ? static_cast<int>(sizeof(Real)) : 0);
        }
      }
    } else {
      constexpr int ahead = 4;  // rows that are on their way at a time
      for (int first = warp.lane; first < window_rows; first += 32 * ahead) {
        Stored held[ahead][columns] = {};
        CARROLL_UNROLL
        for (int a = 0; a < ahead; ++a) {
          int const i = first + 32 * a;
          if (i >= count) continue;
          frame.read(begin + i, K, [&](int c, double value) { held[a][c] = value; });
          if constexpr (Source::checks_places) invalid = invalid || !frame.valid_at(begin + i);
        }
        CARROLL_UNROLL
        for (int a = 0; a < ahead; ++a)
          for (int c = 0; c < columns; ++c) at(c, first + 32 * a) = held[a][c];
      }
    }
    return Source::checks_places && warp.ballot(invalid) != 0 ? 1 : 0;
  }

  /// Calls row(entries, begins, any) for every row of the lane's run, in their order: whether a
  /// segment begins with it, and whether one does so in any lane.
  template <class Row>
  KOKKOS_FUNCTION void for_rows(DeviceWarp const& warp, std::uint32_t begun, std::uint32_t any,
                                Row const& row) const {
    unsigned const first = place(warp.lane * lane_vectors);
    CARROLL_NO_UNROLL
    for (unsigned v = 0; v < lane_vectors; ++v) {
      Vector held[columns];
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) held[c] = rows[c][first ^ v];
      CARROLL_UNROLL
      for (unsigned i = 0; i < width; ++i) {
        double entries[columns];
        CARROLL_UNROLL
        for (int c = 0; c < columns; ++c) entries[c] = static_cast<double>(held[c].part[i]);
        std::uint32_t const bit = 1U << i;
        row(entries, begun & bit, (any & bit) != 0);
      }
      begun >>= width;
      any >>= width;
    }
  }
};

/// Puts together what the runs have of pieces, that of the first lane in `mine` first: those that
/// end with it, and what the lane has in which it ends.
template <class Tile>
KOKKOS_FUNCTION void sum_pieces(DeviceWarp const& warp, std::uint32_t mine, int own_piece,
                                Tile& tile) {
  constexpr int columns = Tile::columns;
  warp.sync();
  int const first =
      warp.from(own_piece, Kokkos::Experimental::countr_zero_builtin(mine | 0x80000000U));
  int const count = Kokkos::popcount(mine);
  for (int item = warp.lane; item < count * columns; item += 32) {
    // Offsets that are not in order leave gaps between pieces, but not the scratch.
    int const p = Kokkos::min(first + item / columns, Tile::pieces_at_once - 1);
    int const c = item % columns;
    int const span = tile.spans[p], behind = Kokkos::min(span >> 8, 32);
    double sum = 0;
    for (int run = span & 255; run < behind; ++run) sum += tile.runs[run][c];
    if (behind < 32) sum += tile.pieces[p][c];
    tile.pieces[p][c] = sum;
  }
  warp.sync();
}

}  // namespace carroll::detail
