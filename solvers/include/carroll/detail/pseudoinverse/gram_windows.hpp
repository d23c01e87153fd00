// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/pseudoinverse/depth_group.hpp>
#include <carroll/detail/pseudoinverse/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/pseudoinverse/row_stream.hpp>
#include <carroll/detail/pseudoinverse/segment_walk.hpp>
#include <carroll/detail/pseudoinverse/tensor_gram.hpp>
#include <carroll/detail/signals.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/detail/warp.hpp>
#include <climits>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// The windows of problems with K motion columns of float, several of them, on a GPU with warps:
/// EᵀE = BᵀB - Σ gᵀg/(d+μ), g = uᵀ(B | r), over the pieces of segments, in double precision. Its
/// error is one of eps·cond(A)², eps that of double, about the eps of float where columns are as
/// dependent as the default cutoff lets pass: no second pass over rows is needed to form E.
///
/// A warp has windows one after the other. Four rows at a time become a rank-4 update of the 8×8
/// Gram matrix of (u | B | r), an instruction of the tensor cores; where a segment ends its first
/// row, g, is put aside, and 32 of those at a time are turned into groups, a lane each, and taken
/// off by updates of the same kind. Rows are on their way while the 192 before them are taken.
/// What is left of a window needs no sum over lanes.
template <class ExecSpace, class Real, int K, class Source>
class GramWindowsKernel {
 public:
  static constexpr int blocks_at_once = 4;
  using Stream = RowStream<Real, K, Source, blocks_at_once, 4>;
  static constexpr int window_rows = 512;
  static constexpr int team_warps = 4, processor_warps = 16;
  using Policy =
      Kokkos::TeamPolicy<ExecSpace,
                         Kokkos::LaunchBounds<32 * team_warps, processor_warps / team_warps>>;
  using Member = typename Policy::member_type;

  GramWindowsKernel(ExecSpace const& exec, ArrowBatch<Real> const& batch, Source const& source)
      : batch_(batch),
        source_(source),
        windows_(batch.problems() * batch.windows),
        warps_(std::min(windows_, processors(exec) * processor_warps)) {}

  Policy policy(ExecSpace const& exec) const {
    return Policy(exec, (warps_ + team_warps - 1) / team_warps, team_warps, 32)
        .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(team_warps * sizeof(Scratch)) + 32));
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (batch_.k != K) return;  // the compiler knows k from here on
    auto* const scratch = static_cast<Scratch*>(
        team.team_scratch(0).get_shmem_aligned(team_warps * sizeof(Scratch), 16));
    DeviceWarp warp{0};
    lane_for(team, 32, [&](int lane) { warp.lane = lane; });
    // What all lanes have in common comes out of a warp.max or a ballot, and the compiler knows.
    int const rank = warp.max(team.league_rank() * team_warps + team.team_rank());
    if (rank >= warps_) return;
    auto const share = [&](int part) {
      return static_cast<int>(static_cast<std::int64_t>(windows_) * part / warps_);
    };
    int window = share(rank);
    int const stop = share(rank + 1);
    Scratch& own = scratch[team.team_rank()];
    Stream stream(batch_, source_, warp, window, stop, own.ring);
    for (int count = 0; window < stop; window += count) {
      int const first = window % batch_.windows;
      count = Kokkos::min(stop - window, batch_.windows - first);
      take_windows(warp, window / batch_.windows, first, first + count, stream, own);
    }
  }

 private:
  static constexpr int pieces_at_once = 32;

  /// Of a warp.
  struct alignas(16) Scratch {
    typename Stream::Ring ring;
    double pieces[pieces_at_once][9];  ///< d and g; an odd number, so that lanes meet no other's
    double factors[pieces_at_once];    ///< -1/(d+μ)
  };

  /// Consecutive segments, one in each lane, and the pieces of them that have been put aside.
  struct Segments {
    int first = 0;
    int count = 0;
    int from = 0, behind = 0;  ///< rows of segment first + lane
  };
  KOKKOS_FUNCTION void read(DeviceWarp const& warp, int frame, int first,
                            Segments& segments) const {
    segments.first = first;
    segments.count = 0;
    segments.from = batch_.offset(frame, Kokkos::min(first + warp.lane, batch_.m));
    segments.behind = batch_.offset(frame, Kokkos::min(first + warp.lane + 1, batch_.m));
  }
  KOKKOS_FUNCTION static int of_segment_at_hand(DeviceWarp const& warp, Segments const& segments,
                                                int x) {
    return warp.max(warp.lane == segments.count ? x : INT_MIN);
  }
  /// Row behind the segment at hand; behind all rows where there is none.
  KOKKOS_FUNCTION int end_of(DeviceWarp const& warp, Segments const& segments) const {
    int const behind = of_segment_at_hand(warp, segments, segments.behind);
    return segments.first + segments.count < batch_.m ? behind : INT_MAX;
  }

  /// Windows first, …, end_window - 1 of a problem.
  KOKKOS_FUNCTION void take_windows(DeviceWarp const& warp, int problem, int first, int end_window,
                                    Stream& stream, Scratch& scratch) const {
    int const frame = batch_.frame_of(problem);
    SegmentWalk<Real> const walk(batch_, warp, problem);
    Segments segments;
    read(warp, frame, first == 0 ? 0 : walk.find(first * window_rows), segments);
    CARROLL_NO_UNROLL
    for (int window = first; window < end_window; ++window) {
      int const begin = window * window_rows;
      int const end = Kokkos::min(begin + window_rows, batch_.n);
      WindowEdges edges;
      edges.first = segments.first;
      if (batch_.m == 0) edges.invalid = 1;  // there are rows
      TensorGram piece[2], total, taken;     // two that do not wait for each other
      int behind = end_of(warp, segments);
      auto const put_aside = [&] {
        piece[0] += piece[1];
        if (warp.lane < 4) {
          scratch.pieces[segments.count][2 * warp.lane] = piece[0].own[0];
          scratch.pieces[segments.count][2 * warp.lane + 1] = piece[0].own[1];
        }
        total += piece[0];
        piece[0] = piece[1] = {};
        ++segments.count;
      };
      auto const end_segment = [&] {
        put_aside();
        if (segments.count == pieces_at_once) {
          leave_pieces(warp, problem, frame, window, segments, scratch, taken, edges);
          read(warp, frame, segments.first + pieces_at_once, segments);
        }
        behind = end_of(warp, segments);
      };
      typename Stream::Blocks const* blocks = nullptr;
      CARROLL_NO_UNROLL
      for (int row = begin, b = 0; row < end; row += Stream::block_rows, ++b) {
        if (b % blocks_at_once == 0) blocks = &stream.next();
        double x[Stream::width];
        take_block(warp, (*blocks)[b % blocks_at_once][warp.lane], x);
        int const first_own = row + warp.lane % 4 * Stream::width;
        bool cut = false;
        TensorGram rest[2];  // of the rows behind the last segment that ends in the block
        for (int at = row; behind < row + Stream::block_rows;) {
          if (behind > at) {
            TensorGramPair pairs[2] = {{piece[0], {}}, {piece[1], {}}};
            CARROLL_UNROLL
            for (int i = 0; i < Stream::width; ++i) {
              bool const later = first_own + i >= behind;
              bool const inside = first_own + i >= at && !later;
              pairs[i % 2].add(warp, inside ? x[i] : 0.0, later ? x[i] : 0.0, x[i]);
            }
            CARROLL_UNROLL
            for (int i = 0; i < 2; ++i) {
              piece[i] = pairs[i].one;
              rest[i] = pairs[i].two;
            }
            cut = true;
            at = behind;
          }
          end_segment();
        }
        if (cut) {
          piece[0] = rest[0];
          piece[1] = rest[1];
        } else {
          CARROLL_UNROLL
          for (int i = 0; i < Stream::width; ++i) piece[i % 2].add(warp, x[i], x[i]);
        }
      }
      while (behind <= end) end_segment();
      int const next = segments.first + segments.count;
      // Offsets that are in order leave no segment behind the last row, and nobody looks at these.
      if (end == batch_.n && next < batch_.m) edges.invalid = 1;
      edges.next = Kokkos::max(Kokkos::min(next, batch_.m - 1), 0);
      int const from = Kokkos::max(of_segment_at_hand(warp, segments, segments.from), begin);
      if (next < batch_.m && from < end) put_aside();
      Segments ahead;
      read(warp, frame, edges.next, ahead);
      leave_pieces(warp, problem, frame, window, segments, scratch, taken, edges);
      leave_system(warp, total, taken, batch_.partial(problem, window));
      if (warp.lane == 0) batch_.edges_of(problem, window) = edges;
      segments = ahead;
    }
  }

  /// The lane's entries of a block, 0 in lanes that have no column.
  KOKKOS_FUNCTION static void take_block(DeviceWarp const& warp, typename Stream::Block const& own,
                                         double (&x)[Stream::width]) {
    auto const block = own;
    CARROLL_UNROLL
    for (int i = 0; i < Stream::width; ++i)
      x[i] = K + 2 == 8 || warp.lane / 4 < K + 2 ? static_cast<double>(block.part[i]) : 0.0;
  }

  /// Turns the pieces that have been put aside into groups and takes their part off.
  KOKKOS_FUNCTION void leave_pieces(DeviceWarp const& warp, int problem, int frame, int window,
                                    Segments const& segments, Scratch& scratch, TensorGram& taken,
                                    WindowEdges& edges) const {
    // Or the compiler finds addresses for them before every row.
    problem = forgotten(problem);
    window = forgotten(window);
    int const begin = window * window_rows;
    int const end = Kokkos::min(begin + window_rows, batch_.n);
    int const s = segments.first + warp.lane;
    int const from = segments.from, behind = segments.behind;
    bool const mine = warp.lane < segments.count;
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
      scratch.factors[warp.lane] = -kept;
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
    for (int first = 0; first < segments.count; first += 4) {
      int const p = first + warp.lane % 4;
      double const g = p < segments.count ? scratch.pieces[p][warp.lane / 4] : 0.0;
      double const factor = p < segments.count ? scratch.factors[p] : 0.0;
      taken.add(warp, factor * g, g);
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
};

}  // namespace carroll::detail
