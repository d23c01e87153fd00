// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/tensor_product.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>

namespace carroll::detail {

/// The lower triangle of a matrix of order 16·Blocks, in blocks of 16 rows and 8 columns in the
/// registers of a team's warps, each as tensor cores leave it: lane 4·i + q has entries (i, 2q),
/// (i, 2q + 1), (i + 8, 2q) and (i + 8, 2q + 1).
///
/// Warp w has the blocks of rows 16·w to 16·w + 15, and of as many rows as far from the end: all
/// warps have as many, but for one in the middle of an odd number. Those on the diagonal are there
/// to both of its sides. Slots of registers have the longer row's blocks from the left, and behind
/// them the shorter one's from the right: all warps run the same code, which of them a slot's block
/// is of being known to the running program only. Four codes would not fit the caches of
/// instructions.
template <int Blocks>
class TensorTriangle {
 public:
  static constexpr int order = 16 * Blocks, warps = (Blocks + 1) / 2, threads = 32 * warps;
  /// From one row of factors in scratch to the next: 8 or 24 modulo the 32 banks.
  static constexpr int pitch = order + 8;
  /// Numbers of a triangle in memory.
  static constexpr int image = (2 * Blocks + 2) * 4 * threads;

  KOKKOS_FORCEINLINE_FUNCTION explicit TensorTriangle(int thread)
      : thread_(thread),
        lane_(thread % 32),
        short_row_(thread / 32),
        long_row_(Blocks - 1 - short_row_),
        of_long_(2 * long_row_ + 2),
        used_(long_row_ == short_row_ ? of_long_ : slots) {}

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
    CARROLL_NO_UNROLL
    for (int s = 0; s < steps; ++s)
      add_eight<Weighted, false>(y + s * 8 * pitch, pitch, g + s * 8, 0);
  }
  /// -= Σ l·lᵀ, of eight columns l in scratch, `apart` from one another, for entries from column
  /// 8·`first` on; some before are changed, too.
  KOKKOS_FORCEINLINE_FUNCTION void subtract_columns(float const* l, int apart, int first) {
    DeviceWarp{lane_}.sync();
    add_eight<false, true>(l, apart, nullptr, first);
  }

  /// f(entry, row, column) for all entries of the calling thread, those right of the diagonal in
  /// the blocks there included.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(F const& f) {
    CARROLL_UNROLL
    for (int s = 0; s < slots; ++s) {
      if (s >= used_) continue;
      CARROLL_UNROLL
      for (int n = 0; n < 4; ++n)
        f(a_[s][n], 16 * row(s) + 8 * (n / 2) + lane_ / 4, 8 * column(s) + 2 * (lane_ % 4) + n % 2);
    }
  }
  /// f(entry, eight, row, column) for those of columns 8·panel to 8·panel + 7, rows being counted
  /// in each eight of them, columns in the panel.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_columns(int panel, F const& f) {
    auto const block = [&](float(&a)[4], int i) {
      CARROLL_UNROLL
      for (int n = 0; n < 4; ++n) f(a[n], 2 * i + n / 2, lane_ / 4, 2 * (lane_ % 4) + n % 2);
    };
    bool const of_long = panel < of_long_, of_short = panel < slots - of_long_ && used_ == slots;
    CARROLL_UNROLL
    for (int four = 0; four < maybe_long; four += 4) {
      if (panel / 4 != four / 4) continue;
      CARROLL_UNROLL
      for (int j = four; j < four + 4 && j < maybe_long; ++j) {
        if (j != panel) continue;
        if (of_long) block(a_[j], long_row_);
        if (j < 2 * warps && of_short) block(a_[slots - 1 - j], short_row_);
      }
    }
  }

 private:
  static constexpr int slots = 2 * Blocks + 2;
  /// Slots that are the longer row's in all warps, and in any.
  static constexpr int surely_long = 2 * (Blocks - warps + 1), maybe_long = 2 * Blocks;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_long(int s) const {
    return s < surely_long || (s < maybe_long && s < of_long_);
  }
  /// A block's rows, in sixteens, and columns, in eights.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int row(int s) const {
    return is_long(s) ? long_row_ : short_row_;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int column(int s) const {
    return is_long(s) ? s : slots - 1 - s;
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void entries(F const& f) {
    CARROLL_UNROLL
    for (int s = 0; s < slots; ++s) {
      CARROLL_UNROLL
      for (int n = 0; n < 4; ++n) f(a_[s][n], (4 * s + n) * threads + thread_);
    }
  }

  /// ± the products of eight rows of scratch. Fours of blocks of columns before 8·from are left
  /// out.
  template <bool Weighted, bool Minus>
  KOKKOS_FORCEINLINE_FUNCTION void add_eight(float const* y, int apart, float const* g, int from) {
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
    SplitFloats<4> const long_rows = rows(long_row_), short_rows = rows(short_row_);
    CARROLL_UNROLL
    for (int four = 0; four < slots; four += 4) {
      if (four >= surely_long && four >= used_) continue;
      if (Minus && last_column(four) < from) continue;
      SplitFloats<2> columns[4];
      CARROLL_UNROLL
      for (int j = 0; j < 4 && four + j < slots; ++j) {
        int const at = 8 * column(four + j);
        columns[j].set(0, upper[at]);
        columns[j].set(1, lower[at]);
      }
      // Two neighbours are of one row.
      SplitFloats<4> const first = is_long(four) ? long_rows : short_rows;
      SplitFloats<4> const second = is_long(four + 2) ? long_rows : short_rows;
      float product[4][4];
      warp_products(DeviceWarp{lane_}, {first, first, second, second}, columns, slots - four,
                    product);
      CARROLL_UNROLL
      for (int j = 0; j < 4 && four + j < slots; ++j) {
        CARROLL_UNROLL
        for (int n = 0; n < 4; ++n) {
          float& a = a_[four + j][n];
          a = Minus ? a - product[j][n] : a + product[j][n];
        }
      }
    }
  }
  /// Of four slots' blocks.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int last_column(int four) const {
    if (four + 4 <= surely_long) return four + 3;
    int last = 0;
    CARROLL_UNROLL
    for (int s = four; s < four + 4 && s < slots; ++s) last = column(s) > last ? column(s) : last;
    return last;
  }

  float a_[slots][4];
  int thread_, lane_;
  int short_row_, long_row_;  ///< of blocks
  int of_long_, used_;        ///< slots
};

}  // namespace carroll::detail
