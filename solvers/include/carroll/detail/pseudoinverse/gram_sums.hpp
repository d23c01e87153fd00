// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/pseudoinverse/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/piece_sums.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/pseudoinverse/product_sums.hpp>
#include <carroll/detail/pseudoinverse/segment_walk.hpp>
#include <carroll/detail/scattered_sums.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/detail/warp.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// EᵀE = BᵀB - Σ gᵀg/(d+μ), g = uᵀ(B | r), of a window's rows in the scratch of a warp, in one
/// pass over them and in double precision. Each lane takes a run of the rows, wherever segments
/// begin in it: (B | r)ᵀ(B | r) stays in its registers, d and g of a piece that ends go to scratch.
/// Then a lane takes a segment.
template <class Real, int K, class Tile>
class GramSums {
 public:
  KOKKOS_FUNCTION explicit GramSums(ArrowBatch<Real> const& batch) : batch_(batch) {}

  /// The lane's products of all rows, and, if all pieces have room, d and g of them, as far as the
  /// lane in which they end has them, and of the piece that its run ends with; without room, what
  /// it leaves there is for sum_pieces() to overwrite. `Few`: in few rows a piece begins in any
  /// lane, or none has room.
  template <bool Few>
  KOKKOS_FUNCTION static void sum_rows(DeviceWarp const& warp, WindowPieces const& pieces,
                                       Tile& tile, PlainProducts<K>& totals) {
    bool const have_room = pieces.count <= Tile::pieces_at_once;
    std::uint32_t const starts = have_room ? pieces.starts : 0;
    std::uint32_t const any = have_room ? pieces.any : 0;
    PieceSums<columns, Tile::piece_width> place(tile.pieces[have_room ? pieces.before : 0]);
    double sums[columns] = {};
    auto const add = [&](double const(&entries)[columns], std::uint32_t begins, bool in_any) {
      if (!Few || in_any) place.leave(begins, sums);
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) sums[c] = multiply_add(entries[0], entries[c], sums[c]);
      for_products<K>([&](int e, int j, int l) { totals.add(e, entries[1 + j], entries[1 + l]); });
    };
    tile.for_rows(warp, starts, any, add);
    leave_run(sums, tile.runs[warp.lane]);
  }

  /// d and g of pieces `first`, … alone, as many as have room.
  KOKKOS_FUNCTION static void sum_pieces(DeviceWarp const& warp, WindowPieces const& pieces,
                                         int first, Tile& tile) {
    double sums[columns] = {};
    int piece = pieces.before - first;
    CARROLL_NO_UNROLL
    for (int i = 0; i < Tile::run; ++i) {
      if ((pieces.starts & (1U << i)) != 0) {
        if (Tile::has_room(piece)) leave_run(sums, tile.pieces[piece]);
        ++piece;
        CARROLL_UNROLL
        for (int c = 0; c < columns; ++c) sums[c] = 0;
      }
      unsigned const row = warp.lane * Tile::run + i;
      double const u = static_cast<double>(tile.at(0, row));
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c)
        sums[c] = multiply_add(u, static_cast<double>(tile.at(c, row)), sums[c]);
    }
    leave_run(sums, tile.runs[warp.lane]);
  }

  /// Leaves groups of whole segments and pieces of others, of pieces `first`, …, of which `next` is
  /// the first one's segment or one before it, and takes their part off the products. Returns the
  /// same for the pieces behind them.
  KOKKOS_FUNCTION int take(DeviceWarp const& warp, int problem, int window,
                           SegmentWalk<Real> const& walk, SegmentBounds const& bounds,
                           WindowPieces const& pieces, int first, int next, Tile const& tile,
                           PlainProducts<K>& totals, WindowEdges& edges) const {
    constexpr unsigned run = Tile::run;
    int const begin = window * window_rows;
    int const end = Kokkos::min(begin + window_rows, batch_.n);
    for (; next < batch_.m; next += 32) {
      int const s = next + warp.lane;
      auto const [from, behind] = walk.rows(bounds, next);
      unsigned const at = Kokkos::max(from - begin, 0);
      bool const holds = static_cast<int>(at) < Kokkos::min(behind, end) - begin;
      unsigned const lane = holds ? at / run : 0;
      std::uint32_t const starts =
          warp.from(pieces.starts, static_cast<int>(lane)) & (0xffffffffU >> (31 - at % run));
      int const p =
          warp.from(pieces.before, static_cast<int>(lane)) + Kokkos::popcount(starts) - first;
      bool const mine = holds && Tile::has_room(p);
      bool const begins = from >= begin;
      bool const whole = begins && behind <= end;
      bool counts = false;
      if (mine) {
        // Its sums: those of the runs that end with it, and what the lane has in which it ends.
        unsigned const last = behind < end ? (behind - begin) / run : 32;
        double sums[columns] = {};
        CARROLL_NO_UNROLL
        for (unsigned r = lane; r < last; ++r) add_sums(tile.runs[r], sums);
        if (last < 32) add_sums(tile.pieces[p], sums);
        double const d = sums[0];
        double const mu = whole ? batch_.damping_of(walk.frame(), K + s) : 0;
        double kept = d > 0 ? quick_reciprocal(d) : 0;
        if (mu > 0) kept *= d / (d + mu);
        double group[K + 1];
        CARROLL_UNROLL
        for (int c = 0; c <= K; ++c) group[c] = kept * sums[1 + c];
        for_products<K>([&](int e, int j, int l) { totals.add(e, -group[j], sums[1 + l]); });
        double* const edge = batch_.partial(problem, window) + K * (K + 2) + (begins ? K + 2 : 0);
        double* const out = whole ? &batch_.group(problem, 0, s) : edge;
        std::ptrdiff_t const apart = whole ? batch_.m : 1;
        out[0] = d + mu;
        out[apart] = group[K];
        CARROLL_UNROLL
        for (int j = 0; j < K; ++j) out[(2 + j) * apart] = group[j];
        counts = whole && d + mu > 0;
      }
      edges.depths += Kokkos::popcount(warp.ballot(counts));
      std::uint32_t const head = warp.ballot(mine && !begins);
      std::uint32_t const tail = warp.ballot(mine && begins && !whole);
      if (head != 0) edges.head = next + highest_bit(head);
      if (tail != 0) edges.tail = next + highest_bit(tail);
      if (warp.ballot(from >= end || (holds && p >= Tile::pieces_at_once)) != 0) break;
    }
    return next;
  }

  /// What the columns have before the depths are taken off, of lane j that of column j.
  KOKKOS_FUNCTION static ScatteredSums<K> squares(DeviceWarp const& warp,
                                                  PlainProducts<K> const& totals) {
    Sums<double, K> own;
    CARROLL_UNROLL
    for (int j = 0, e = 0; j < K; e += K + 1 - j, ++j) own.value[j] = totals.high[e];
    return {warp, own};
  }
  /// Of lane e product e.
  KOKKOS_FUNCTION static ScatteredSums<product_count<K>> sums(DeviceWarp const& warp,
                                                              PlainProducts<K> const& totals) {
    Sums<double, product_count<K>> own;
    CARROLL_UNROLL
    for (int e = 0; e < product_count<K>; ++e) own.value[e] = totals.high[e];
    return {warp, own};
  }

 private:
  static constexpr int columns = Tile::columns, window_rows = Tile::window_rows;

  KOKKOS_FUNCTION static void leave_run(double const (&sums)[columns], double* place) {
    CARROLL_UNROLL
    for (int c = 0; c < columns; ++c) place[c] = sums[c];
  }
  KOKKOS_FUNCTION static void add_sums(double const* from, double (&sums)[columns]) {
    CARROLL_UNROLL
    for (int c = 0; c < columns; ++c) sums[c] += from[c];
  }

  ArrowBatch<Real> const& batch_;
};

}  // namespace carroll::detail
