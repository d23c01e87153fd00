// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/depth_group.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/pseudoinverse/windows/gram_segments.hpp>
#include <carroll/detail/pseudoinverse/windows/row_stream.hpp>
#include <carroll/detail/pseudoinverse/windows/segment_walk.hpp>
#include <carroll/detail/pseudoinverse/windows/tensor_gram.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <climits>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// The windows of problems with K motion columns of float, several of them, on a GPU with warps:
/// EᵀE = BᵀB - Σ gᵀg/(d+μ), g = uᵀ(B | r), over the pieces of segments, in double precision. Its
/// error is one of eps·cond(A)², eps that of double, about the eps of float where columns are as
/// dependent as the default cutoff lets pass: no second pass over rows is needed to form E.
///
/// A warp has windows one after the other. Four rows at a time become, by one instruction of the
/// tensor cores, a rank-4 update of the 8×8 Gram matrix of (u | B | r) and one of d and g of eight
/// segments: those are rows of an 8×8 product, too, whose left factor has u in the row of its
/// segment and 0 in the others. So a row costs the same whatever the segments are, down to a few
/// rows in each. Eight segments that have ended are put aside, and 32 of them at a time are turned
/// into groups, a lane each, and taken off by updates of the same kind. Rows are on their way while
/// the 192 before them are taken. What is left of a window needs no sum over lanes.
/// TilesCoreKernel follows.
template <class ExecSpace, class Real, int K, class Source>
class GramWindowsKernel {
  static_assert(K + 2 == 8, "columns with u and r");

 public:
  static constexpr int blocks_at_once = 4;
  using Stream = RowStream<Real, K, Source, blocks_at_once, 4>;
  /// Warps that have room in the registers of a processor: a functor may want some for itself.
  static constexpr int team_warps = 4, processor_warps = Source::is_stored ? 16 : 8;

 private:
  static constexpr int pieces_at_once = 32;
  /// Of a warp.
  struct alignas(16) Scratch {
    typename Stream::Ring ring;
    double pieces[pieces_at_once][9];  ///< d and g; an odd number, so that lanes meet no other's
    double factors[pieces_at_once];    ///< 1/√(d+μ)
  };

 public:
  using Policy = BoundedTeams<ExecSpace, 32 * team_warps, processor_warps / team_warps,
                              team_warps * sizeof(Scratch) + 32>;

  GramWindowsKernel(ExecSpace const& exec, ArrowBatch<Real> const& batch, Source const& source)
      : batch_(batch),
        source_(source),
        windows_(batch.problems() * batch.windows),
        warps_(even_shares(windows_, processors(exec) * processor_warps)),
        keeps_(is_read_once() && bytes_left() <= shared_cache(exec) / 2) {}

  [[nodiscard]] TeamLaunch teams(ExecSpace const& /*exec*/) const {
    return {.count = (warps_ + team_warps - 1) / team_warps,
            .threads = team_warps,
            .scratch = team_warps * sizeof(Scratch) + 32,
            .lanes = 32};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (batch_.k != K) return;  // the compiler knows k from here on
    auto* const scratch = static_cast<Scratch*>(
        team.team_scratch(0).get_shmem_aligned(team_warps * sizeof(Scratch), 16));
    DeviceWarp const warp = warp_of_lanes(team);
    // What all lanes have in common comes out of a warp.max or a ballot, and the compiler knows.
    int const rank = warp.max(team.league_rank() * team_warps + team.team_rank());
    if (rank >= warps_) return;
    auto const share = [&](int part) {
      return static_cast<int>(static_cast<std::int64_t>(windows_) * part / warps_);
    };
    int window = share(rank);
    int const stop = share(rank + 1);
    Scratch& own = scratch[team.team_rank()];
    Stream stream(batch_, source_, warp, window, stop, keeps_, own.ring);
    for (int count = 0; window < stop; window += count) {
      int const first = window % batch_.windows;
      count = Kokkos::min(stop - window, batch_.windows - first);
      take_windows(warp, window / batch_.windows, first, first + count, stream, own);
    }
  }

 private:
  [[nodiscard]] bool is_read_once() const {
    return batch_.right_hand_sides == 1 && batch_.inverse.data == nullptr;
  }
  /// What the core reads.
  std::size_t bytes_left() const {
    return (static_cast<std::size_t>(windows_) * partial_size(K) +
            static_cast<std::size_t>(batch_.problems()) * batch_.m * group_size(K)) *
           sizeof(double);
  }

  /// At most `most` warps, as many as have about as many windows each.
  static int even_shares(int windows, int most) {
    int const turns = std::max((windows + most - 1) / most, 1);
    return (windows + turns - 1) / turns;
  }

  using Segments = GramSegments;
  using Group = GramGroup;
  static constexpr int segments_at_once = Segments::at_once;
  static constexpr int blocks_in_sum = 4 * blocks_at_once;
  static constexpr int step_blocks = 2, step_rows = step_blocks * Stream::block_rows;

  /// Windows first, …, end_window - 1 of a problem.
  KOKKOS_FUNCTION void take_windows(DeviceWarp const& warp, int problem, int first, int end_window,
                                    Stream& stream, Scratch& scratch) const {
    int const frame = batch_.frame_of(problem);
    SegmentWalk<Real> const walk(batch_, warp, problem);
    Segments segments;
    read_segments(batch_, warp, frame, first == 0 ? 0 : walk.find(first * batch_.window_rows),
                  segments);
    CARROLL_NO_UNROLL
    for (int window = first; window < end_window; ++window) {
      int const begin = window * batch_.window_rows;
      int const end = Kokkos::min(begin + batch_.window_rows, batch_.n);
      WindowEdges edges;
      edges.first = segments.first;
      if (batch_.m == 0 || !has_rows(warp, problem, begin, end)) edges.invalid = 1;
      TensorGramPair sums[2];  // of all rows, and of pieces; they do not wait for each other
      TensorGram total, taken;
      Group group = group_at_hand(batch_.m, warp, segments);
      auto const put_aside = [&] {
        sums[0].two += sums[1].two;
        double* const to = &scratch.pieces[segments.group + warp.lane / 4][warp.lane % 4 * 2];
        to[0] = sums[0].two.own[0];
        to[1] = sums[0].two.own[1];
        sums[0].two = sums[1].two = {};
      };
      typename Stream::Blocks const* blocks = nullptr;
      CARROLL_NO_UNROLL
      for (int row = begin, b = 0; row < end; row += step_rows, b += step_blocks) {
        if (b % blocks_at_once == 0) blocks = &stream.next();
        if (b % blocks_in_sum == 0) add_up(sums, total);
        int const first_block = b % blocks_at_once;
        auto const take_rows = [&](auto const& add) {
          CARROLL_UNROLL
          for (int block = 0; block < step_blocks; ++block) {
            auto const own = (*blocks)[first_block + block][warp.lane];
            auto const of_u = (*blocks)[first_block + block][warp.lane % 4];
            unsigned const place =
                row + block * Stream::block_rows + warp.lane % 4 * Stream::width - group.from;
            CARROLL_UNROLL
            for (int i = 0; i < Stream::width; ++i) {
              Real const u = place + i < group.count ? of_u.part[i] : Real(0);
              add(sums[i % 2], static_cast<double>(own.part[i]), static_cast<double>(u));
            }
          }
        };
        take_rows([&](TensorGramPair& sum, double x, double u) { sum.add(warp, x, u, x); });
        CARROLL_NO_UNROLL
        while (group.end <= row + step_rows) {
          put_aside();
          segments.group += segments_at_once;
          if (segments.group == pieces_at_once) {
            leave_pieces(warp, problem, frame, window, segments, pieces_at_once, scratch, taken,
                         edges);
            read_segments(batch_, warp, frame, segments.first + pieces_at_once, segments);
          }
          group = group_at_hand(batch_.m, warp, segments);
          take_rows([&](TensorGramPair& sum, double x, double u) { sum.two.add(warp, u, x); });
        }
      }
      put_aside();
      bool const ends = segments.first + warp.lane < batch_.m && segments.behind <= end;
      int const ended = Kokkos::Experimental::countr_one_builtin(warp.ballot(ends));
      int const next = segments.first + ended;
      // Offsets that are in order leave no segment behind the last row, and nobody looks at these.
      if (end == batch_.n && next < batch_.m) edges.invalid = 1;
      edges.next = Kokkos::max(Kokkos::min(next, batch_.m - 1), 0);
      bool const goes_on = warp.ballot(warp.lane == ended && segments.from < end) != 0;
      Segments ahead;
      read_segments(batch_, warp, frame, edges.next, ahead);
      leave_pieces(warp, problem, frame, window, segments,
                   next < batch_.m && goes_on ? ended + 1 : ended, scratch, taken, edges);
      add_up(sums, total);
      leave_system(warp, total, taken, batch_.partial(problem, window));
      if (warp.lane == 0) batch_.edges_of(problem, window) = edges;
      segments = ahead;
    }
  }

  /// Whether the places begin, …, end-1 have rows.
  KOKKOS_FUNCTION bool has_rows(DeviceWarp const& warp, int problem, int begin, int end) const {
    if constexpr (Source::checks_places) {
      auto const rows = source_.of(batch_, problem);
      bool all = true;
      CARROLL_NO_UNROLL
      for (int p = begin + warp.lane; p < end; p += 32) all = all && rows.valid_at(p);
      return warp.ballot(!all) == 0;
    }
    return true;
  }

  /// Sums of fewer rows have smaller errors.
  KOKKOS_FUNCTION static void add_up(TensorGramPair (&sums)[2], TensorGram& total) {
    sums[0].one += sums[1].one;
    total += sums[0].one;
    sums[0].one = sums[1].one = {};
  }

  /// Turns the first `count` pieces in scratch into groups and takes their part off.
  KOKKOS_FUNCTION void leave_pieces(DeviceWarp const& warp, int problem, int frame, int window,
                                    Segments const& segments, int count, Scratch& scratch,
                                    TensorGram& taken, WindowEdges& edges) const {
    // Or the compiler finds addresses for them before every row.
    problem = opaque_register(problem);
    window = opaque_register(window);
    int const begin = window * batch_.window_rows;
    int const end = Kokkos::min(begin + batch_.window_rows, batch_.n);
    int const s = segments.first + warp.lane;
    int const from = segments.from, behind = segments.behind;
    bool const mine = warp.lane < count;
    bool const in_order = from <= behind && behind <= batch_.n && (s > 0 || from == 0) &&
                          (s < batch_.m - 1 || behind == batch_.n);
    if (warp.ballot(mine && !in_order) != 0) edges.invalid = 1;
    bool const begins = from >= begin;
    bool const whole = begins && behind <= end;
    bool counts = false;
    warp.sync();
    if (mine) {
      double const* const piece = scratch.pieces[warp.lane];
      double const d = piece[0];
      double const mu = whole ? batch_.damping_of(frame, K + s) : 0;
      double kept = d > 0 ? quick_reciprocal(d) : 0;
      if (mu > 0) kept *= d / (d + mu);
      // Of both factors of a product: it is rounded alike whichever column comes first, so that
      // those of a copy of a column stay copies. Else null vectors would have an error of eps,
      // which a depth next to nothing makes large.
      double const damped = mu > 0 ? d + mu : d;
      scratch.factors[warp.lane] = d > 0 ? refined_rsqrt(damped, rough_rsqrt(damped)) : 0;
      double* const edge = batch_.partial(problem, window) + K * (K + 2) + (begins ? K + 2 : 0);
      double* const out = whole ? &batch_.group(problem, 0, 0) + s : edge;
      std::ptrdiff_t const apart = whole ? batch_.m : 1;
      out[0] = d + mu;
      out[apart] = kept * piece[K + 1];
      CARROLL_UNROLL
      for (int j = 0; j < K; ++j) out[(2 + j) * apart] = kept * piece[1 + j];
      counts = whole && d + mu > 0;
    }
    edges.depths += Kokkos::popcount(warp.ballot(counts));
    std::uint32_t const head = warp.ballot(mine && !begins);
    std::uint32_t const tail = warp.ballot(mine && begins && !whole);
    if (head != 0) edges.head = segments.first + highest_bit(head);
    if (tail != 0) edges.tail = segments.first + highest_bit(tail);
    warp.sync();
    CARROLL_NO_UNROLL
    for (int first = 0; first < count; first += 4) {
      int const p = first + warp.lane % 4;
      double const g = p < count ? scratch.pieces[p][warp.lane / 4] : 0.0;
      double const factor = p < count ? scratch.factors[p] : 0.0;
      taken.add(warp, -(factor * g), factor * g);
    }
    warp.sync();
  }

  /// EᵀE and Eᵀf, and what the columns had before.
  KOKKOS_FUNCTION static void leave_system(DeviceWarp const& warp, TensorGram const& total,
                                           TensorGram const& taken, double* partial) {
    int const row = warp.lane / 4 - 1;
    CARROLL_UNROLL
    for (int i = 0; i < 2; ++i) {
      int const col = warp.lane % 4 * 2 + i - 1;
      if (row < 0 || row >= K || col < row || col > K) continue;
      partial[row * (K + 1) + col] = total.own[i] + taken.own[i];
      if (col == row) partial[K * (K + 1) + row] = total.own[i];
    }
  }

  ArrowBatch<Real> batch_;
  Source source_;
  int windows_;  ///< of all problems
  int warps_;    ///< that have an equal share of them
  bool keeps_;   ///< rows leave the cache first, which has room for what the core reads
};

}  // namespace carroll::detail
