// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/solve/tiled/storage.hpp>
#include <carroll/detail/solve/tiled/tile.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// L·U·x = b and (L·U)ᵀ·x = b by one team for vectors in scratch, entries in the order of the
/// pivots: products with inverses of diagonal blocks, 32 rows each, and what is beside them by all
/// threads. Good enough for an estimate, not for solutions: blocks of U may be near singular.
///
/// 2n² flops and n² words of L and U a solution, V vectors at a time; four barriers a block.
template <class Real, class Member>
class SolveTileBlocks {
 public:
  using Storage = SolveTileStorage<Real>;

  /// V vectors of n entries, one after the other, and 32 more.
  KOKKOS_FUNCTION SolveTileBlocks(Member const& team, Storage const& at, Real* vectors, Real* part)
      : team_(team), warp_(warp_of_threads(team)), at_(at), x_(vectors), part_(part) {}

  /// The inverses of the diagonal blocks, one to a warp, of which a lane has a column.
  KOKKOS_FUNCTION void invert_blocks() const {
    CARROLL_NO_UNROLL
    for (int t = own_warp(); t < 2 * blocks(); t += warps()) {
      int const begin = begin_of(t / 2), size = size_of(t / 2);
      Real const* const triangle = at_.A.col(begin) + begin;
      Real x[solve_block];
      CARROLL_UNROLL
      for (int i = 0; i < solve_block; ++i) x[i] = i == warp_.lane ? Real(1) : Real(0);
      if (t % 2 == 0)
        substitute_lower(triangle, at_.A.rows, size, x);
      else
        substitute_upper(triangle, at_.A.rows, at_.inverses + begin, size, x);
      Real* const to = (t % 2 == 0 ? at_.lower_inverse(t / 2) : at_.upper_inverse(t / 2)) +
                       solve_block * warp_.lane;
      CARROLL_UNROLL
      for (int i = 0; i < solve_block; ++i) to[i] = i < size && warp_.lane < size ? x[i] : Real(0);
    }
    fast_team_barrier(team_);
  }

  template <int V>
  KOKKOS_FUNCTION void solve() const {
    CARROLL_NO_UNROLL
    for (int s = 0; s < 2 * blocks(); ++s) {
      bool const lower = s < blocks();
      int const b = lower ? s : 2 * blocks() - 1 - s, begin = begin_of(b), size = size_of(b);
      if (own_warp() < V)
        multiply(lower ? at_.lower_inverse(b) : at_.upper_inverse(b), size,
                 x_ + own_warp() * at_.n + begin);
      fast_team_barrier(team_);
      subtract<V>(begin, size, lower ? begin + size : 0, lower ? at_.n : begin);
      fast_team_barrier(team_);
    }
  }

  KOKKOS_FUNCTION void solve_transposed() const {
    CARROLL_NO_UNROLL
    for (int s = 0; s < 2 * blocks(); ++s) {
      bool const upper = s < blocks();
      int const b = upper ? s : 2 * blocks() - 1 - s, begin = begin_of(b), size = size_of(b);
      int const first = upper ? 0 : begin + size, last = upper ? begin : at_.n;
      for (int c = own_warp(); c < size; c += 4 * warps())
        subtract_sums(begin, size, first, last, c);
      fast_team_barrier(team_);
      Real const* const M = upper ? at_.upper_inverse(b) : at_.lower_inverse(b);
      for (int c = own_warp(); c < size; c += warps()) {
        Real const term =
            warp_.lane < size ? M[solve_block * c + warp_.lane] * part_[warp_.lane] : Real(0);
        Real const sum = lanes_sum_down(warp_, term);
        if (warp_.lane == 0) x_[begin + c] = sum;
      }
      fast_team_barrier(team_);
    }
  }

 private:
  KOKKOS_FUNCTION int own_warp() const { return team_.team_rank() / 32; }
  KOKKOS_FUNCTION int warps() const { return team_.team_size() / 32; }
  KOKKOS_FUNCTION int blocks() const { return Storage::block_count(at_.n); }
  KOKKOS_FUNCTION static int begin_of(int b) { return b * solve_block; }
  KOKKOS_FUNCTION int size_of(int b) const {
    return Kokkos::min(int{solve_block}, at_.n - begin_of(b));
  }

  /// x := M·x by a warp.
  KOKKOS_FUNCTION void multiply(Real const* M, int size, Real* x) const {
    Real sums[4] = {};
    CARROLL_UNROLL
    for (int k = 0; k < solve_block; ++k)
      if (k < size) sums[k % 4] = Kokkos::fma(M[solve_block * k + warp_.lane], x[k], sums[k % 4]);
    Real const sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    warp_.sync();
    if (warp_.lane < size) x[warp_.lane] = sum;
  }

  /// Entries of a block, c and those of the team's next three rounds, without their part of rows
  /// first <= i < last.
  KOKKOS_FUNCTION void subtract_sums(int begin, int size, int first, int last, int c) const {
    constexpr int together = 4;
    Real sums[together] = {};
    for (int i = first + warp_.lane; i < last; i += 32) {
      Real const x = x_[i];
      CARROLL_UNROLL
      for (int q = 0; q < together; ++q) {
        int const col = Kokkos::min(c + q * warps(), size - 1);
        sums[q] = Kokkos::fma(at_.A(i, begin + col), x, sums[q]);
      }
    }
    CARROLL_UNROLL
    for (int q = 0; q < together; ++q) {
      Real const sum = lanes_sum_down(warp_, sums[q]);
      int const col = c + q * warps();
      if (warp_.lane == 0 && col < size) part_[col] = x_[begin + col] - sum;
    }
  }

  /// Rows first <= i < last without their part of a block that is solved for.
  template <int V>
  KOKKOS_FUNCTION void subtract(int begin, int size, int first, int last) const {
    constexpr int together = 16;
    for (int i = first + team_.team_rank(); i < last; i += team_.team_size()) {
      Real y[V];
      CARROLL_UNROLL
      for (int v = 0; v < V; ++v) y[v] = x_[v * at_.n + i];
      CARROLL_NO_UNROLL
      for (int k0 = 0; k0 < size; k0 += together) {
        Real l[together];
        CARROLL_UNROLL
        for (int k = 0; k < together; ++k)
          l[k] = k0 + k < size ? at_.A(i, begin + k0 + k) : Real(0);
        CARROLL_UNROLL
        for (int k = 0; k < together; ++k) {
          if (k0 + k >= size) break;
          CARROLL_UNROLL
          for (int v = 0; v < V; ++v)
            y[v] = Kokkos::fma(-l[k], x_[v * at_.n + begin + k0 + k], y[v]);
        }
      }
      CARROLL_UNROLL
      for (int v = 0; v < V; ++v) x_[v * at_.n + i] = y[v];
    }
  }

  Member const& team_;
  DeviceWarp const warp_;
  Storage const& at_;
  Real *x_, *part_;
};

}  // namespace carroll::detail
