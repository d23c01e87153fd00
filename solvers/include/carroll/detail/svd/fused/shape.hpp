// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/svd/common/chunk.hpp>
#include <carroll/detail/svd/common/shape_list.hpp>
#include <carroll/detail/svd/warp/group.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Matrices in the registers of a team: who holds what, and what lies in scratch.
///
/// A warp holds Shape::cols columns as the warp path does: a pair of columns in the registers of
/// Shape::split neighbouring lanes. Lanes take rows in chunks of 16 bytes, in turn, so that columns
/// come and go in whole words. A matrix of n columns is held by n / Shape::cols warps.
namespace carroll::detail {

/// Size classes. Rows are those that the lanes have room for; warps those that as many columns
/// want. Lanes per pair and teams per multiprocessor are the quickest of those tried on an H200,
/// 2026-11-21, for batches or, where that costs these little, for one matrix. Blocks of six columns
/// make 36 meet in 36 steps, those of eight in 48.
template <class Real>
using FusedClasses =
    std::conditional_t<sizeof(Real) == 4,
                       ShapeList<true, WarpShape<48, 16, 4, 2, 8>, WarpShape<48, 12, 4, 3, 6>,
                                 WarpShape<48, 16, 4, 3, 6>, WarpShape<64, 16, 4, 4, 4>,
                                 WarpShape<96, 8, 8, 12, 1>, WarpShape<128, 16, 4, 8, 2>>,
                       ShapeList<true, WarpShape<48, 16, 4, 2, 4>, WarpShape<48, 12, 4, 3, 3>,
                                 WarpShape<48, 16, 4, 3, 3>, WarpShape<64, 16, 4, 4, 3>,
                                 WarpShape<96, 8, 8, 12, 1>, WarpShape<128, 8, 8, 16, 1>>>;
inline constexpr int fused_classes = FusedClasses<float>::count;
static_assert(FusedClasses<double>::count == fused_classes);

/// Rows up to which there is a class, and no fewer than those that a matrix then has room for.
inline constexpr int most_fused_rows = FusedClasses<float>::most_rows;
static_assert(FusedClasses<double>::most_rows == most_fused_rows);
/// Is a problem of the widest class?
KOKKOS_INLINE_FUNCTION constexpr bool is_widest_fused(int rows, int cols) {
  return 96 < cols && rows <= most_fused_rows;
}
static_assert(FusedClasses<float>::class_of(97, 97) == fused_classes - 1);
static_assert(FusedClasses<float>::class_of(96, 96) < fused_classes - 1);
constexpr std::int64_t fused_rows(std::int64_t rows) {
  return std::max<std::int64_t>(64, (rows + 31) / 32 * 32);
}

/// Can the registers of a lane hold a third column beside its pair?
template <class Real, class Shape>
inline constexpr bool holds_third_column = [] {
  constexpr int registers = 65536 / (32 * Shape::warps_per_team * Shape::least_teams);
  constexpr int for_work = 60;
  int const for_columns = 3 * Shape::row_parts * static_cast<int>(sizeof(Real) / 4);
  return for_columns + for_work <= registers;
}();

/// The row that register t of a lane holds, where `part` is the lane's place among those of a pair.
template <class Real, class Shape>
KOKKOS_INLINE_FUNCTION int fused_row(int part, int t) {
  constexpr int length = chunk_length<Real>;
  return (t / length * Shape::split + part) * length + t % length;
}

/// A column of Shape::rows entries, 16-byte aligned, from memory to registers.
template <class Shape, class Real, int K>
KOKKOS_FORCEINLINE_FUNCTION void load_column(Real const* from, int part, Real (&x)[K]) {
  constexpr int length = chunk_length<Real>;
  auto const* const chunks = reinterpret_cast<Chunk<Real> const*>(from);
  CARROLL_UNROLL
  for (int c = 0; c < K / length; ++c) {
    Chunk<Real> const chunk = chunks[c * Shape::split + part];
    CARROLL_UNROLL
    for (int k = 0; k < length; ++k) x[c * length + k] = chunk.x[k];
  }
}

template <class Shape, class Real, int K>
KOKKOS_FORCEINLINE_FUNCTION void store_column(Real* to, int part, Real const (&x)[K]) {
  constexpr int length = chunk_length<Real>;
  auto* const chunks = reinterpret_cast<Chunk<Real>*>(to);
  CARROLL_UNROLL
  for (int c = 0; c < K / length; ++c) {
    Chunk<Real> chunk;
    CARROLL_UNROLL
    for (int k = 0; k < length; ++k) chunk.x[k] = x[c * length + k];
    chunks[c * Shape::split + part] = chunk;
  }
}

/// The matrix through which columns change places and the sweeps exchange blocks. It is in scratch
/// for classes of which it fits for up to as many columns as rows, in the workspace for the others.
template <class Real, class Shape>
struct FusedWork {
  /// Columns are so far apart that those which a quarter of a warp meets lie in different banks.
  static constexpr int words = Shape::rows * static_cast<int>(sizeof(Real) / 4);
  static constexpr int apart = Shape::split == 4 ? 16 : 4;
  static constexpr int padding =
      (apart + 32 - words % 32) % 32 * 4 / static_cast<int>(sizeof(Real));
  static constexpr bool fits =
      sizeof(Real) * Shape::rows * (Shape::rows + padding) <= 37 * std::size_t{1024};
  static constexpr int stride = fits ? Shape::rows + padding : Shape::rows;

  Real* data;
  KOKKOS_FUNCTION Real* col(int j) const { return data + j * stride; }
  KOKKOS_FUNCTION Real& operator()(int i, int j) const { return data[i + j * stride]; }
};

/// Where the work matrix is not in scratch, blocks stay in registers during the sweeps and change
/// places through scratch: half of each warp's columns, so many of their rows at a time.
template <class Real, class Shape>
struct FusedExchange {
  static constexpr int columns = Shape::warps_per_team * Shape::pairs;
  static constexpr std::size_t most_bytes = 38 * std::size_t{1024};
  static constexpr int rounds =
      sizeof(Real) * columns * (Shape::rows + FusedWork<Real, Shape>::padding) <= most_bytes ? 1
                                                                                             : 2;
  static constexpr int rows = Shape::rows / rounds;
  static constexpr int stride = rows + (Shape::split == 4 ? FusedWork<Real, Shape>::padding : 0);
};

/// Team scratch of a matrix. All but its length is known at compile time, so that one register
/// points to all of it.
template <class Real, class Shape>
struct FusedScratch {
  using Work = FusedWork<Real, Shape>;
  using Exchange = FusedExchange<Real, Shape>;
  static constexpr int most_columns = Shape::warps_per_team * Shape::cols;
  static constexpr int tallies_per_warp = 8;
  static constexpr int staged_columns = Work::fits && sizeof(Real) * Shape::rows > 256 ? 4 : 8;

  Real* base;  ///< 16-byte aligned

  /// Squared norms of the working columns; later the singular values.
  KOKKOS_FUNCTION Real* squares() const { return base; }
  /// Excesses of the working columns.
  KOKKOS_FUNCTION Real* excesses() const { return base + most_columns; }
  /// Signs of the second triangular factor's diagonal; in the same room.
  KOKKOS_FUNCTION Real* signs() const { return excesses(); }
  /// The column of A at place k.
  KOKKOS_FUNCTION int* permutation() const { return ints(0); }
  /// Powers of two of A's columns, in that order.
  KOKKOS_FUNCTION int* exponents() const { return ints(1); }
  KOKKOS_FUNCTION int* working_exponents() const { return ints(2); }
  /// Exponents of the working columns as the sweeps begin.
  KOKKOS_FUNCTION int* starts() const { return ints(3); }
  /// The working column with the k-th singular value.
  KOKKOS_FUNCTION int* order() const { return ints(4); }
  KOKKOS_FUNCTION int* tallies() const { return ints(5); }

  /// Columns that all warps read: twice staged_columns, used in turn.
  KOKKOS_FUNCTION Real* staged() const { return base + small_reals; }
  /// Blocks that change places; in the same room.
  KOKKOS_FUNCTION Real* exchanged() const { return staged(); }
  /// What columns are sorted by; in the same room.
  KOKKOS_FUNCTION std::uint64_t* keys() const { return reinterpret_cast<std::uint64_t*>(staged()); }
  /// The work matrix, where it fits.
  KOKKOS_FUNCTION Real* work() const { return staged() + staged_reals; }

  /// For `columns` of them, a multiple of Shape::cols.
  KOKKOS_FUNCTION static constexpr std::size_t bytes(int columns) {
    int const exchanged = columns / 2 * Exchange::stride;
    int const room = Work::fits                 ? staged_reals + columns * Work::stride
                     : staged_reals > exchanged ? staged_reals
                                                : exchanged;
    return sizeof(Real) * (small_reals + room);
  }

 private:
  static constexpr int small_ints = 5 * most_columns + Shape::warps_per_team * tallies_per_warp;
  static constexpr int small_reals = 2 * most_columns + small_ints * static_cast<int>(sizeof(int)) /
                                                            static_cast<int>(sizeof(Real));
  static constexpr int staged_reals = 2 * staged_columns * Shape::rows;
  static_assert(sizeof(Real) * small_reals % 16 == 0);
  static_assert(sizeof(std::uint64_t) * most_columns <= sizeof(Real) * staged_reals);

  KOKKOS_FUNCTION int* ints(int k) const {
    return reinterpret_cast<int*>(base + 2 * most_columns) + k * most_columns;
  }
};

}  // namespace carroll::detail
