// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/scratch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/depth_group.hpp>
#include <carroll/detail/pseudoinverse/common/fused_rows.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/common/product_sums.hpp>
#include <carroll/detail/pseudoinverse/windows/segment_tile.hpp>
#include <carroll/detail/pseudoinverse/windows/segment_walk.hpp>
#include <carroll/detail/scattered_sums.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// Windows of problems with K motion columns, each taken by a warp of a GPU, by sums of products:
/// one column's Σe² is the square of R, EᵀE of rows of float in double precision loses nothing down
/// to a condition of 1/√eps, 7·10⁷, far beyond the cutoff, and that of rows of double has sums with
/// twice its digits; see WideProducts. A merge of triangles, which needs neither, takes five times
/// as long (1024 frames of 120 000 rows, six columns of double: 26.1 for 4.5 ms, H200, 2026-11-22).
///
/// The rows go into scratch, once and in the order of memory; then each lane takes a run of them,
/// wherever segments begin in it, and forms of their pieces
///
///   cholesky_qr:       Σu², Σub, Σur, and once more with e = b - uβ, f = r - uγ: Σeᵀe, Σeᵀf;
///   normal_equations:  Σu², Σub, Σur, Σbᵀb, Σbᵀr, less d·βᵀβ, d·βᵀγ.
///
/// Between the two the lanes put what the runs have of a segment together, and one makes β and γ of
/// it. So a row costs the same whatever the segments are, down to 8 or 16 rows in each; then their
/// sums no longer have room in scratch at a time, and the lanes go through the rows again.
///
/// Taking γ off r costs little and makes the error of Σeᵀr that e and u are not quite orthogonal
/// one of second order. (K+2)n entries are read, K² + 7K + 4 flops a row, and for wide sums
/// 2K² + 8K + 2 more.
template <class Real, int K, class Source>
class SegmentWindows {
 public:
  using Tile = SegmentTile<Real, K, Source>;
  static constexpr int window_rows = Tile::window_rows;

  KOKKOS_FUNCTION SegmentWindows(ArrowBatch<Real> const& batch, Source const& source)
      : batch_(batch), source_(source) {}

  /// Windows first, …, end_window - 1 of a problem. What the next one needs is under way before the
  /// sums of one are put together: offsets first, so that they need not wait for all rows.
  KOKKOS_FUNCTION void take(DeviceWarp const& warp, int problem, int first, int end_window,
                            Tile& tile) const {
    SegmentWalk<Real> const walk(batch_, warp, problem);
    auto const rows = source_.of(batch_, problem);
    SegmentBounds bounds = walk.read(first == 0 ? 0 : walk.find(first * window_rows));
    Totals totals;
    for (int window = first;; ++window) {
      int const begin = window * window_rows;
      int const end = Kokkos::min(begin + window_rows, batch_.n);
      WindowEdges edges;
      if (window < end_window) edges.invalid = tile.load(warp, rows, begin, end);
      if (window > first) leave(warp, totals, batch_.partial(problem, window - 1));  // meanwhile
      if (window == end_window) return;
      auto const pieces = walk.pieces(bounds, begin, end, tile, edges);
      wait_for_copies();
      warp.sync();
      totals = {};
      SegmentBounds ahead;
      int next = bounds.base;
      auto const take = [&](auto all, int done) {
        auto const squares = sum_depths<all.value>(warp, pieces, done, tile);
        if constexpr (wide)
          if (done == 0) begin_totals(warp, squares, totals, batch_.partial(problem, window));
        warp.sync();
        next = take_segments(warp, problem, window, walk, bounds, pieces, done, next, tile, totals,
                             edges);
        if (all.value || done + Tile::pieces_at_once >= pieces.count) ahead = walk.read(edges.next);
        warp.sync();
        add_products<all.value>(warp, pieces, done, tile, totals);
        warp.sync();
      };
      if (pieces.count <= Tile::pieces_at_once)
        take(std::true_type{}, 0);
      else
        for (int done = 0; done < pieces.count; done += Tile::pieces_at_once)
          take(std::false_type{}, done);
      if constexpr (!wide)
        for (int j = 0, e = 0; j < K; e += K + 1 - j, ++j)
          totals.squares[j] += totals.products.high[e];
      if (warp.lane == 0) batch_.edges_of(problem, window) = edges;
      bounds = ahead;
    }
  }

 private:
  static constexpr int columns = Tile::columns;  // u, b, r
  static constexpr int products = product_count<K>;
  static constexpr bool wide = has_wide_sums<Real, K>;
  using Products = std::conditional_t<wide, WideProducts<K>, PlainProducts<K>>;
  using Squares = Sums<double, K + 1>;  ///< Σb², Σr² of a lane's run, which only wide sums need

  /// What a lane sums up of a window.
  struct Totals {
    Products products;
    double squares[K] = {};  ///< of the motion columns: what the depths have of them
  };

  /// Σu², Σub, Σur of pieces `first`, …, as far as the lane in which they end has them; `All`: they
  /// are all the window's pieces.
  template <bool All>
  KOKKOS_FUNCTION Squares sum_depths(DeviceWarp const& warp, WindowPieces const& pieces, int first,
                                     Tile& tile) const {
    struct {
      Sums<double, columns> depth;
      Squares squares;
    } own;
    int piece = pieces.before - first;
    auto const put = [&] {
      if (!All && !Tile::has_room(piece)) return;
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) tile.pieces[piece][c] = own.depth.value[c];
    };
    auto const add = [&](double const(&entries)[columns], std::uint32_t begins, bool any) {
      if (any) {
        if (begins != 0) put();
        piece += begins != 0 ? 1 : 0;
        CARROLL_UNROLL
        for (int c = 0; c < columns; ++c)
          own.depth.value[c] = begins != 0 ? 0.0 : own.depth.value[c];
      }
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c)
        own.depth.value[c] = multiply_add(entries[0], entries[c], own.depth.value[c]);
      if constexpr (wide) {
        CARROLL_UNROLL
        for (int c = 0; c <= K; ++c)
          own.squares.value[c] = multiply_add(entries[1 + c], entries[1 + c], own.squares.value[c]);
      }
    };
    tile.for_rows(warp, pieces.starts, pieces.any, add);
    CARROLL_UNROLL
    for (int c = 0; c < columns; ++c) tile.runs[warp.lane][c] = own.depth.value[c];
    return own.squares;
  }

  /// Of a window: the squares of the motion columns are known before the products.
  KOKKOS_FUNCTION static void begin_totals(DeviceWarp const& warp, Squares const& own,
                                           Totals& totals, double* partial) {
    ScatteredSums<K + 1> const squares(warp, own);
    squares.for_each([&](int c, double square) {
      if (c < K) partial[K * (K + 1) + c] = square;
    });
    totals.products.begin(warp, squares.own());
  }

  /// Leaves groups of whole segments and pieces of others, of pieces `first`, …, of which `next` is
  /// the first one's segment or one before it, and puts what is to be taken off their rows into
  /// the tile. Returns the same for the pieces behind them.
  KOKKOS_FUNCTION int take_segments(DeviceWarp const& warp, int problem, int window,
                                    SegmentWalk<Real> const& walk, SegmentBounds const& bounds,
                                    WindowPieces const& pieces, int first, int next, Tile& tile,
                                    Totals& totals, WindowEdges& edges) const {
    constexpr unsigned run = Tile::run;
    int const begin = window * window_rows;
    int const end = Kokkos::min(begin + window_rows, batch_.n);
    double* const groups = &batch_.group(problem, 0, 0);
    bool const gram = batch_.options.method == PseudoinverseMethod::normal_equations;
    for (; next < batch_.m; next += 32) {
      int const s = next + warp.lane;
      auto const [from, behind] = walk.rows(bounds, next);
      unsigned const at = Kokkos::max(from - begin, 0);
      bool const holds = static_cast<int>(at) < Kokkos::min(behind, end) - begin;
      int const lane = holds ? static_cast<int>(at / run) : 0;
      std::uint32_t const starts =
          warp.from(pieces.starts, lane) & (0xffffffffU >> (31 - at % run));
      int const p = warp.from(pieces.before, lane) + Kokkos::popcount(starts) - first;
      bool const mine = holds && Tile::has_room(p);
      bool const begins = from >= begin;
      bool const whole = begins && behind <= end;
      // Its sums: those of the runs that end with it, and what the lane has in which it ends.
      int const last = behind < end ? static_cast<int>((behind - begin) / run) : 32;
      if (mine) tile.spans[p] = lane | last << 8;
      sum_pieces(warp, warp.ballot(mine), p, tile);
      bool counts = false;
      if (mine) {
        double* const piece = tile.pieces[p];
        double const d = piece[0];
        double const inverse = d > 0 ? quick_reciprocal(d) : 0;
        double const mu = whole ? batch_.damping_of(walk.frame(), K + s) : 0;
        double kept = inverse;                // of sums, in β and γ
        double taken = gram ? 0.0 : inverse;  // of sums, off the rows
        if (mu > 0) {
          kept *= d / (d + mu);
          taken *= damped_share(d, mu);
        }
        double sum[K + 1], group[K + 1];
        CARROLL_UNROLL
        for (int c = 0; c <= K; ++c) sum[c] = piece[1 + c];
        CARROLL_UNROLL
        for (int c = 0; c <= K; ++c) {
          group[c] = kept * sum[c];
          piece[c] = taken * sum[c];
        }
        if constexpr (!wide) {
          CARROLL_UNROLL
          for (int j = 0; j < K; ++j)
            totals.squares[j] = multiply_add(group[j], sum[j], totals.squares[j]);
        }
        double* const edge = batch_.partial(problem, window) + K * (K + 2) + (begins ? K + 2 : 0);
        double* const out = whole ? groups + s : edge;
        std::ptrdiff_t const apart = whole ? batch_.m : 1;
        out[0] = d + mu;
        out[apart] = group[K];
        CARROLL_UNROLL
        for (int j = 0; j < K; ++j) out[(2 + j) * apart] = group[j];
        counts = whole && d + mu > 0;
        if (gram) {  // by equal factors, as in GramWindowsKernel
          double const root = kept > 0 ? fast_sqrt(kept) : 0;
          CARROLL_UNROLL
          for (int c = 0; c <= K; ++c) sum[c] *= root;
          for_products<K>([&](int e, int j, int l) { totals.products.add(e, -sum[j], sum[l]); });
        }
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

  /// Adds the lane's products of rows of pieces `first`, …, of which those times u are taken off;
  /// `All`: they are all the window's pieces.
  template <bool All>
  KOKKOS_FUNCTION void add_products(DeviceWarp const& warp, WindowPieces const& pieces, int first,
                                    Tile const& tile, Totals& totals) const {
    double taken[K + 1] = {};
    int piece = pieces.before - first;
    ScratchCursor cursor(&tile.pieces[0][0] + piece * Tile::piece_width);
    CARROLL_UNROLL
    for (int c = 0; c <= K; ++c) cursor.load(All || Tile::has_room(piece) ? 1 : 0, c, taken[c]);
    auto const add = [&](double const(&entries)[columns], std::uint32_t begins, bool any) {
      if (!All) piece += begins != 0 ? 1 : 0;
      bool const has_room = All || Tile::has_room(piece);
      if (any) {
        cursor.advance(begins, Tile::piece_width);
        CARROLL_UNROLL
        for (int c = 0; c <= K; ++c) cursor.load(has_room ? begins : 0, c, taken[c]);
      }
      if (!has_room) return;
      double left[K + 1];
      CARROLL_UNROLL
      for (int c = 0; c <= K; ++c) left[c] = multiply_add(-entries[0], taken[c], entries[1 + c]);
      for_products<K>([&](int e, int j, int l) { totals.products.add(e, left[j], left[l]); });
    };
    tile.for_rows(warp, pieces.starts, pieces.any, add);
  }

  /// The sums over all lanes, into the window's system.
  KOKKOS_FUNCTION static void leave(DeviceWarp const& warp, Totals& totals, double* partial) {
    constexpr int squares = K * (K + 1);  // begin here in the system
    if constexpr (wide) {
      totals.products.end();
      scatter<products>(warp, totals.products.high,
                        [&](int e, double sum) { partial[product_place<K>(e)] = sum; });
      scatter<products>(warp, totals.products.low,
                        [&](int e, double sum) { low_words(partial, K)[e] = sum; });
    } else {
      scatter<products>(warp, totals.products.high,
                        [&](int e, double sum) { partial[product_place<K>(e)] = sum; });
      scatter<K>(warp, totals.squares, [&](int j, double sum) { partial[squares + j] = sum; });
    }
  }
  template <int count, class Put>
  KOKKOS_FUNCTION static void scatter(DeviceWarp const& warp, double const (&terms)[count],
                                      Put const& put) {
    Sums<double, count> sums;
    CARROLL_UNROLL
    for (int e = 0; e < count; ++e) sums.value[e] = terms[e];
    ScatteredSums<count>(warp, sums).for_each(put);
  }

  ArrowBatch<Real> const& batch_;
  Source const& source_;
};

}  // namespace carroll::detail
