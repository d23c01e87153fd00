// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/copies/async_copy.hpp>
#include <carroll/detail/device/tensor_product.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/matrix_product/device/stage.hpp>
#include <carroll/detail/matrix_product/device/store.hpp>
#include <carroll/detail/matrix_product/device/tile.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <type_traits>

namespace carroll::detail {

/// The matrix product in double precision by tensor cores: a team computes one tile of C and part
/// of the sum.
///
/// `Product` is a MatrixProduct, or what says of each member which matrices it has, of which
/// extents, and which of C's tiles are wanted; of these teams have one each.
///
/// As RegisterProductKernel, but a warp's block of sums is spread over its lanes in pieces of
/// 16×8, to each of which four terms are added at a time. Each sum is the same chain of
/// multiply-adds as there, of complex numbers four chains in turn, four terms of each.
///
/// Per 64×32 block and four terms 16 instructions of 512 multiply-adds, and 12 reads from scratch
/// of 256 bytes, for which there is time for 32. A 128×128 tile reads 2 KiB from the device's cache
/// in the time of 16384 multiply-adds, half of what an H200 can have.
template <class ExecSpace, class T, class Tile, OperandOrder a_order, OperandOrder b_order,
          class Product = MatrixProduct<T>>
class TensorProductKernel {
 public:
  using Shape = Tile;
  static constexpr int threads = Tile::threads;

 private:
  static constexpr int row_pieces = Tile::warp_rows / 16, col_pieces = Tile::warp_cols / 8;
  static constexpr int warps_along_rows = Tile::rows / Tile::warp_rows;
  template <int Extent, int Pitch, OperandOrder order>
  using Stage = std::conditional_t<order == OperandOrder::along_terms,
                                   TermStage<T, Extent, Tile::depth, threads>,
                                   OperandStage<T, Extent, Tile::depth, threads, Pitch, order>>;
  // Reads of 8 rows and 4 terms take each bank once: by a gap behind the rows of a term, or as
  // TermStage turns the terms of a row.
  static constexpr int gap = is_complex<T> ? 2 : 4;
  static constexpr bool a_terms = a_order == OperandOrder::along_terms;
  static constexpr bool b_terms = b_order == OperandOrder::along_terms;
  static constexpr int a_pitch = Tile::rows + gap, b_pitch = Tile::cols + gap;
  static constexpr int a_row = a_terms ? Tile::depth : 1, b_row = b_terms ? Tile::depth : 1;
  static constexpr int a_stage = a_terms ? Tile::rows * Tile::depth : Tile::depth * a_pitch;
  static constexpr int b_stage = b_terms ? Tile::cols * Tile::depth : Tile::depth * b_pitch;
  static constexpr int stage_size = a_stage + b_stage;

 public:
  static constexpr std::size_t scratch_bytes = Tile::stages * stage_size * sizeof(T) + 16;
  using Policy = BoundedTeams<ExecSpace, threads, Tile::teams_at_once, scratch_bytes>;

  TensorProductKernel(Product const& product, TileGrid const& grid, TermParts<T> const& parts)
      : product_(product), grid_(grid), parts_(parts) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (!product_.wants(grid_.place(team.league_rank()), Tile::rows, Tile::cols)) return;
    int const rank = team.team_rank();
    T* const stages =
        static_cast<T*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes - 16, 16));
    // Copies run ahead of the sums, also to the team's next item.
    Work work(*this, team.league_rank());
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
            ahead = Work(*this, item);
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

    DeviceWarp const warp = warp_of_threads(team);
    int const row = rank / 32 % warps_along_rows * Tile::warp_rows + warp.lane / 4;
    int const first_col = rank / 32 / warps_along_rows * Tile::warp_cols;
    int now = 0;
    for (;;) {
      Sums sums[row_pieces][col_pieces] = {};
      for (; work.left() > 0; work.done += Tile::depth) {
        wait_for_copy_groups<Tile::stages - 2>();
        fast_team_barrier(team);  // this stage is there for all, and nobody uses the one before
        copy_next();
        T const* const stage = stages + now * stage_size;
        add_products(warp, stage + row * a_row,
                     stage + a_stage + (first_col + warp.lane / 4) * b_row, sums);
        now = now + 1 == Tile::stages ? 0 : now + 1;
      }
      store(work, warp, row, first_col, sums);
      int const item = work.item + team.league_size();
      if (item >= grid_.items()) return;
      work = Work(*this, item);
    }
  }

 private:
  /// A lane's sums of a piece: of rows i and i + 8, columns j and j + 1.
  struct Sums {
    double re[2][2];
    double im[is_complex<T> ? 2 : 1][2];

    KOKKOS_FORCEINLINE_FUNCTION T get(int s, int h) const {
      if constexpr (is_complex<T>)
        return {re[s][h], im[s][h]};
      else
        return re[s][h];
    }
  };

  /// An item, and how many of its terms have been dealt with.
  struct Work {
    int item, i0, j0, part, member, begin, terms, done = 0;

    KOKKOS_FUNCTION Work(TensorProductKernel const& kernel, int number) : item(number) {
      auto const place = kernel.grid_.place(number);
      member = place.member;
      i0 = place.row * Tile::rows;
      j0 = place.col * Tile::cols;
      part = place.part;
      begin = part * kernel.parts_.depth;
      terms = Kokkos::min(kernel.product_.terms(member) - begin, kernel.parts_.depth);
    }
    [[nodiscard]] KOKKOS_FUNCTION int left() const { return terms - done; }
  };

  KOKKOS_FORCEINLINE_FUNCTION auto stage_of_a(Work const& work, int rank) const {
    return Stage<Tile::rows, a_pitch, a_order>(product_.left(work.member),
                                               product_.rows(work.member) - work.i0, work.i0,
                                               work.begin, rank);
  }
  KOKKOS_FORCEINLINE_FUNCTION auto stage_of_b(Work const& work, int rank) const {
    return Stage<Tile::cols, b_pitch, b_order>(product_.right(work.member).transposed(),
                                               product_.cols(work.member) - work.j0, work.j0,
                                               work.begin, rank);
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(Work const& work, DeviceWarp const& warp, int row,
                                         int first_col,
                                         Sums const (&sums)[row_pieces][col_pieces]) const {
    auto const to = result_columns(product_, parts_, work.part, work.member);
    int const cols = product_.cols(work.member);
    CARROLL_UNROLL
    for (int v = 0; v < col_pieces; ++v) {
      CARROLL_UNROLL
      for (int h = 0; h < 2; ++h) {
        int const j = work.j0 + first_col + 8 * v + 2 * (warp.lane % 4) + h;
        if (j >= cols) continue;
        CARROLL_UNROLL
        for (int u = 0; u < row_pieces; ++u) {
          CARROLL_UNROLL
          for (int s = 0; s < 2; ++s)
            to.store(work.i0 + row + 16 * u + 8 * s, j, sums[u][v].get(s, h));
        }
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_products(DeviceWarp const& warp, T const* a, T const* b,
                                                Sums (&sums)[row_pieces][col_pieces]) const {
    int const turn = TermTurn<T, Tile::depth>::of(warp.lane / 4);  // rows are 8 apart
    CARROLL_UNROLL
    for (int p = 0; p < Tile::depth; p += 4) {
      int const turned = (p ^ turn) + warp.lane % 4, plain = p + warp.lane % 4;
      T const* const a_at = a + (a_terms ? turned : plain * a_pitch);
      T const* const b_at = b + (b_terms ? turned : plain * b_pitch);
      T x[row_pieces][2], y[col_pieces];
      CARROLL_UNROLL
      for (int u = 0; u < row_pieces; ++u) {
        x[u][0] = a_at[16 * u * a_row];
        x[u][1] = a_at[(16 * u + 8) * a_row];
      }
      CARROLL_UNROLL
      for (int v = 0; v < col_pieces; ++v)
        y[v] = conjugate_if(product_.conjugate_factor(), b_at[8 * v * b_row]);
      CARROLL_UNROLL
      for (int u = 0; u < row_pieces; ++u) {
        CARROLL_UNROLL
        for (int v = 0; v < col_pieces; ++v) add(warp, x[u], y[v], sums[u][v]);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void add(DeviceWarp const& warp, T const (&x)[2], T const& y,
                                              Sums& sums) {
    if constexpr (is_complex<T>) {
      add_warp_products(warp, x[0].real(), x[1].real(), y.real(), sums.re[0], sums.re[1]);
      add_warp_products(warp, x[0].real(), x[1].real(), y.imag(), sums.im[0], sums.im[1]);
      add_warp_products(warp, -x[0].imag(), -x[1].imag(), y.imag(), sums.re[0], sums.re[1]);
      add_warp_products(warp, x[0].imag(), x[1].imag(), y.real(), sums.im[0], sums.im[1]);
    } else {
      add_warp_products(warp, x[0], x[1], y, sums.re[0], sums.re[1]);
    }
  }

  Product product_;
  TileGrid grid_;
  TermParts<T> parts_;
};

}  // namespace carroll::detail
