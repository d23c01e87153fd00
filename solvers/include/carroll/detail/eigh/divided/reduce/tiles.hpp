// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/eigh/divided/reduce/crew.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/svd/common/chunk.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

/// The lower triangle of a symmetric or Hermitian matrix in tiles of 32×32, zeros behind the
/// matrix's end. A tile is in one piece, so that a warp reads it by whole cache lines whatever the
/// order is; those on the diagonal have both triangles.
namespace carroll::detail {

inline constexpr int divided_panel = 16;  ///< reflectors that the tiles are behind at most

template <class T>
struct SymmetricTiles {
  static constexpr int order = 32, size = order * order;

  T* data;

  KOKKOS_FUNCTION static constexpr int across(int n) { return (n + order - 1) / order; }
  KOKKOS_FUNCTION static constexpr int count(int tiles) { return tiles * (tiles + 1) / 2; }

  /// Where column j of a tile begins. A lane works on eight columns side by side, one after the
  /// other, four lanes on four such groups at a time.
  KOKKOS_FUNCTION static constexpr int column(int j) { return (j % 8 * 4 + j / 8) * order; }

  /// I >= J
  KOKKOS_FUNCTION T* tile(int I, int J) const {
    return data + static_cast<std::ptrdiff_t>(count(I) + J) * size;
  }
  /// I >= J, where those are of the tiles that i and j are in.
  KOKKOS_FUNCTION T& operator()(int i, int j) const {
    return tile(i / order, j / order)[column(j % order) + i % order];
  }
};

/// The u-th tile of a triangle of them, by rows.
struct TileIndex {
  int row, column;
  KOKKOS_FUNCTION explicit TileIndex(int u) {
    float const square = static_cast<float>(8 * u + 1);
    row = static_cast<int>((square * rough_rsqrt(square) - 1.0F) / 2);  // or next to it
    while ((row + 1) * (row + 2) / 2 <= u) ++row;
    while (row * (row + 1) / 2 > u) --row;
    column = u - row * (row + 1) / 2;
  }
};

/// One step on one tile C of rows I and columns J: C -= V_I·W_Jᴴ + W_I·V_Jᴴ, where there is a
/// panel to be brought in, then C·x_J, and Cᴴ·x_I.
template <class T>
struct TileStep {
  T* C;
  T const *v_rows, *v_columns;  ///< of V, 32 numbers of each column; null: none to bring in
  int distance;                 ///< from a column of V to the next; W is `divided_panel` behind
  T const *x_rows, *x_columns;
  T* by_rows;          ///< C·x_J
  T* by_columns;       ///< Cᴴ·x_I; null on the diagonal
  RealOf<T>* product;  ///< its part of xᴴ·A·x
  RealOf<T>* square;   ///< on the diagonal x_Iᴴ·x_I
};

/// Lane 8·c + r of a warp has rows 4·r to 4·r + 3, of numbers of 8 bytes 2·r, 2·r + 1 and those 16
/// later, of 16 r and those 8, 16 and 24 later, and columns 8·c to 8·c + 7 of a tile: 3 or 5 reads
/// of 16 bytes for 8 or 16 products of every reflector in the panel (of real numbers). Sums over
/// rows and columns cross lanes in 10 exchanges.
template <class Member, class T>
class WarpTiles {
  using Real = RealOf<T>;
  static constexpr int columns = 8, rows = 4, length = chunk_length<T>;
  static constexpr int order = SymmetricTiles<T>::order;

 public:
  /// A lane's entries of a tile.
  struct Entries {
    T C[columns][rows];
  };

  KOKKOS_FORCEINLINE_FUNCTION static void take(WarpCrew<Member> const& crew,
                                               TileStep<T> const& step) {
    if (step.v_rows) bring_in(crew.warp, step);
    multiply(crew, read(crew.warp, step.C), step);
  }
  KOKKOS_FORCEINLINE_FUNCTION static Entries read(DeviceWarp const& warp, T const* tile) {
    Entries at;
    tile += place(warp);
    CARROLL_UNROLL
    for (int j = 0; j < columns; ++j) read_rows(tile + j * 4 * order, at.C[j]);
    return at;
  }
  /// Of a tile that stays in registers: what others may read of it, from column `first` on, goes to
  /// memory.
  KOKKOS_FORCEINLINE_FUNCTION static void bring_in(DeviceWarp const& warp, TileStep<T> const& step,
                                                   Entries& at, int first) {
    int const column = warp.lane / 8 * columns;
    subtract_panel(step.v_rows + warp.lane % 8 * length, step.v_columns + column, step.distance,
                   at.C);
    T* const to = step.C + place(warp);
    CARROLL_UNROLL
    for (int j = 0; j < columns; ++j) {
      if (column + j >= first) write_rows(at.C[j], to + j * 4 * order);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(WarpCrew<Member> const& crew, Entries const& at,
                                                   TileStep<T> const& step) {
    DeviceWarp const warp = crew.warp;
    int const row = warp.lane % 8 * length, column = warp.lane / 8 * columns;
    T x_rows[rows], x_columns[columns], by_rows[rows] = {}, by_columns[columns] = {};
    read_rows(step.x_rows + row, x_rows);
    read_chunks<columns>(step.x_columns + column, x_columns);
    CARROLL_UNROLL
    for (int j = 0; j < columns; ++j) {
      CARROLL_UNROLL
      for (int i = 0; i < rows; ++i) {
        by_rows[i] = fused_sum(at.C[j][i], x_columns[j], by_rows[i]);
        by_columns[j] = fused_conjugate_sum(at.C[j][i], x_rows[i], by_columns[j]);
      }
    }
    T const row_sum = scattered_sums<rows, 16, 8>(warp, by_rows);
    T const column_sum = scattered_sums<columns, 4>(warp, by_columns);
    int const own = row + column / columns / length * 8 * length + column / columns % length;
    step.by_rows[own] = row_sum;
    if (step.by_columns) step.by_columns[warp.lane] = column_sum;
    T const x = step.x_rows[own];
    Real product = rounded_real_product(x, row_sum), square = rounded_real_product(x, x);
    CARROLL_UNROLL
    for (int exchange = 1; exchange < 32; exchange *= 2) {
      product += warp.across(product, exchange);
      square += warp.across(square, exchange);
    }
    crew.once([&] {
      *step.product = step.by_columns ? 2 * product : product;
      if (!step.by_columns) *step.square = square;
    });
  }

  /// wᴴx and vᴴx over groups of 32 rows from `begin` to `past` - 1: the lanes of a group first,
  /// from the highest bit on, then four groups, (0 + 1) + (2 + 3), then all.
  KOKKOS_FORCEINLINE_FUNCTION static Sums<T, 2> dots(WarpCrew<Member> const& crew, T const* w,
                                                     T const* v, T const* x, int begin, int past) {
    DeviceWarp const warp = crew.warp;
    T total = 0;
    CARROLL_NO_UNROLL
    for (int first = begin; first < past; first += 4) {
      T terms[8] = {};
      CARROLL_UNROLL
      for (int g = 0; g < 4; ++g) {
        if (first + g >= past) continue;
        int const i = order * (first + g) + warp.lane;
        terms[2 * g] = rounded_product(conjugate(w[i]), x[i]);
        terms[2 * g + 1] = rounded_product(conjugate(v[i]), x[i]);
      }
      // Lanes 8·g to 8·g + 3 have group g's part for w, the four after them that for v.
      total += lanes_sum_up<8, 32>(warp, scattered_sums(warp, terms));
    }
    return {{warp.from(total, 0), warp.from(total, 4)}};
  }

 private:
  /// Where a lane's first column begins.
  KOKKOS_FORCEINLINE_FUNCTION static int place(DeviceWarp const& warp) {
    return warp.lane / 8 * order + warp.lane % 8 * length;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void read_rows(T const* from, T (&x)[rows]) {
    CARROLL_UNROLL
    for (int i = 0; i < rows; i += length) read_chunks<length>(from + i * 8, x + i);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void write_rows(T const (&x)[rows], T* to) {
    CARROLL_UNROLL
    for (int i = 0; i < rows; i += length) write_chunks<length>(x + i, to + i * 8);
  }

  /// Half of a lane's columns at a time, which leaves registers.
  KOKKOS_FORCEINLINE_FUNCTION static void bring_in(DeviceWarp const& warp,
                                                   TileStep<T> const& step) {
    int const row = warp.lane % 8 * length, column = warp.lane / 8 * columns;
    T* to = step.C + place(warp);
    constexpr int half = columns / 2;
    CARROLL_NO_UNROLL
    for (int first = 0; first < columns; first += half) {
      T C[half][rows];
      CARROLL_UNROLL
      for (int j = 0; j < half; ++j) read_rows(to + j * 4 * order, C[j]);
      subtract_panel(step.v_rows + row, step.v_columns + column + first, step.distance, C);
      CARROLL_UNROLL
      for (int j = 0; j < half; ++j) write_rows(C[j], to + j * 4 * order);
      to += half * 4 * order;
    }
  }
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION static void subtract_panel(T const* v_rows, T const* v_columns,
                                                         int distance, T (&C)[N][rows]) {
    std::ptrdiff_t const w = static_cast<std::ptrdiff_t>(divided_panel) * distance;
    CARROLL_NO_UNROLL
    for (int c = 0; c < divided_panel; ++c) {
      subtract(v_rows, v_columns + w, C);
      subtract(v_rows + w, v_columns, C);
      v_rows += distance;
      v_columns += distance;
    }
  }
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION static void subtract(T const* by_rows, T const* by_columns,
                                                   T (&C)[N][rows]) {
    T x[rows], y[N];
    read_rows(by_rows, x);
    read_chunks<N>(by_columns, y);
    CARROLL_UNROLL
    for (int j = 0; j < N; ++j) {
      CARROLL_UNROLL
      for (int i = 0; i < rows; ++i) C[j][i] = fused_sum(-x[i], conjugate(y[j]), C[j][i]);
    }
  }
};

/// The same for lanes of Kokkos.
template <class Member, class T>
class LaneTiles {
  using Real = RealOf<T>;
  static constexpr int order = SymmetricTiles<T>::order;

 public:
  KOKKOS_FUNCTION static void take(LaneCrew<Member> const& crew, TileStep<T> const& step) {
    auto const column = [&](int j) { return step.C + SymmetricTiles<T>::column(j); };
    if (step.v_rows) bring_in(crew, step);
    crew.lanes(order, [&](int i) {
      T sum = 0;
      for (int j = 0; j < order; ++j) sum += column(j)[i] * step.x_columns[j];
      step.by_rows[i] = sum;
    });
    auto const sums = crew.template sums<Real, 2>(order, [&](int i) {
      T const x = step.x_rows[i];
      return Sums<Real, 2>{{real_product(x, step.by_rows[i]), squared_modulus(x)}};
    });
    if (step.by_columns) {
      for (int j = 0; j < order; ++j) {
        T const sum = crew.template sums<T, 1>(order, [&](int i) {
          return Sums<T, 1>{{conjugate(column(j)[i]) * step.x_rows[i]}};
        })[0];
        crew.once([&] { step.by_columns[j] = sum; });
      }
    }
    crew.once([&] {
      *step.product = step.by_columns ? 2 * sums[0] : sums[0];
      if (!step.by_columns) *step.square = sums[1];
    });
  }

  KOKKOS_FUNCTION static Sums<T, 2> dots(LaneCrew<Member> const& crew, T const* w, T const* v,
                                         T const* x, int begin, int past) {
    int const first = order * begin;
    return crew.template sums<T, 2>(order * (past - begin), [&](int i) {
      T const x_i = x[first + i];
      return Sums<T, 2>{{conjugate(w[first + i]) * x_i, conjugate(v[first + i]) * x_i}};
    });
  }

 private:
  KOKKOS_FUNCTION static void bring_in(LaneCrew<Member> const& crew, TileStep<T> const& step) {
    std::ptrdiff_t const w = static_cast<std::ptrdiff_t>(divided_panel) * step.distance;
    for (int j = 0; j < order; ++j) {
      T* const column = step.C + SymmetricTiles<T>::column(j);
      for (int c = 0; c < divided_panel; ++c) {
        T const* const v = step.v_rows + static_cast<std::ptrdiff_t>(c) * step.distance;
        T const* const y = step.v_columns + static_cast<std::ptrdiff_t>(c) * step.distance + j;
        T const v_j = conjugate(y[0]), w_j = conjugate(y[w]);
        crew.lanes(order, [&](int i) { column[i] -= v[i] * w_j + v[w + i] * v_j; });
      }
    }
  }
};

template <class ExecSpace, class T>
using TilesOf = std::conditional_t<has_warps<ExecSpace>, WarpTiles<TeamMember<ExecSpace>, T>,
                                   LaneTiles<TeamMember<ExecSpace>, T>>;

}  // namespace carroll::detail
