// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/pseudoinverse/gram_sums.hpp>
#include <carroll/detail/pseudoinverse/piece_sums.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/pseudoinverse/product_sums.hpp>
#include <carroll/detail/pseudoinverse/segment_tile.hpp>
#include <carroll/detail/pseudoinverse/segment_walk.hpp>
#include <carroll/detail/signals.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/detail/warp.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// The windows of problems with K motion columns of float, several of them, on a GPU with warps:
/// EᵀE = BᵀB - Σ gᵀg/(d+μ), g = uᵀ(B | r), over the pieces of segments, in double precision. Its
/// error is one of eps·cond(A)², eps that of double, about the eps of float where columns are as
/// dependent as the default cutoff lets pass: no second pass over rows is needed to form E.
///
/// A warp has a window for itself. Its rows go into scratch, in the order of memory, then each lane
/// takes a run of them, wherever segments begin in it: (B | r)ᵀ(B | r) stays in its registers, and
/// d and g of a piece that ends go to scratch. So a row costs the same whatever the segments are,
/// as long as a window has 32 pieces of them at most; otherwise lanes go through the rows once more
/// for every 32 of them. While the next window's rows are on their way a lane takes a segment, puts
/// what the runs have of it together, and takes its part off. TilesCoreKernel follows. (K+2)n
/// entries are read, K² + 5K + 4 flops a row.
template <class ExecSpace, class Real, int K, class Source>
class GramTilesKernel {
  static_assert(K > 1 && Source::is_plain && sizeof(Real) == sizeof(float));

 public:
  using Tile = SegmentTile<Real, K, Source, paired_width<K + 2>>;
  static constexpr int window_rows = Tile::window_rows;
  /// Of a team: as many tiles as Kokkos lends it of scratch.
  static constexpr int tiles = std::clamp<int>(47 * 1024 / sizeof(Tile), 1, 4);
  /// Warps that have room in the registers of a processor: with 10, for which it has scratch, some
  /// words have none, and 1024 frames of 20 000 rows take 0.30 ms for 0.27 (H200, 2026-11-23).
  static constexpr int processor_warps = 8;
  using Policy =
      Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32 * tiles, processor_warps / tiles>>;
  using Member = typename Policy::member_type;

  GramTilesKernel(ExecSpace const& exec, ArrowBatch<Real> const& batch, Source const& source)
      : batch_(batch),
        source_(source),
        windows_(batch.problems() * batch.windows),
        warps_(std::min(windows_, warps_at_once(exec))) {}

  Policy policy(ExecSpace const& exec) const {
    return Policy(exec, (warps_ + tiles - 1) / tiles, tiles, 32)
        .set_scratch_size(0, Kokkos::PerTeam(team_bytes));
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (batch_.k != K) return;  // the compiler knows k from here on
    auto* const tiles_of_team = static_cast<Tile*>(
        team.team_scratch(0).get_shmem_aligned(tiles * sizeof(Tile), alignof(Tile)));
    DeviceWarp warp{0};
    KOKKOS_IF_ON_DEVICE((warp.lane = static_cast<int>(threadIdx.x);))
    int const rank = team.league_rank() * tiles + team.team_rank();
    if (rank >= warps_) return;
    auto const share = [&](int part) {
      return static_cast<int>(static_cast<std::int64_t>(windows_) * part / warps_);
    };
    int const stop = share(rank + 1);
    for (int window = share(rank), count = 0; window < stop; window += count) {
      int const first = window % batch_.windows;
      count = Kokkos::min(stop - window, batch_.windows - first);
      take_windows(warp, window / batch_.windows, first, first + count,
                   tiles_of_team[team.team_rank()]);
    }
  }

 private:
  using Gram = GramSums<Real, K, Tile>;

  static constexpr int team_bytes = static_cast<int>(tiles * sizeof(Tile) + 16);

  static int warps_at_once(ExecSpace const& exec) {
    constexpr std::size_t beside = 1200;  // what CUDA and Kokkos keep for themselves, of each team
    int const room = static_cast<int>(scratch_of_processor(exec) / (team_bytes + beside));
    return processors(exec) * tiles * std::clamp(room, 1, processor_warps / tiles);
  }

  /// Windows first, …, stop - 1 of a problem.
  KOKKOS_FUNCTION void take_windows(DeviceWarp const& warp, int problem, int first, int stop,
                                    Tile& tile) const {
    Gram const gram(batch_);
    SegmentWalk<Real> const walk(batch_, warp, problem);
    auto const load = [&](int window) {
      // Or the compiler holds addresses of all columns in registers.
      auto const rows = source_.of(batch_, forgotten(problem));
      int const begin = window * window_rows;
      tile.load(warp, rows, begin, Kokkos::min(begin + window_rows, batch_.n));
    };
    warp.sync();
    load(first);
    SegmentBounds bounds = walk.read(first == 0 ? 0 : walk.find(first * window_rows));
    CARROLL_NO_UNROLL
    for (int window = first; window < stop; ++window) {
      int const begin = window * window_rows;
      int const end = Kokkos::min(begin + window_rows, batch_.n);
      WindowEdges edges;
      auto const pieces = walk.pieces(bounds, begin, end, tile, edges);
      SegmentBounds const ahead = walk.read(edges.next);
      wait_for_copies();
      warp.sync();
      PlainProducts<K> totals;
      bool const no_room = pieces.count > Tile::pieces_at_once;
      if (no_room || 2 * Kokkos::popcount(pieces.any) < Tile::run)
        Gram::template sum_rows<true>(warp, pieces, tile, totals);
      else
        Gram::template sum_rows<false>(warp, pieces, tile, totals);
      warp.sync();
      double* const partial = batch_.partial(problem, window);
      Gram::squares(warp, totals).for_each([&](int j, double sum) {
        partial[K * (K + 1) + j] = sum;
      });
      int next = bounds.base, done = 0;
      for (bool more = no_room; more;) {
        Gram::sum_pieces(warp, pieces, done, tile);
        warp.sync();
        more = done + Tile::pieces_at_once < pieces.count;
        if (!more) break;
        next =
            gram.take(warp, problem, window, walk, bounds, pieces, done, next, tile, totals, edges);
        warp.sync();
        done += Tile::pieces_at_once;
      }
      if (window + 1 < stop) load(window + 1);
      gram.take(warp, problem, window, walk, bounds, pieces, done, next, tile, totals, edges);
      Gram::sums(warp, totals).for_each([&](int e, double sum) {
        partial[product_place<K>(e)] = sum;
      });
      if (warp.lane == 0) batch_.edges_of(problem, window) = edges;
      bounds = ahead;
    }
  }

  ArrowBatch<Real> batch_;
  Source source_;
  int windows_;  ///< of all problems
  int warps_;    ///< that have an equal share of them
};

}  // namespace carroll::detail
