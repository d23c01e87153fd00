// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/copies/async_copy.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/matrix_product/device/stage.hpp>
#include <carroll/detail/matrix_product/device/store.hpp>
#include <carroll/detail/matrix_product/device/tile.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>

namespace carroll::detail {

/// A device's matrix product: a team computes one tile of C and part of the sum, or tiles of
/// several members.
///
/// Stages of `depth` terms are on their way into scratch while one is used; a thread adds outer
/// products of thread_rows entries of A and thread_cols of B to its block of sums in registers. The
/// block is spread over its warp's part of the tile in groups of 16 bytes, so that the lanes of
/// half a warp read 128 bytes of one row of scratch, and neighbouring lanes the same ones. Each sum
/// is one chain of multiply-adds, in ascending order.
///
/// 2mnk flops; A is read from memory (or the device's cache) n/cols times, B m/rows times. A
/// multiply-add of 8×8 sums per thread takes 1/4 entries from scratch, whose bandwidth is then half
/// used; (thread_rows + thread_cols)/4 reads stand beside thread_rows·thread_cols multiply-adds.
template <class ExecSpace, class T, class Tile, OperandOrder a_order, OperandOrder b_order>
class RegisterProductKernel {
 public:
  using Shape = Tile;
  static constexpr int threads = Tile::threads * Tile::tiles;

  RegisterProductKernel(MatrixProduct<T> const& product, TileGrid const& grid,
                        TermParts<T> const& parts)
      : product_(product), grid_(grid), parts_(parts), wide_(has_wide_results(product, parts)) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const rank = team.team_rank() % Tile::threads, tile = team.team_rank() / Tile::threads;
    T* const stages =
        static_cast<T*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes - 16, 16)) +
        tile * Tile::stages * stage_size;
    int const row = row_of(rank), col = col_of(rank);
    // Copies run ahead of the sums, also to the team's next item.
    Work work(*this, team.league_rank(), tile);
    Work ahead = work;
    auto a = stage_of_a(ahead, rank);
    auto b = stage_of_b(ahead, rank);
    int next = 0;
    auto const copy_next = [&] {
      if (ahead.item < grid_.items()) {
        a.copy(stages + next * stage_size, ahead.left());
        b.copy(stages + next * stage_size + a_stage, ahead.left());
        next = next + 1 == Tile::stages ? 0 : next + 1;
        ahead.done += Tile::depth;
        if (ahead.left() <= 0) {
          int const item = ahead.item + team.league_size();
          if (item < grid_.items()) {
            ahead = Work(*this, item, tile);
            a = stage_of_a(ahead, rank);
            b = stage_of_b(ahead, rank);
          }
          ahead.item = item;
        }
      }
      end_copy_group();
    };
    CARROLL_UNROLL
    for (int s = 0; s < Tile::stages - 1; ++s) copy_next();
    int now = 0;
    for (;;) {
      T sum[Tile::thread_rows][Tile::thread_cols] = {};
      for (; work.left() > 0; work.done += Tile::depth) {
        wait_for_copy_groups<Tile::stages - 2>();
        fast_team_barrier(team);  // this stage is there for all, and nobody uses the one before
        copy_next();
        T const* const stage = stages + now * stage_size;
        add_outer_products(stage + row, stage + a_stage + col, sum);
        now = now + 1 == Tile::stages ? 0 : now + 1;
      }
      store(work, row, col, sum);
      int const item = work.item + team.league_size();
      if (item >= grid_.items()) return;
      work = Work(*this, item, tile);
    }
  }

 private:
  static constexpr int wide = 16 / int(sizeof(T));
  static constexpr int a_group = Tile::thread_rows < wide ? Tile::thread_rows : wide;
  static constexpr int b_group = Tile::thread_cols < wide ? Tile::thread_cols : wide;
  static constexpr int a_step = Tile::lane_rows * a_group, b_step = Tile::lane_cols * b_group;
  // A gap of 16 bytes behind each term keeps writes of several terms apart.
  static constexpr int a_pitch = Tile::rows + wide, b_pitch = Tile::cols + wide;
  static constexpr int a_stage = Tile::depth * a_pitch;
  static constexpr int stage_size = a_stage + Tile::depth * b_pitch;
  static constexpr int warps_along_rows = Tile::rows / Tile::warp_rows;

 public:
  static constexpr std::size_t scratch_bytes =
      Tile::tiles * Tile::stages * stage_size * sizeof(T) + 16;
  static_assert((scratch_bytes + 1024) * Tile::teams_at_once <= 100 * 1024);
  static_assert(threads * Tile::teams_at_once <= 1536);
  using Policy = BoundedTeams<ExecSpace, threads, Tile::teams_at_once, scratch_bytes>;

 private:
  /// An item, and how many of its terms have been dealt with.
  struct Work {
    int item, i0, j0, part, member, begin, terms, done = 0;
    bool exists;

    KOKKOS_FUNCTION Work(RegisterProductKernel const& kernel, int number, int tile) : item(number) {
      auto const place = kernel.grid_.place(number);
      member = place.member * Tile::tiles + tile;
      exists = Tile::tiles == 1 || member < kernel.product_.batch;
      if (!exists) member = 0;
      i0 = place.row * Tile::rows;
      j0 = place.col * Tile::cols;
      part = place.part;
      begin = part * kernel.parts_.depth;
      terms = Kokkos::min(kernel.product_.k - begin, kernel.parts_.depth);
    }
    [[nodiscard]] KOKKOS_FUNCTION int left() const { return terms - done; }
  };

  KOKKOS_FORCEINLINE_FUNCTION auto stage_of_a(Work const& work, int rank) const {
    return OperandStage<T, Tile::rows, Tile::depth, Tile::threads, a_pitch, a_order>(
        product_.a[work.member], work.exists ? product_.m - work.i0 : 0, work.i0, work.begin, rank);
  }
  KOKKOS_FORCEINLINE_FUNCTION auto stage_of_b(Work const& work, int rank) const {
    return OperandStage<T, Tile::cols, Tile::depth, Tile::threads, b_pitch, b_order>(
        product_.b[work.member].transposed(), work.exists ? product_.n - work.j0 : 0, work.j0,
        work.begin, rank);
  }

  /// Where in the tile a thread's first group lies. Lanes 2l and 2l + 1 share rows.
  KOKKOS_FORCEINLINE_FUNCTION static int row_of(int rank) {
    int const lane = rank % Tile::lanes, warp = rank / Tile::lanes;
    return warp % warps_along_rows * Tile::warp_rows + lane / 2 % Tile::lane_rows * a_group;
  }
  KOKKOS_FORCEINLINE_FUNCTION static int col_of(int rank) {
    int const lane = rank % Tile::lanes, warp = rank / Tile::lanes;
    return warp / warps_along_rows * Tile::warp_cols +
           (lane % 2 + lane / (2 * Tile::lane_rows) * 2) * b_group;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_outer_products(
      T const* a, T const* b, T (&sum)[Tile::thread_rows][Tile::thread_cols]) const {
    CARROLL_UNROLL
    for (int p = 0; p < Tile::depth; ++p) {
      T x[Tile::thread_rows], y[Tile::thread_cols];
      read<a_group, a_step>(a + p * a_pitch, x);
      read<b_group, b_step>(b + p * b_pitch, y);
      if constexpr (is_complex<T>) {
        CARROLL_UNROLL
        for (int v = 0; v < Tile::thread_cols; ++v)
          y[v] = conjugate_if(product_.conjugate_factor(), y[v]);
      }
      CARROLL_UNROLL
      for (int u = 0; u < Tile::thread_rows; ++u) {
        CARROLL_UNROLL
        for (int v = 0; v < Tile::thread_cols; ++v) sum[u][v] = plus_product(x[u], y[v], sum[u][v]);
      }
    }
  }

  template <int Group, int Step, int Block>
  KOKKOS_FORCEINLINE_FUNCTION static void read(T const* from, T (&into)[Block]) {
    CARROLL_UNROLL
    for (int u = 0; u < Block; u += Group) {
      EntryGroup<T, Group> const group =
          *reinterpret_cast<EntryGroup<T, Group> const*>(from + u / Group * Step);
      CARROLL_UNROLL
      for (int v = 0; v < Group; ++v) into[u + v] = group.entry[v];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(
      Work const& work, int row, int col,
      T const (&sum)[Tile::thread_rows][Tile::thread_cols]) const {
    if (!work.exists) return;
    ResultColumns<T> const to(product_, parts_, work.part, work.member);
    int const i0 = work.i0 + row, j0 = work.j0 + col;
    CARROLL_UNROLL
    for (int v = 0; v < Tile::thread_cols; ++v) {
      int const j = j0 + v / b_group * b_step + v % b_group;
      if (j >= product_.n) continue;
      CARROLL_UNROLL
      for (int u = 0; u < Tile::thread_rows; u += a_group) {
        int const i = i0 + u / a_group * a_step;
        EntryGroup<T, a_group> group;
        CARROLL_UNROLL
        for (int w = 0; w < a_group; ++w) group.entry[w] = sum[u + w][v];
        to.store(i, j, group, wide_);
      }
    }
  }

  MatrixProduct<T> product_;
  TileGrid grid_;
  TermParts<T> parts_;
  bool wide_;
};

}  // namespace carroll::detail
