// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/async_copy.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/matrix_product/device/stage.hpp>
#include <carroll/detail/matrix_product/device/store.hpp>
#include <carroll/detail/matrix_product/device/tile.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <carroll/detail/unroll.hpp>
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
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads, Tile::teams_at_once>>;
  using Member = typename Policy::member_type;

  RegisterProductKernel(MatrixProduct<T> const& product, TileGrid const& grid,
                        TermParts<T> const& parts)
      : product_(product), grid_(grid), parts_(parts), wide_(has_wide_results(product, parts)) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto place = grid_.place(team.league_rank());
    int const rank = team.team_rank() % Tile::threads, tile = team.team_rank() / Tile::threads;
    place.member = place.member * Tile::tiles + tile;
    bool const exists = Tile::tiles == 1 || place.member < product_.batch;
    if (!exists) place.member = 0;
    int const i0 = place.row * Tile::rows, j0 = place.col * Tile::cols;
    int const begin = place.part * parts_.depth;
    int const end = Kokkos::min(product_.k, begin + parts_.depth);
    int const m = exists ? product_.m - i0 : 0, n = exists ? product_.n - j0 : 0;

    OperandStage<T, Tile::rows, Tile::depth, Tile::threads, a_pitch, a_order> a(
        product_.a[place.member], m, i0, begin, rank);
    OperandStage<T, Tile::cols, Tile::depth, Tile::threads, b_pitch, b_order> b(
        product_.b[place.member].transposed(), n, j0, begin, rank);
    T* const stages =
        static_cast<T*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes - 16, 16)) +
        tile * Tile::stages * stage_size;

    CARROLL_UNROLL
    for (int s = 0; s < Tile::stages - 1; ++s) {
      copy(a, b, stages + s * stage_size, end - begin - s * Tile::depth);
      end_copy_group();
    }
    int const row = row_of(rank), col = col_of(rank);
    T sum[Tile::thread_rows][Tile::thread_cols] = {};
    int now = 0, next = Tile::stages - 1;
    for (int p = begin; p < end; p += Tile::depth) {
      wait_for_copy_groups<Tile::stages - 2>();
      fast_team_barrier(team);  // this stage is there for all, and nobody uses the one before
      copy(a, b, stages + next * stage_size, end - p - (Tile::stages - 1) * Tile::depth);
      end_copy_group();
      T const* const stage = stages + now * stage_size;
      add_outer_products(stage + row, stage + a_stage + col, sum);
      now = now + 1 == Tile::stages ? 0 : now + 1;
      next = next + 1 == Tile::stages ? 0 : next + 1;
    }
    store(place, i0 + row, j0 + col, exists, sum);
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

 private:
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static void copy(A& a, B& b, T* stage, int left) {
    if (left <= 0) return;
    a.copy(stage, left);
    b.copy(stage + a_stage, left);
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
        for (int v = 0; v < Tile::thread_cols; ++v) y[v] = conjugate_if(product_.conjugate_factor(), y[v]);
      }
      CARROLL_UNROLL
      for (int u = 0; u < Tile::thread_rows; ++u) {
        CARROLL_UNROLL
        for (int v = 0; v < Tile::thread_cols; ++v)
          sum[u][v] = multiply_add(x[u], y[v], sum[u][v]);
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
      TileGrid::Place const& place, int i0, int j0, bool exists,
      T const (&sum)[Tile::thread_rows][Tile::thread_cols]) const {
    if (!exists) return;
    ResultColumns<T> const to(product_, parts_, place.part, place.member);
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
