// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/warp_classes.hpp>
#include <carroll/detail/svd/warp_group.hpp>
#include <cstddef>
#include <cstdint>

/// Matrices in the registers of a team: who holds what, and what lies in scratch.
///
/// A warp holds Shape::cols columns as the warp path does: a pair of columns in the registers of
/// Shape::split neighbouring lanes. Lanes take rows in chunks of 16 bytes, in turn, so that columns
/// come and go in whole words. A matrix of n columns is held by n / Shape::cols warps.
namespace carroll::detail {

/// Size classes, smallest first: a matrix takes the first one that it fits. Rows are those that
/// the lanes have room for; warps those that as many columns want.
using FusedClasses =
    WarpShapeList<WarpShape<48, 16, 4, 3>, WarpShape<64, 16, 4, 4>, WarpShape<96, 8, 8, 12>,
                  WarpShape<128, 8, 8, 16>>;

/// Teams that are to share a multiprocessor, which bounds the registers per lane.
template <class Real, class Shape>
inline constexpr int fused_teams = Shape::least_teams;

#ifndef FUSED_MARK
#define FUSED_MARK(k)
#endif

template <class Real>
inline constexpr int chunk_length = 16 / static_cast<int>(sizeof(Real));

template <class Real>
struct alignas(16) Chunk {
  Real x[chunk_length<Real>];
};

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
      sizeof(Real) * Shape::rows * (Shape::rows + padding) <= 40 * std::size_t{1024};
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
      sizeof(Real) * columns * (Shape::rows + FusedWork<Real, Shape>::padding) <= most_bytes ? 1 : 2;
  static constexpr int rows = Shape::rows / rounds;
  static constexpr int stride = rows + (Shape::split == 4 ? FusedWork<Real, Shape>::padding : 0);
};

/// Team scratch of a matrix with `columns` of them, a multiple of Shape::cols.
template <class Real, class Shape>
struct FusedScratch {
  using Work = FusedWork<Real, Shape>;
  using Exchange = FusedExchange<Real, Shape>;
  static constexpr int tallies_per_warp = 8;
  static constexpr int staged_columns = 4;

  Real* work;
  Real* exchanged;     ///< blocks that change places; in the same room as what is staged
  Real* staged;        ///< columns that all warps read: twice staged_columns, used in turn
  std::uint64_t* keys; ///< what columns are sorted by; in the same room
  Real* squares;       ///< of the norms of the working columns; later the singular values
  Real* signs;         ///< of the third triangular factor's diagonal
  int* permutation;    ///< column of A at place k
  int* exponents;      ///< powers of two of A's columns, in that order
  int* inner_places;   ///< where row j of the first R went
  int* inner_exponents;
  int* working_exponents;
  int* starts;  ///< exponents of the working columns as the sweeps began
  int* order;   ///< the working column with the k-th singular value
  int* tallies;

  /// Words of the room that has several uses.
  KOKKOS_FUNCTION static constexpr int room(int columns) {
    int const staged = 2 * staged_columns * Shape::rows;
    if (Work::fits) return staged;
    int const exchanged = columns / 2 * Exchange::stride;
    return staged > exchanged ? staged : exchanged;
  }
  KOKKOS_FUNCTION static constexpr std::size_t bytes(int columns) {
    std::size_t const reals = (Work::fits ? columns * Work::stride : 0) + room(columns) + 2 * columns;
    return sizeof(Real) * reals +
           sizeof(int) * (7 * columns + columns / Shape::cols * tallies_per_warp);
  }

  KOKKOS_FUNCTION FusedScratch(void* memory, int columns) {
    work = static_cast<Real*>(memory);
    staged = exchanged = work + (Work::fits ? columns * Work::stride : 0);
    keys = reinterpret_cast<std::uint64_t*>(staged);
    squares = staged + room(columns);
    signs = squares + columns;
    permutation = reinterpret_cast<int*>(signs + columns);
    exponents = permutation + columns;
    inner_places = exponents + columns;
    inner_exponents = inner_places + columns;
    working_exponents = inner_exponents + columns;
    starts = working_exponents + columns;
    order = starts + columns;
    tallies = order + columns;
  }
};

/// Does the path exist for rows×cols problems, rows >= cols >= 1? The answer depends on nothing
/// else.
template <class ExecSpace>
constexpr bool fused_path_fits(std::int64_t rows, std::int64_t cols) {
  return has_warps<ExecSpace> && FusedClasses::class_of(rows, cols) < FusedClasses::count;
}

}  // namespace carroll::detail
