// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/copies/bulk_copies.hpp>
#include <carroll/detail/device/scratch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/pseudoinverse/windows/segment_walk.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// The rows of a window of OneMotionWindows, which a warp has: on their way to its scratch, a run
/// of them to each lane; their segments, one in each lane; and what a lane sums of its run,
/// wherever segments begin in it.
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
