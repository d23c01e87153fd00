// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/async_copy.hpp>
#include <carroll/detail/device/tensor_product.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/matrix_product/device/stage.hpp>
#include <carroll/detail/matrix_product/device/store.hpp>
#include <carroll/detail/matrix_product/device/tile.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>

namespace carroll::detail {

/// The matrix product in double precision by tensor cores: a team computes one tile of C and part
/// of the sum.
///
/// As RegisterProductKernel, but a warp's block of sums is spread over its lanes in pieces of
/// 16×8, to each of which four terms are added at a time. Each sum is the same chain of
/// multiply-adds as there, of complex numbers four chains in turn, four terms of each.
///
/// Per 64×32 block and four terms 16 instructions of 512 multiply-adds, and 12 reads from scratch
/// of 256 bytes, for which there is time for 32. A 128×128 tile reads 2 KiB from the device's cache
/// in the time of 16384 multiply-adds, half of what an H200 can have.
template <class ExecSpace, class T, class Tile, OperandOrder a_order, OperandOrder b_order>
class TensorProductKernel {
 public:
  using Shape = Tile;
  static constexpr int threads = Tile::threads;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads, Tile::teams_at_once>>;
  using Member = typename Policy::member_type;

  TensorProductKernel(MatrixProduct<T> const& product, TileGrid const& grid,
                      TermParts<T> const& parts)
      : product_(product), grid_(grid), parts_(parts) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const place = grid_.place(team.league_rank());
    int const rank = team.team_rank();
    int const i0 = place.row * Tile::rows, j0 = place.col * Tile::cols;
    int const begin = place.part * parts_.depth;
    int const end = Kokkos::min(product_.k, begin + parts_.depth);

    OperandStage<T, Tile::rows, Tile::depth, threads, a_pitch, a_order> a(
        product_.a[place.member], product_.m - i0, i0, begin, rank);
    OperandStage<T, Tile::cols, Tile::depth, threads, b_pitch, b_order> b(
        product_.b[place.member].transposed(), product_.n - j0, j0, begin, rank);
    T* const stages =
        static_cast<T*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes - 16, 16));
    auto const copy = [&](int stage, int left) {
      if (left > 0) {
        a.copy(stages + stage * stage_size, left);
        b.copy(stages + stage * stage_size + a_stage, left);
      }
      end_copy_group();
    };
    CARROLL_UNROLL
    for (int s = 0; s < Tile::stages - 1; ++s) copy(s, end - begin - s * Tile::depth);

    DeviceWarp const warp = warp_of_threads(team);
    int const row = rank / 32 % warps_along_rows * Tile::warp_rows + warp.lane / 4;
    int const first_col = rank / 32 / warps_along_rows * Tile::warp_cols;
    Sums sums[row_pieces][col_pieces] = {};
    int now = 0, next = Tile::stages - 1;
    for (int p = begin; p < end; p += Tile::depth) {
      wait_for_copy_groups<Tile::stages - 2>();
      fast_team_barrier(team);  // this stage is there for all, and nobody uses the one before
      copy(next, end - p - (Tile::stages - 1) * Tile::depth);
      T const* const stage = stages + now * stage_size;
      add_products(warp, stage + row, stage + a_stage + first_col + warp.lane / 4, sums);
      now = now + 1 == Tile::stages ? 0 : now + 1;
      next = next + 1 == Tile::stages ? 0 : next + 1;
    }

    ResultColumns<T> const to(product_, parts_, place.part, place.member);
    CARROLL_UNROLL
    for (int v = 0; v < col_pieces; ++v) {
      CARROLL_UNROLL
      for (int h = 0; h < 2; ++h) {
        int const j = j0 + first_col + 8 * v + 2 * (warp.lane % 4) + h;
        if (j >= product_.n) continue;
        CARROLL_UNROLL
        for (int u = 0; u < row_pieces; ++u) {
          CARROLL_UNROLL
          for (int s = 0; s < 2; ++s) to.store(i0 + row + 16 * u + 8 * s, j, sums[u][v].get(s, h));
        }
      }
    }
  }

 private:
  static constexpr int row_pieces = Tile::warp_rows / 16, col_pieces = Tile::warp_cols / 8;
  static constexpr int warps_along_rows = Tile::rows / Tile::warp_rows;
  // Reads of 8 rows and 4 terms take each bank once.
  static constexpr int gap = is_complex<T> ? 2 : 4;
  static constexpr int a_pitch = Tile::rows + gap, b_pitch = Tile::cols + gap;
  static constexpr int a_stage = Tile::depth * a_pitch;
  static constexpr int stage_size = a_stage + Tile::depth * b_pitch;

 public:
  static constexpr std::size_t scratch_bytes = Tile::stages * stage_size * sizeof(T) + 16;

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

  KOKKOS_FORCEINLINE_FUNCTION void add_products(DeviceWarp const& warp, T const* a, T const* b,
                                                Sums (&sums)[row_pieces][col_pieces]) const {
    CARROLL_UNROLL
    for (int p = 0; p < Tile::depth; p += 4) {
      T const* const a_terms = a + (p + warp.lane % 4) * a_pitch;
      T const* const b_terms = b + (p + warp.lane % 4) * b_pitch;
      T x[row_pieces][2], y[col_pieces];
      CARROLL_UNROLL
      for (int u = 0; u < row_pieces; ++u) {
        x[u][0] = a_terms[16 * u];
        x[u][1] = a_terms[16 * u + 8];
      }
      CARROLL_UNROLL
      for (int v = 0; v < col_pieces; ++v)
        y[v] = conjugate_if(product_.conjugate_factor(), b_terms[8 * v]);
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

  MatrixProduct<T> product_;
  TileGrid grid_;
  TermParts<T> parts_;
};

}  // namespace carroll::detail
