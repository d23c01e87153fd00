// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/sizes.hpp>
#include <carroll/detail/solve/tiled/solution.hpp>
#include <carroll/detail/solve/tiled/storage.hpp>
#include <carroll/detail/solve/tiled/tile.hpp>
#include <carroll/detail/svd/common/chunk.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>

namespace carroll::detail {

/// Some columns of U⁻¹·L⁻¹ by one team, which are those of A⁻¹ in the order of the pivots: blocks
/// of 32 rows forwards, from the first that is not zero, and then backwards. A lane of the first
/// warp has a column for the triangle; the others' multiples are taken off by tiles. ‖A⁻¹‖₁ is the
/// largest of their sums; of inverses they are X, too.
///
/// n³/3 + n³ flops for all columns together, n²/2 to n² words of L and U read by a team.
template <class Value, class Member>
class SolveTileInverse {
 public:
  using Storage = SolveTileStorage<Value>;
  static constexpr int C = Storage::inverse_columns;
  struct Scratch {
    static constexpr int pitch = C + chunk_length<Value>;
    alignas(16) Value X[solve_block * pitch];                ///< rows of a block
    alignas(16) Value triangles[solve_block * solve_block];  ///< of L and U in a diagonal block
    Value inverses[solve_block];
  };

  static constexpr std::size_t most_scratch_bytes =
      sizeof(Scratch) + Storage::most_inverse_bytes + sizeof(Value) * C;
  /// With the columns themselves, where they fit.
  static std::size_t scratch_bytes(int n) {
    return sizeof(Scratch) + (Storage::inverse_in_scratch(n) ? sizeof(Value) * C * pitch_of(n) : 0);
  }

  /// `room`: scratch_bytes(). Columns from `first` on.
  KOKKOS_FUNCTION SolveTileInverse(Member const& team, SolveProblem<Value> const& problem,
                                   Storage const& at, void* room, int first)
      : team_(team),
        warp_(warp_of_threads(team)),
        problem_(problem),
        at_(at),
        scratch_(*static_cast<Scratch*>(room)),
        Y_(Storage::inverse_in_scratch(at.n)
               ? Columns<Value>{reinterpret_cast<Value*>(&scratch_ + 1), pitch_of(at.n)}
               : at.columns_of_inverse(first)),
        first_(first) {}

  KOKKOS_FUNCTION void find() const {
    int const blocks = Storage::block_count(at_.n), from = first_ / solve_block;
    for (int c = own_warp(); c < C; c += warps())
      for (int i = warp_.lane; i < at_.n; i += 32) Y_(i, c) = i == first_ + c ? Value(1) : Value(0);
    fetch(from);
    fast_team_barrier(team_);
    CARROLL_NO_UNROLL
    for (int s = from; s < 2 * blocks; ++s) {
      bool const lower = s < blocks;
      int const b = block_of(s, blocks), next = block_of(s + 1, blocks);
      int const begin = b * solve_block, size = Kokkos::min(int{solve_block}, at_.n - begin);
      if (own_warp() == 0) substitute(lower, begin, size);
      fast_team_barrier(team_);
      if (s + 1 < 2 * blocks && next != b) fetch(next);
      for (int c = own_warp(); c < C; c += warps())
        if (warp_.lane < size) Y_(begin + warp_.lane, c) = scratch_.X[warp_.lane * pitch + c];
      subtract({scratch_.X, pitch, begin, size}, lower ? begin + size : 0, lower ? at_.n : begin);
      fast_team_barrier(team_);
    }
    for (int c = own_warp(); c < Kokkos::min(int{C}, at_.n - first_); c += warps()) finish(c);
  }

 private:
  static constexpr int pitch = Scratch::pitch;

  /// Of columns in scratch: odd, for lanes that read a row of them.
  KOKKOS_FUNCTION static int pitch_of(int n) { return n | 1; }
  KOKKOS_FUNCTION int own_warp() const { return team_.team_rank() / 32; }
  KOKKOS_FUNCTION int warps() const { return team_.team_size() / 32; }
  /// Of a step: forwards, then backwards.
  KOKKOS_FUNCTION static int block_of(int step, int blocks) {
    return step < blocks ? step : 2 * blocks - 1 - step;
  }

  /// A diagonal block comes into scratch while others are at work.
  KOKKOS_FUNCTION void fetch(int b) const {
    int const begin = b * solve_block, size = Kokkos::min(int{solve_block}, at_.n - begin);
    for (int e = team_.team_rank(); e < solve_block * solve_block; e += team_.team_size()) {
      int const i = e % solve_block, k = e / solve_block;
      scratch_.triangles[e] = i < size && k < size ? at_.A(begin + i, begin + k) : Value(0);
    }
    for (int k = team_.team_rank(); k < size; k += team_.team_size())
      scratch_.inverses[k] = at_.inverses[begin + k];
  }

  /// A block's rows, by a warp: complex doubles half of them at a time, for the sake of registers.
  KOKKOS_FUNCTION void substitute(bool lower, int begin, int size) const {
    constexpr int part = sizeof(Value) > 8 ? solve_block / 2 : solve_block;
    int const c = Kokkos::min(warp_.lane, C - 1);
    Value const* const own = Y_.col(c) + begin;
    CARROLL_NO_UNROLL
    for (int done = 0; done < solve_block; done += part) {
      int const from = lower ? done : solve_block - part - done, left = size - from;
      Value const* const rows = scratch_.triangles + from;
      Value y[part];
      CARROLL_UNROLL
      for (int i = 0; i < part; ++i) y[i] = i < left ? own[from + i] : Value(0);
      if (lower) {
        for (int k = 0; k < Kokkos::min(from, size); ++k) take(rows, k, c, y);
        substitute_lower(rows + from * solve_block, int{solve_block}, left, y);
      } else {
        for (int k = size - 1; k >= from + part; --k) take(rows, k, c, y);
        substitute_upper(rows + from * solve_block, int{solve_block}, scratch_.inverses + from,
                         left, y);
      }
      if (warp_.lane < C) {
        CARROLL_UNROLL
        for (int i = 0; i < part; ++i) scratch_.X[(from + i) * pitch + c] = y[i];
      }
      if constexpr (part < solve_block) warp_.sync();
    }
  }

  /// A multiple of row k of the block off others, whose entries of L or U begin at `rows`.
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void take(Value const* rows, int k, int c, Value (&y)[N]) const {
    Value const by = scratch_.X[k * pitch + c];
    CARROLL_UNROLL
    for (int i = 0; i < N; i += 4) {
      Value v[4];
      read_chunks<4>(rows + k * solve_block + i, v);
      CARROLL_UNROLL
      for (int l = 0; l < 4; ++l) y[i + l] = fused_sum(-v[l], by, y[i + l]);
    }
  }

  /// Multiples of a block off rows begin <= i < end: fewer columns for a warp where there are few
  /// rows.
  KOKKOS_FUNCTION void subtract(SolveTileFactors<Value> const& block, int begin, int end) const {
    int const thread = team_.team_rank(), threads = team_.team_size();
    int const chunks = (end - begin + solve_tile_rows - 1) / solve_tile_rows;
    constexpr int most = solve_tile_columns<Value>;
    if (chunks >= warps())
      subtract_tiles<most>(thread, threads, at_.A, block, Y_, begin, end, 0, int{C});
    else if (2 * chunks >= warps())
      subtract_tiles<(most < C / 2 ? most : C / 2)>(thread, threads, at_.A, block, Y_, begin, end,
                                                    0, int{C});
    else
      subtract_tiles<C / 4>(thread, threads, at_.A, block, Y_, begin, end, 0, int{C});
  }

  /// What a column tells, and where it goes, by a warp.
  KOKKOS_FUNCTION void finish(int c) const {
    Value const* const y = Y_.col(c);
    RealOf<Value> sum = 0;
    if (problem_.inverts()) {
      int const row = at_.order[first_ + c];
      sum =
          store_tile_solution(warp_, problem_, at_, y, row, SolveTileScaling<Value>(at_).row(row));
    } else {
      for (int i = warp_.lane; i < at_.n; i += 32) sum += modulus(y[i]);
      sum = lanes_sum_down(warp_, sum);
    }
    if (warp_.lane == 0) raise(&at_.state->inverse_norm, sum);
  }

  Member const& team_;
  DeviceWarp const warp_;
  SolveProblem<Value> const& problem_;
  Storage const& at_;
  Scratch& scratch_;
  Columns<Value> const Y_;
  int first_;
};

}  // namespace carroll::detail
