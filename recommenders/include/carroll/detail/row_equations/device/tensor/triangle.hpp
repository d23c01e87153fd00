// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/tensor_product.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>

namespace carroll::detail {

/// The lower triangle of a matrix of order 16·Blocks, in blocks of 16 rows and 8 columns in the
/// registers of a team's warps, each as tensor cores leave it: lane 4·i + q has entries (i, 2q),
/// (i, 2q + 1), (i + 8, 2q) and (i + 8, 2q + 1).
///
/// Warp w has the blocks of rows 16·w to 16·w + 15, and of as many rows as far from the end: all
/// warps have as many, but for one in the middle of an odd number. Those on the diagonal are there
/// to both of its sides. Which block a register belongs to is known when the code of a warp is
/// compiled: with_warp() chooses it.
template <int Blocks>
class TensorTriangle {
 public:
  static constexpr int order = 16 * Blocks, warps = (Blocks + 1) / 2, threads = 32 * warps;
  /// From one row of factors in scratch to the next: 8 or 24 modulo the 32 banks.
  static constexpr int pitch = order + 8;
  /// Numbers of a triangle in memory.
  static constexpr int image = (2 * Blocks + 2) * 4 * threads;

  KOKKOS_FORCEINLINE_FUNCTION explicit TensorTriangle(int thread)
      : thread_(thread), lane_(thread % 32), warp_(thread / 32) {}

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    CARROLL_UNROLL
    for (int s = 0; s < slots; ++s) {
      CARROLL_UNROLL
      for (int n = 0; n < 4; ++n) a_[s][n] = 0;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(float const* image_of) {
    entries([&](float& x, std::ptrdiff_t at) { x = image_of[at]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(float const* image_of) {
    entries([&](float& x, std::ptrdiff_t at) { x += image_of[at]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(float* image_of) {
    entries([&](float& x, std::ptrdiff_t at) { image_of[at] = x; });
  }

  /// += Σ g·y·yᵀ, of 8·`steps` rows y in scratch, eight at a time. Without `Weighted` g is 1.
  template <bool Weighted>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(float const* y, float const* g, int steps) {
    DeviceWarp{lane_}.sync();
    with_warp([&]<int W>() {
      CARROLL_NO_UNROLL
      for (int s = 0; s < steps; ++s)
        add_eight<W, Weighted, false>(y + s * 8 * pitch, pitch, g + s * 8, 0);
    });
  }
  /// -= Σ l·lᵀ, of eight columns l in scratch, `apart` from one another, for entries from column
  /// 8·`first` on; some before are changed, too.
  KOKKOS_FORCEINLINE_FUNCTION void subtract_columns(float const* l, int apart, int first) {
    DeviceWarp{lane_}.sync();
    with_warp([&]<int W>() { add_eight<W, false, true>(l, apart, nullptr, first); });
  }

  /// f(entry, row, column) for all entries of the calling thread, those right of the diagonal in
  /// the blocks there included.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(F const& f) {
    with_warp([&]<int W>() {
      blocks<W>([&](int slot, int i, int j) {
        CARROLL_UNROLL
        for (int n = 0; n < 4; ++n)
          f(a_[slot][n], 16 * i + 8 * (n / 2) + lane_ / 4, 8 * j + 2 * (lane_ % 4) + n % 2);
      });
    });
  }
  /// The same for those on the diagonal's blocks.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_diagonal(F const& f) {
    with_warp([&]<int W>() {
      blocks<W>([&](int slot, int i, int j) {
        if (j / 2 != i) return;
        CARROLL_UNROLL
        for (int n = 0; n < 4; ++n)
          f(a_[slot][n], 16 * i + 8 * (n / 2) + lane_ / 4, 8 * j + 2 * (lane_ % 4) + n % 2);
      });
    });
  }
  /// f(entry, eight, row, column) for those of columns 8·panel to 8·panel + 7, rows being counted
  /// in each eight of them, columns in the panel.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_columns(int panel, F const& f) {
    with_warp([&]<int W>() {
      constexpr int more = Blocks - 1 - W, first = 2 * more + 2;
      auto const block = [&](float(&a)[4], int i) {
        CARROLL_UNROLL
        for (int n = 0; n < 4; ++n) f(a[n], 2 * i + n / 2, lane_ / 4, 2 * (lane_ % 4) + n % 2);
      };
      CARROLL_UNROLL
      for (int four = 0; four < first; four += 4) {
        if (panel / 4 != four / 4) continue;
        CARROLL_UNROLL
        for (int j = four; j < four + 4 && j < first; ++j) {
          if (j != panel) continue;
          block(a_[j], more);
          if (W != more && j < 2 * W + 2) block(a_[first + j], W);
        }
      }
    });
  }

 private:
  static constexpr int slots = 2 * Blocks + 2;

  /// f.template operator()<W>() for the calling thread's warp W.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void with_warp(F const& f) const {
    static_assert(warps <= 4);
    if (warp_ == 0) f.template operator()<0>();
    if constexpr (warps > 1)
      if (warp_ == 1) f.template operator()<1>();
    if constexpr (warps > 2)
      if (warp_ == 2) f.template operator()<2>();
    if constexpr (warps > 3)
      if (warp_ == 3) f.template operator()<3>();
  }
  /// f(slot, i, j) for the blocks of warp W.
  template <int W, class F>
  KOKKOS_FORCEINLINE_FUNCTION static void blocks(F const& f) {
    constexpr int more = Blocks - 1 - W, first = 2 * more + 2;
    CARROLL_UNROLL
    for (int j = 0; j < first; ++j) f(j, more, j);
    if constexpr (W != more) {
      CARROLL_UNROLL
      for (int j = 0; j < 2 * W + 2; ++j) f(first + j, W, j);
    }
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void entries(F const& f) {
    CARROLL_UNROLL
    for (int s = 0; s < slots; ++s) {
      CARROLL_UNROLL
      for (int n = 0; n < 4; ++n) f(a_[s][n], (4 * s + n) * threads + thread_);
    }
  }

  /// ± the products of eight rows of scratch, blocks of columns before that with column 8·from left
  /// out by fours.
  template <int W, bool Weighted, bool Minus>
  KOKKOS_FORCEINLINE_FUNCTION void add_eight(float const* y, int apart, float const* g, int from) {
    constexpr int more = Blocks - 1 - W, first = 2 * more + 2;
    int const t = lane_ % 4;
    float const* const upper = y + t * apart + lane_ / 4;
    float const* const lower = upper + 4 * apart;
    float const g_upper = Weighted ? g[t] : 1, g_lower = Weighted ? g[t + 4] : 1;
    auto const rows = [&](int i) {
      SplitFloats<4> part;
      CARROLL_UNROLL
      for (int n = 0; n < 2; ++n) {
        float const x = upper[16 * i + 8 * n], z = lower[16 * i + 8 * n];
        part.set(n, Weighted ? g_upper * x : x);
        part.set(n + 2, Weighted ? g_lower * z : z);
      }
      return part;
    };
    SplitFloats<4> const long_rows = rows(more), short_rows = rows(W);
    CARROLL_UNROLL
    for (int four = 0; four < first; four += 4) {
      if (Minus && four + 4 <= from) continue;
      SplitFloats<2> columns[4];
      CARROLL_UNROLL
      for (int j = 0; j < 4 && four + j < first; ++j) {
        columns[j].set(0, upper[8 * (four + j)]);
        columns[j].set(1, lower[8 * (four + j)]);
      }
      add_products<Minus>(long_rows, columns, &a_[four], first - four);
      if (W != more && four < 2 * W + 2)
        add_products<Minus>(short_rows, columns, &a_[first + four], 2 * W + 2 - four);
    }
  }
  /// ± the products with the first `count` of four columns, side by side: tensor cores want more
  /// than one to work on.
  template <bool Minus>
  KOKKOS_FORCEINLINE_FUNCTION void add_products(SplitFloats<4> const& rows,
                                                SplitFloats<2> const (&columns)[4], float (*to)[4],
                                                int count) {
    float product[4][4];
    warp_products(DeviceWarp{lane_}, rows, columns, count, product);
    CARROLL_UNROLL
    for (int j = 0; j < 4; ++j) {
      if (j >= count) continue;
      CARROLL_UNROLL
      for (int n = 0; n < 4; ++n)
        to[j][n] = Minus ? to[j][n] - product[j][n] : to[j][n] + product[j][n];
    }
  }

  float a_[slots][4];
  int thread_, lane_, warp_;
};

}  // namespace carroll::detail
