// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

/// QR of matrices that are longer than wide in the registers of a warp: who holds what.
namespace carroll::detail {

/// Matrices with up to `Rows` rows and `Cols` columns: of the `width` lanes of one, lane t holds
/// rows t, t + width, …, whole. Where there are more lanes than columns, neighbours know the same
/// of one.
template <int Rows, int Cols, int Width>
struct QrSlimShape {
  static constexpr int rows = Rows, cols = Cols, width = Width;
  static constexpr int matrices = 32 / width;
  static constexpr int rows_per_lane = rows / width;
  static constexpr int lanes_per_column = width / cols;
  /// Warps that a multiprocessor, of four parts with registers of their own, is to hold at least if
  /// it has scratch for them; it bounds their registers.
  template <class Real>
  static constexpr int warps = [] {
    constexpr int bytes = rows_per_lane * cols * int{sizeof(Real)};
    return bytes > 256 ? 8 : bytes > 128 ? 12 : 16;
  }();
  static_assert(rows % width == 0 && width % cols == 0 && cols <= 32);
};

template <class... Shapes>
struct QrSlimShapeList {
  static constexpr int count = sizeof...(Shapes);

  /// Place of the first that has room for m×n; `count` if none has.
  static constexpr int class_of(std::int64_t m, std::int64_t n) {
    int k = 0;
    bool found = false;
    ((found = found || (m <= Shapes::rows && n <= Shapes::cols), k += found ? 0 : 1), ...);
    return k;
  }
  /// Rows that a matrix of n columns may have; -1: too many columns.
  static constexpr std::int64_t most_rows(std::int64_t n) {
    std::int64_t most = -1;
    ((most = n <= Shapes::cols && most < Shapes::rows ? Shapes::rows : most), ...);
    return most;
  }
};

/// 64 entries a lane at most: more would not stay in registers in double precision. Few columns
/// come before few rows: a step costs what its columns do.
using QrSlimShapes =
    QrSlimShapeList<QrSlimShape<64, 4, 16>, QrSlimShape<512, 4, 32>, QrSlimShape<64, 8, 16>,
                    QrSlimShape<256, 8, 32>, QrSlimShape<64, 16, 16>, QrSlimShape<128, 16, 32>>;

/// What the lanes of a matrix share; behind it, where Q is wanted, the reflectors.
template <class Real, class Shape>
struct alignas(16) QrSlimScratch {
  /// Of steps with even and with odd numbers, so that who is late still reads those before: row k,
  /// and the products of the reflector below it with all columns.
  Real row[2][Shape::cols], products[2][Shape::cols];
  Real inverses[Shape::cols];  ///< 1/h of the k-th reflector, 0: no reflection
  int places[Shape::cols];     ///< of R's columns column j becomes this one

  /// Entries of the k-th reflector, of which each lane reads what it has written.
  KOKKOS_FUNCTION Real* reflector(int k) {
    return reinterpret_cast<Real*>(this + 1) + std::ptrdiff_t{Shape::rows} * k;
  }
};

}  // namespace carroll::detail
