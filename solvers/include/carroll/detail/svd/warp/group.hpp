// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/common/shape_list.hpp>
#include <carroll/detail/unroll.hpp>

/// Small matrices in the registers of a warp: who holds what.
namespace carroll::detail {

/// The lanes that a matrix of up to `Rows` rows and `Cols` columns is spread over. A pair of
/// columns lies in the registers of `Split` neighbouring lanes, row i in lane i modulo `Split`. A
/// team of `Warps` warps does not wait for each other; `Teams` of them are to share a
/// multiprocessor, which bounds the registers per lane.
template <int Rows, int Cols, int Split, int Warps = 1, int Teams = 1>
struct WarpShape {
  static constexpr int rows = Rows, cols = Cols, split = Split;
  static constexpr int warps_per_team = Warps, least_teams = Teams;
  static constexpr int pairs = Cols / 2;
  static constexpr int lanes = pairs * Split;
  /// Lanes set aside for a matrix, so that as many matrices share a warp.
  static constexpr int width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(lanes)));
  static constexpr int matrices = 32 / width;
  static constexpr int row_parts = Rows / Split;  ///< rows of a whole column in a lane
  static constexpr int col_parts = Cols / Split;  ///< rows of a column of the triangle in a lane
  static_assert(Cols % 2 == 0 && Rows % Split == 0 && Cols % Split == 0 && lanes <= 32);
};

/// Size classes. Lanes per pair and teams per multiprocessor are the quickest of those tried on an
/// H200, 2026-11-21.
using WarpOf4 = WarpShape<4, 4, 1>;
using WarpOf8 = WarpShape<8, 8, 1>;
using WarpOf16 = WarpShape<16, 16, 2, 1, 16>;
using WarpClasses =
    ShapeList<false, WarpOf4, WarpOf8, WarpOf16, WarpShape<32, 8, 2>, WarpShape<32, 16, 2>,
              WarpShape<32, 24, 2, 1, 12>, WarpShape<32, 32, 2, 1, 12>>;

/// Single precision is worked on in double: only where that costs twice the time, not 32 or 64
/// times.
#if defined(KOKKOS_ARCH_HOPPER90) || defined(KOKKOS_ARCH_AMPERE80) || \
    defined(KOKKOS_ARCH_VOLTA70) || defined(KOKKOS_ARCH_PASCAL60) ||  \
    defined(KOKKOS_ARCH_BLACKWELL100)
inline constexpr bool has_fast_double = true;
#else
inline constexpr bool has_fast_double = false;
#endif

/// Are there tensor cores for double precision that are faster than the other units?
#if defined(KOKKOS_ARCH_HOPPER90) || defined(KOKKOS_ARCH_AMPERE80) || \
    defined(KOKKOS_ARCH_BLACKWELL100)
inline constexpr bool has_double_tensor_cores = true;
#else
inline constexpr bool has_double_tensor_cores = false;
#endif

template <class Real>
inline constexpr bool has_warp_kernels = has_fast_double || sizeof(Real) == sizeof(double);

/// A matrix's place in team scratch: the reflectors below and on the diagonal of F, R above it, R's
/// diagonal and its reciprocals beside them. Columns are an odd number of words apart, so that
/// neighbouring columns, and the tiles of one warp, lie in different banks.
template <class Shape>
struct WarpTile {
  double* data;
  static constexpr int stride = Shape::rows + 1;
  static constexpr int reals = Shape::cols * (stride + 4) + Shape::cols / 2 + 1;

  KOKKOS_FUNCTION double& operator()(int i, int j) const { return data[i + j * stride]; }
  KOKKOS_FUNCTION double& tau(int k) const { return tail(0)[k]; }
  KOKKOS_FUNCTION double& diagonal(int k) const { return tail(1)[k]; }
  KOKKOS_FUNCTION double& reciprocal(int k) const { return tail(2)[k]; }
  KOKKOS_FUNCTION double& sigma(int k) const { return tail(3)[k]; }
  KOKKOS_FUNCTION int& permutation(int k) const { return reinterpret_cast<int*>(tail(4))[k]; }

 private:
  KOKKOS_FUNCTION double* tail(int k) const { return data + Shape::cols * (stride + k); }
};

/// The lanes that work on one matrix, seen from one of them.
template <class Warp, class Shape_>
struct WarpGroup {
  using Shape = Shape_;
  Warp warp;
  int slot;        ///< of the matrix in the warp
  int pair;        ///< columns 2·pair and 2·pair + 1 are here
  int part;        ///< with rows `part` + a multiple of Shape::split
  int first;       ///< lane of the group
  int next, prev;  ///< lanes with the same rows of the neighbouring pairs, all in a ring
  int mirror;      ///< lane with the same rows of the last pair but `pair`

  KOKKOS_FUNCTION explicit WarpGroup(Warp const& w) : warp(w) {
    slot = w.lane / Shape::width;
    first = slot * Shape::width;
    pair = (w.lane - first) / Shape::split;
    part = (w.lane - first) % Shape::split;
    bool const works = pair < Shape::pairs;
    next = works ? lane_of(pair + 1 == Shape::pairs ? 0 : pair + 1) : w.lane;
    prev = works ? lane_of(pair == 0 ? Shape::pairs - 1 : pair - 1) : w.lane;
    mirror = works ? lane_of(Shape::pairs - 1 - pair) : w.lane;
  }

  KOKKOS_FUNCTION bool is_first() const { return warp.lane == first; }
  KOKKOS_FUNCTION bool is_last_pair() const { return pair == Shape::pairs - 1; }
  /// Lane with this lane's rows of another pair.
  KOKKOS_FUNCTION int lane_of(int other) const { return first + other * Shape::split + part; }
  KOKKOS_FUNCTION int row(int t) const { return t * Shape::split + part; }

  /// Σ x over the lanes that share a pair; each of them gets the same bits.
  template <class Real>
  KOKKOS_FUNCTION Real sum_parts(Real x) const {
    return lanes_sum_up<1, Shape::split>(warp, x);
  }
  /// Σ x over the pairs, for this lane's rows.
  KOKKOS_FUNCTION double sum_pairs(double x) const {
    return lanes_sum_up<Shape::split, Shape::width>(warp, x);
  }
  template <class Join>
  KOKKOS_FUNCTION int join(int x, Join const& f) const {
    return lanes_join<1, Shape::width>(warp, x, f);
  }
  KOKKOS_FUNCTION int max(int x) const {
    if constexpr (Shape::width == 32) return warp.max(x);
    return join(x, [](int a, int b) { return a > b ? a : b; });
  }
  KOKKOS_FUNCTION int min(int x) const {
    return join(x, [](int a, int b) { return a < b ? a : b; });
  }
  KOKKOS_FUNCTION int sum(int x) const {
    return join(x, [](int a, int b) { return a + b; });
  }
  KOKKOS_FUNCTION bool any(bool yes) const {
    std::uint32_t const mine = Shape::width == 32 ? 0xffffffffU : (1U << Shape::width % 32) - 1;
    return (warp.ballot(yes) >> first & mine) != 0;
  }
  KOKKOS_FUNCTION bool any_in_warp(bool yes) const { return warp.ballot(yes) != 0; }
};

/// Σ x[t]·y[t] over a lane's rows, in up to four chains.
template <class Real, int K>
KOKKOS_INLINE_FUNCTION Real lane_dot(Real const (&x)[K], Real const (&y)[K]) {
  constexpr int chains = K < 4 ? K : 4;
  Real sum[chains] = {};
  CARROLL_UNROLL
  for (int t = 0; t < K; ++t) sum[t % chains] = Kokkos::fma(x[t], y[t], sum[t % chains]);
  CARROLL_UNROLL
  for (int half = chains / 2; half > 0; half /= 2) CARROLL_UNROLL
  for (int k = 0; k < half; ++k) sum[k] += sum[k + half];
  return sum[0];
}

}  // namespace carroll::detail
