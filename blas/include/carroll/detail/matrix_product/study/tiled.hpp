// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/matrix_product/dispatch.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

namespace carroll::detail {

/// The course's second kernel: a team per 32×32 tile of C, 32 terms of A's rows and B's columns at
/// a time in scratch, each read from memory once for 32 entries. A thread of a device has one
/// entry, or as many as the tile has for it; that of a host has all.
///
/// 2mnk flops, mnk/16 reads from memory, 2mnk from scratch.
template <class ExecSpace, class T>
class TiledProductKernel {
 public:
  static constexpr int side = sizeof(T) == 16 ? 16 : 32;  // scratch may be 48 KiB
  static constexpr std::size_t scratch_bytes = 3 * side * side * sizeof(T) + 16;

  explicit TiledProductKernel(MatrixProduct<T> const& product) : product_(product) {}
  [[nodiscard]] int teams() const { return tile_rows() * tile_cols() * product_.batch; }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const tiles = tile_rows() * tile_cols();
    int const member = team.league_rank() / tiles, tile = team.league_rank() % tiles;
    int const i0 = tile % tile_rows() * side, j0 = tile / tile_rows() * side;
    StridedMatrix<T const> const a = product_.a[member], b = product_.b[member];
    StridedMatrix<T> const c = product_.c[member];
    bool const conjugate = product_.conjugate_factor();
    T* const a_tile =
        static_cast<T*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes - 16, 16));
    T* const b_tile = a_tile + side * side;
    T* const sums = b_tile + side * side;
    auto const for_tile = [&](auto const& f) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, side * side),
                           [&](int entry) { f(entry % side, entry / side); });
    };
    for_tile([&](int i, int j) { sums[j * side + i] = T(0); });
    for (int p0 = 0; p0 < product_.k; p0 += side) {
      for_tile([&](int i, int p) {
        bool const there = i0 + i < product_.m && p0 + p < product_.k;
        a_tile[p * side + i] = there ? a(i0 + i, p0 + p) : T(0);
      });
      for_tile([&](int p, int j) {
        bool const there = j0 + j < product_.n && p0 + p < product_.k;
        b_tile[j * side + p] = there ? conjugate_if(conjugate, b(p0 + p, j0 + j)) : T(0);
      });
      team.team_barrier();
      for_tile([&](int i, int j) {
        T sum = sums[j * side + i];
        for (int p = 0; p < side; ++p)
          sum = plus_product(a_tile[p * side + i], b_tile[j * side + p], sum);
        sums[j * side + i] = sum;
      });
      team.team_barrier();
    }
    for_tile([&](int i, int j) {
      if (i0 + i < product_.m && j0 + j < product_.n)
        product_.store(c, i0 + i, j0 + j, sums[j * side + i]);
    });
  }

 private:
  KOKKOS_FUNCTION int tile_rows() const { return quotient_up(product_.m, side); }
  KOKKOS_FUNCTION int tile_cols() const { return quotient_up(product_.n, side); }

  MatrixProduct<T> product_;
};

}  // namespace carroll::detail
