// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/tiled/storage.hpp>
#include <carroll/detail/solve/tiled/tile.hpp>
#include <carroll/detail/svd/common/chunk.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// What a panel means for the other columns: rows change places; behind it, and in right-hand
/// sides, the rows of the panel become those of U, and their multiples are taken off those below. A
/// team has up to 32 columns, and 16 of them (8 complex doubles) and 64 rows in the registers of
/// each warp.
///
/// 2mw flops a column of m rows, and w² for the triangle; 2m words a column are read and written,
/// mw words of L read for each team.
template <class ExecSpace, class Value, int Width>
class SolveTileUpdateKernel {
 public:
  static constexpr int most_cols = 32, most_threads = 256, cols_of_warp = solve_tile_columns<Value>;
  using Real = RealOf<Value>;
  struct Scratch {
    static constexpr int pitch = most_cols + chunk_length<Value>;
    alignas(16) Value L[Width * Width];
    alignas(16) Value U[Width * pitch];
  };
  using Policy = BoundedTeams<ExecSpace, most_threads, 2, sizeof(Scratch) + 16>;

  /// What follows the panel from column `first` on.
  SolveTileUpdateKernel(SolveBatch<Value> const& batch, int first, int cols, bool left)
      : batch_(batch), first_(first), cols_(cols) {
    auto const n = static_cast<int>(batch.x.extents[1]),
               k = SolveTileStorage<Value>::sides_of(batch);
    int const behind = n + k - std::min(first + Width, n);
    right_ = (behind + cols - 1) / cols;
    left_ = left ? (first + most_cols - 1) / most_cols : 0;
  }

  [[nodiscard]] int teams_per_system() const { return right_ + left_; }
  /// A warp for each tile, as far as it goes.
  [[nodiscard]] int threads(int rows_left) const {
    int const tiles = (rows_left - 1) / solve_tile_rows + 1;
    return 32 * std::clamp(tiles * (cols_ / cols_of_warp), 4, most_threads / 32);
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const each = right_ + left_, part = team.league_rank() % each;
    SolveTileStorage<Value> const at(batch_(team.league_rank() / each));
    DeviceWarp const warp = warp_of_threads(team);
    if (part >= right_) {
      int const from = (part - right_) * most_cols;
      exchange_left(team, warp, at, from, Kokkos::min(int{most_cols}, first_ - from));
      return;
    }
    auto& scratch =
        *static_cast<Scratch*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), 16));
    int const w = Kokkos::min(int{Width}, at.n - first_), from = first_ + w + part * cols_;
    int const count = Kokkos::min(cols_, at.n + at.columns - from);
    for (int e = team.team_rank(); e < Width * Width; e += team.team_size()) {
      int const i = e % Width, k = e / Width;
      scratch.L[e] = i < w && k < i ? at.A(first_ + i, first_ + k) : Value(0);
    }
    gather(team, warp, at, scratch, w, from, count);
    fast_team_barrier(team);
    if (team.team_rank() / 32 == 0) substitute(warp, at, scratch, from, count);
    fast_team_barrier(team);
    for (int c = team.team_rank() / 32; c < count; c += team.team_size() / 32)
      if (warp.lane < w) at.A(first_ + warp.lane, from + c) = scratch.U[warp.lane * pitch + c];
    int const begin = first_ + w;
    subtract_tiles<cols_of_warp>(team.team_rank(), team.team_size(), at.A,
                                 SolveTileFactors<Value>{scratch.U, pitch, first_, w}, at.A, begin,
                                 at.n, from, count);
  }

 private:
  static constexpr int pitch = Scratch::pitch;

  /// What a lane knows of the exchange of its row of the panel.
  struct Move {
    int pivot = -1, displaced = -1;
  };
  KOKKOS_FUNCTION static Move move_of(DeviceWarp const& warp, SolveTileStorage<Value> const& at,
                                      int w) {
    if (warp.lane >= w) return {};
    return {at.pivots[warp.lane], at.displaced[warp.lane]};
  }

  /// f(c, x) for the columns c < count of a team, of which x is the pivot's entry in the lane's
  /// row; that from the top has gone to its place. Some columns are on their way together.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION static void exchange(TeamMember<ExecSpace> const& team,
                                                   DeviceWarp const& warp, Move const& move,
                                                   Columns<Value> const& A, int row, int from,
                                                   int count, F const& f) {
    constexpr int together = 4;
    int const warps = team.team_size() / 32;
    bool const there = move.pivot >= 0;
    CARROLL_NO_UNROLL
    for (int begin = team.team_rank() / 32; begin < count; begin += together * warps) {
      Value top[together], pivot[together];
      CARROLL_UNROLL
      for (int q = 0; q < together; ++q) {
        Value const* const col = A.col(from + Kokkos::min(begin + q * warps, count - 1)) + row;
        top[q] = there ? col[warp.lane] : Value(0);
        pivot[q] = there ? col[move.pivot] : Value(0);
      }
      warp.sync();  // all have read what others overwrite
      CARROLL_UNROLL
      for (int q = 0; q < together; ++q) {
        int const c = begin + q * warps;
        if (c >= count) continue;
        Value const other = warp.from(top[q], move.displaced);
        if (move.displaced >= 0) A.col(from + c)[row + move.pivot] = other;
        f(c, pivot[q]);
      }
    }
  }

  /// In columns before the panel nothing else happens.
  KOKKOS_FUNCTION void exchange_left(TeamMember<ExecSpace> const& team, DeviceWarp const& warp,
                                     SolveTileStorage<Value> const& at, int from, int count) const {
    Move const move = move_of(warp, at, Kokkos::min(int{Width}, at.n - first_));
    exchange(team, warp, move, at.A, first_, from, count, [&](int c, Value const& x) {
      if (move.pivot >= 0) at.A.col(from + c)[first_ + warp.lane] = x;
    });
  }

  /// The panel's rows of all columns, into scratch; there are zeros where no column is.
  KOKKOS_FUNCTION void gather(TeamMember<ExecSpace> const& team, DeviceWarp const& warp,
                              SolveTileStorage<Value> const& at, Scratch& scratch, int w, int from,
                              int count) const {
    exchange(team, warp, move_of(warp, at, w), at.A, first_, from, count,
             [&](int c, Value const& x) {
               if (warp.lane < Width) scratch.U[warp.lane * pitch + c] = x;
             });
    for (int c = count + team.team_rank() / 32; c < most_cols; c += team.team_size() / 32)
      if (warp.lane < Width) scratch.U[warp.lane * pitch + c] = Value(0);
  }

  /// They become U's, a column to a lane.
  KOKKOS_FUNCTION static void substitute(DeviceWarp const& warp, SolveTileStorage<Value> const& at,
                                         Scratch& scratch, int from, int count) {
    Value y[Width];
    CARROLL_UNROLL
    for (int k = 0; k < Width; ++k) y[k] = scratch.U[k * pitch + warp.lane];
    substitute_lower(scratch.L, int{Width}, int{Width}, y);
    Real most = 0;
    CARROLL_UNROLL
    for (int k = 0; k < Width; ++k) {
      scratch.U[k * pitch + warp.lane] = y[k];
      most = Kokkos::max(most, size_or_infinity(y[k]));
    }
    bool const of_matrix = warp.lane < count && from + warp.lane < at.n;
    most = lanes_max(warp, of_matrix ? most : Real(0));
    if (warp.lane == 0 && most > Real(0)) raise(&at.state->after, most);
  }

  SolveBatch<Value> batch_;
  int first_, cols_, right_, left_;
};

}  // namespace carroll::detail
