// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/tiled/solution.hpp>
#include <carroll/detail/solve/tiled/storage.hpp>
#include <carroll/detail/solve/tiled/tile.hpp>
#include <carroll/detail/svd/common/chunk.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Right-hand sides of a team at a time.
inline constexpr int solve_side_columns = 16;

/// Solutions of some right-hand sides, which elimination has been through, by one team: blocks of
/// 32 rows backwards, whose triangle a warp goes through for each column, a row to each lane; the
/// multiples are taken off the rows above by tiles. Then powers of two are taken out.
///
/// n² flops a column, n²/2 words of U read.
template <class Value, class Member>
class SolveTileSides {
 public:
  static constexpr int C = solve_side_columns;
  using Storage = SolveTileStorage<Value>;
  struct Scratch {
    static constexpr int pitch = C + chunk_length<Value>;
    alignas(16) Value X[solve_block * pitch];           ///< of a block
    alignas(16) Value U[2][solve_block * solve_block];  ///< diagonal blocks by turns
    Value inverses[2][solve_block];
  };

  KOKKOS_FUNCTION SolveTileSides(Member const& team, SolveProblem<Value> const& problem,
                                 Storage const& at, Scratch& scratch, int first)
      : team_(team),
        warp_(warp_of_threads(team)),
        problem_(problem),
        at_(at),
        scratch_(scratch),
        first_(first),
        count_(Kokkos::min(int{C}, at.columns - first)) {}

  KOKKOS_FUNCTION void solve() const {
    int const blocks = Storage::block_count(at_.n);
    fetch(blocks - 1);
    fast_team_barrier(team_);
    for (int b = blocks - 1; b >= 0; --b) {
      int const begin = b * solve_block, size = Kokkos::min(int{solve_block}, at_.n - begin);
      for (int c = own_warp(); c < count_; c += 2 * warps()) substitute(b, begin, size, c);
      fast_team_barrier(team_);
      if (b == 0) break;
      fetch(b - 1);
      SolveTileFactors<Value> const u{scratch_.X, Scratch::pitch, begin, size};
      int const thread = team_.team_rank(), threads = team_.team_size(), j = at_.n + first_;
      if (count_ == 1)
        subtract_tiles<1>(thread, threads, at_.A, u, at_.A, 0, begin, j, count_);
      else if (count_ <= 4)
        subtract_tiles<4>(thread, threads, at_.A, u, at_.A, 0, begin, j, count_);
      else
        subtract_tiles<solve_tile_columns<Value>>(thread, threads, at_.A, u, at_.A, 0, begin, j,
                                                  count_);
      fast_team_barrier(team_);
    }
    for (int c = own_warp(); c < count_; c += warps()) {
      int const j = first_ + c;
      store_tile_solution(warp_, problem_, at_, at_.A.col(at_.n + j), j, at_.sides[j]);
    }
  }

 private:
  KOKKOS_FUNCTION int own_warp() const { return team_.team_rank() / 32; }
  KOKKOS_FUNCTION int warps() const { return team_.team_size() / 32; }

  /// A diagonal block comes into scratch while others are at work.
  KOKKOS_FUNCTION void fetch(int b) const {
    int const begin = b * solve_block, size = Kokkos::min(int{solve_block}, at_.n - begin);
    for (int e = team_.team_rank(); e < solve_block * solve_block; e += team_.team_size()) {
      int const i = e % solve_block, k = e / solve_block;
      scratch_.U[b % 2][e] = i < k && k < size ? at_.A(begin + i, begin + k) : Value(0);
    }
    for (int k = team_.team_rank(); k < size; k += team_.team_size())
      scratch_.inverses[b % 2][k] = at_.inverses[begin + k];
  }

  /// A block's rows of two columns, c and that of the team's next round, if there is one.
  KOKKOS_FUNCTION void substitute(int b, int begin, int size, int c) const {
    int const lane = warp_.lane, other = c + warps();
    Value* const places[2] = {place_of(begin, c), place_of(begin, Kokkos::min(other, count_ - 1))};
    Value y[2];
    for (int h = 0; h < 2; ++h) y[h] = lane < size ? *places[h] : Value(0);
    for (int k = size - 1; k >= 0; --k) {
      Value const u = scratch_.U[b % 2][k * solve_block + lane];
      Value const inverse = scratch_.inverses[b % 2][k];
      CARROLL_UNROLL
      for (int h = 0; h < 2; ++h) {
        Value const x = fused_product(warp_.from(y[h], k), inverse);
        if (lane == k) y[h] = x;
        if (lane < k) y[h] = fused_sum(-u, x, y[h]);
      }
    }
    for (int h = 0; h < 2; ++h) {
      int const own = h == 0 ? c : other;
      if (own >= count_) continue;
      if (lane < size) *places[h] = y[h];
      scratch_.X[lane * Scratch::pitch + own] = y[h];
    }
  }
  KOKKOS_FUNCTION Value* place_of(int begin, int c) const {
    return at_.A.col(at_.n + first_ + c) + begin + warp_.lane;
  }

  Member const& team_;
  DeviceWarp const warp_;
  SolveProblem<Value> const& problem_;
  Storage const& at_;
  Scratch& scratch_;
  int first_, count_;
};

}  // namespace carroll::detail
