// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/copies/bulk_copies.hpp>
#include <carroll/detail/device/scratch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/depth_group.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/one_motion/window_rows.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/pseudoinverse/windows/segment_walk.hpp>
#include <carroll/detail/scattered_sums.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Windows of problems with one motion column, each taken by a warp of a GPU.
///
/// Its rows are copied to scratch in the order of memory, then each lane takes a run of them,
/// wherever segments begin in it, and forms of their pieces
///
///   structured_qr:     Σu², Σub, Σur, and once more with e = b - uβ, f = r - uγ: Σe², Σef;
///   normal_equations:  Σu², Σub, Σur, Σb², Σbr, less d·β², d·βγ;
///   automatic:         as the first.
///
/// In single precision the products, of rows in memory without weights, are exact in double, and
/// `automatic` begins as normal_equations do. Only where less than 2^-20 of a window's Σb² is left,
/// after which the sums would no longer have 30 good bits, or more than 31 segments have rows of
/// it, its rows are read again for Σe² and Σef.
///
/// Between the two the lanes have a segment each, put what the runs have of it together and make β
/// and γ of it. So a row costs the same whatever the segments are, as long as 31 of them have all
/// of a window; otherwise lanes go through the rows once more for the next 31.
///
/// Of rows that are read again γ is taken off r, which costs little and makes the error of Σer that
/// e and u are not quite orthogonal one of second order.
template <class Real, class Source, int Run>
class OneMotionWindows {
 public:
  using Tile = OneMotionTile<Real, Source, Run>;
  static constexpr int window_rows = Tile::window_rows;

  KOKKOS_FUNCTION OneMotionWindows(ArrowBatch<Real> const& batch, Source const& source)
      : batch_(batch), source_(source) {}

  /// Windows first, …, stop - 1 of a problem. What the next one needs is under way as soon as its
  /// place is free.
  KOKKOS_FUNCTION void take(DeviceWarp const& warp, int problem, int first, int stop, Tile& tile,
                            BulkCopies& copies) const {
    constexpr bool plain = Source::is_plain;
    SegmentWalk<Real> const walk(batch_, warp, problem);
    int const frame = walk.frame();
    auto const rows = source_.of(batch_, problem);
    auto const end_of = [&](int begin) { return Kokkos::min(begin + window_rows, batch_.n); };
    auto const segments_from = [&](int base) -> Segments {
      return {base, walk.offset(base + warp.lane)};
    };
    copies.hand_over();
    if constexpr (plain) {
      tile.begin_frame(warp, rows);
      tile.begin_copies(warp, copies, first * window_rows, end_of(first * window_rows));
    }
    Segments segments = segments_from(first == 0 ? 0 : walk.find(first * window_rows));
    CARROLL_NO_UNROLL
    for (int window = first; window < stop; ++window) {
      int const begin = window * window_rows, end = end_of(begin);
      Found found;
      if (batch_.m == 0) found.invalid = 1;  // there are rows
      if constexpr (!plain)
        if (tile.read(warp, rows, begin, end) != 0) found.invalid = 1;
      int next = segments.base;
      Rows here;
      bool const more =
          look_at(batch_, warp, problem, frame, begin, end, segments, here, next, found);
      if (warp.lane == 0) {
        WindowEdges& edges = batch_.edges_of(problem, window);
        edges.first = segments.base;
        edges.next = next;
      }
      segments = segments_from(more ? segments.base + at_once : next);
      copies.wait();
      auto const copy_next = [&] {
        if constexpr (plain)
          if (window + 1 < stop)
            tile.begin_copies(warp, copies, begin + window_rows, end_of(begin + window_rows));
      };
      bool const row_by_row = more || (one_pass && batch_.needs_rows_of_E());
      WindowTotals totals;
      if (!row_by_row) {
        take_segments<true>(warp, problem, frame, window, here, tile, totals, found, copy_next);
        if (!one_pass) copy_next();
      } else {
        for (bool yet_more = more;;) {
          take_segments<false>(warp, problem, frame, window, here, tile, totals, found, copy_next);
          if (!yet_more) break;
          yet_more = look_at(batch_, warp, problem, frame, begin, end, segments, here, next, found);
          segments = segments_from(yet_more ? here.base + at_once : next);
        }
        if (warp.lane == 0) batch_.edges_of(problem, window).next = next;
        copy_next();
      }
      bool const cancels = leave(warp, totals, batch_.partial(problem, window));
      if (one_pass && !row_by_row && !is_gram() &&
          cancels) {  // others have taken the place of its rows
        if constexpr (plain) {
          copies.wait();
          copies.hand_over();
          tile.begin_copies(warp, copies, begin, end);
          copies.wait();
        }
        std::uint32_t const starts = tile.starts[warp.lane];
        WindowTotals again;
        again.bb = totals.bb;
        add_products<true>(warp, tile, starts, sum_before<run>(warp, Kokkos::popcount(starts)), 0,
                           0, again);
        warp.sync();
        copy_next();
        leave(warp, again, batch_.partial(problem, window));
      }
      if (warp.lane == 0) {
        WindowEdges& edges = batch_.edges_of(problem, window);
        edges.head = found.head;
        edges.tail = found.tail;
        edges.invalid = found.invalid;
        edges.depths = found.depths;
      }
    }
  }

 private:
  static constexpr int at_once = OneMotionSegmentsAtHand::at_once;
  using Segments = OneMotionSegmentsAtHand;
  using Rows = OneMotionSegmentRows;
  using Found = OneMotionFound;

  static constexpr int run = Tile::run;
  /// Are rows read again only where much cancels, less than `least_left` of Σb² being left?
  static constexpr bool one_pass = sizeof(Real) == sizeof(float);
  static constexpr double least_left = 1.0 / (1 << 20);

  /// What 31 segments have of a window's rows; `All`: no others have any of them. Leaves groups of
  /// whole segments and pieces of others. Calls rows_are_done() once rows are not read any more,
  /// where they are read once.
  template <bool All, class Done>
  KOKKOS_FUNCTION void take_segments(DeviceWarp const& warp, int problem, int frame, int window,
                                     Rows const& segments, Tile& tile, WindowTotals& totals,
                                     Found& found, Done const& rows_are_done) const {
    constexpr bool once = All && one_pass;
    int const begin = window * window_rows;
    int const rows = Kokkos::min(begin + window_rows, batch_.n) - begin;
    int const from = segments.from, behind = segments.behind;
    int const at = Kokkos::max(from, 0);
    bool const holds = warp.lane < at_once && at < Kokkos::min(behind, rows);
    std::uint32_t const holders = warp.ballot(holds);
    if (!All && holders == 0) return;

    // Where pieces begin, but for the first one.
    bool const ends = holds && behind < rows;
    unsigned const last_run = ends ? static_cast<unsigned>(behind) / run : 32;
    tile.starts[warp.lane] = 0;
    warp.sync();
    if (ends) scratch_or(&tile.starts[last_run], 1U << (behind - last_run * run));
    int first_piece = 0;
    if constexpr (!All) {
      int const first_holder = Kokkos::Experimental::countr_zero_builtin(holders);
      first_piece = warp.from(at, first_holder) > 0 ? 1 : 0;
      if (first_piece != 0 && warp.lane == first_holder) {
        unsigned const r = static_cast<unsigned>(at) / run;
        scratch_or(&tile.starts[r], 1U << (at - r * run));
      }
    }
    warp.sync();
    std::uint32_t const starts = tile.starts[warp.lane];
    int const before = sum_before<run>(warp, Kokkos::popcount(starts));
    std::uint32_t const any = warp.any_bits(starts);
    if (2 * Kokkos::popcount(any) < run)
      sum_depths<true, once>(warp, tile, starts, any, before, totals);
    else
      sum_depths<false, once>(warp, tile, starts, any, before, totals);
    warp.sync();
    if constexpr (once) rows_are_done();
    bool counts = false;
    bool const begins = from >= 0, whole = begins && behind <= rows;
    if (holds) {
      std::uint32_t const lower = (1U << warp.lane) - 1;
      double* const piece = tile.pieces[first_piece + Kokkos::popcount(holders & lower)];
      double sums[3] = {};
      CARROLL_NO_UNROLL
      for (unsigned lane = static_cast<unsigned>(at) / run; lane < last_run; ++lane)
        add_sums(tile.runs[lane], sums);
      if (ends) add_sums(piece, sums);
      int const s = segments.base + warp.lane;
      double const d = take_segment(frame, s, whole, once, sums, piece, totals);
      double* const out =
          whole ? &batch_.group(problem, 0, s) : batch_.partial(problem, window) + (begins ? 6 : 3);
      std::ptrdiff_t const apart = whole ? batch_.m : 1;
      out[0] = d;
      out[apart] = sums[2];
      out[2 * apart] = sums[1];
      counts = whole && d > 0;
      if (!begins) found.head = s;  // the first lane's
    }
    found.depths += Kokkos::popcount(warp.ballot(counts));
    std::uint32_t const tail = warp.ballot(holds && begins && !whole);
    if (tail != 0) found.tail = segments.base + highest_bit(tail);
    warp.sync();
    if constexpr (!once) {
      add_products<All>(warp, tile, starts, before, first_piece, Kokkos::popcount(holders), totals);
      warp.sync();
    }
  }

  KOKKOS_FUNCTION static void add_sums(double const* from, double (&sums)[3]) {
    CARROLL_UNROLL
    for (int c = 0; c < 3; ++c) sums[c] += from[c];
  }

  /// Makes β and γ of a segment's Σub and Σur, puts what is to be taken off its rows into `piece`,
  /// and returns d.
  KOKKOS_FUNCTION double take_segment(int frame, int s, bool whole, bool once, double (&sums)[3],
                                      double* piece, WindowTotals& totals) const {
    bool const gram = is_gram();
    double const d = sums[0];
    double const inverse = d > 0 ? quick_reciprocal(d) : 0;
    double const mu = whole ? batch_.damping_of(frame, 1 + s) : 0;
    double kept = inverse;                // of sums, in β and γ
    double taken = gram ? 0.0 : inverse;  // of sums, off the rows
    if (mu > 0) {
      kept *= d / (d + mu);
      taken *= damped_share(d, mu);
    }
    piece[0] = taken * sums[1];
    piece[1] = taken * sums[2];
    double const beta = kept * sums[1], gamma = kept * sums[2];
    totals.bb = multiply_add(beta, sums[1], totals.bb);
    if (once || gram) {
      totals.ee = multiply_add(-beta, sums[1], totals.ee);
      totals.ef = multiply_add(-beta, sums[2], totals.ef);
    }
    sums[1] = beta;
    sums[2] = gamma;
    return d + mu;
  }

  /// The sums over all lanes, into the window's system. Returns whether next to nothing is left.
  KOKKOS_FUNCTION static bool leave(DeviceWarp const& warp, WindowTotals const& totals,
                                    double* partial) {
    Sums<double, 3> sums;
    sums.value[0] = totals.ee;
    sums.value[1] = totals.ef;
    sums.value[2] = totals.bb + totals.ee;
    ScatteredSums<3> const all(warp, sums);
    all.for_each([&](int e, double sum) { partial[e] = sum; });
    double const whole = one_pass ? warp.from(all.own(), 2) : 0;
    if constexpr (!one_pass) return false;
    return warp.ballot(warp.lane == 0 && !(all.own() >= least_left * whole)) != 0;
  }

  KOKKOS_FUNCTION bool is_gram() const {
    return batch_.options.method == PseudoinverseMethod::normal_equations;
  }

  ArrowBatch<Real> const& batch_;
  Source const& source_;
};

}  // namespace carroll::detail
