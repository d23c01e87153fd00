// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/common/round_robin.hpp>
#include <cstdint>

/// How long the pieces of a matrix's workspace are, as kernels and who asks for memory see it.
namespace carroll::detail {

/// May a problem of this size have its first QR repeated in double words? Beyond it rounding in the
/// QR is no longer what limits the accuracy, and the room would be felt.
KOKKOS_INLINE_FUNCTION constexpr bool has_double_words(std::int64_t rows, std::int64_t cols) {
  return cols <= 32 && rows <= 1024;
}

/// Columns that a team holds in registers on the tile path, and cols rounded up to whole tiles.
inline constexpr int tile_columns = 16;
KOKKOS_INLINE_FUNCTION constexpr std::int64_t whole_tiles(std::int64_t cols) {
  return (cols + tile_columns - 1) / tile_columns * tile_columns;
}

/// Columns of a block of the sweeps by Gram matrices, and of two blocks that meet.
inline constexpr int gram_columns = 32;
inline constexpr int gram_pair_columns = 2 * gram_columns;
inline constexpr int gram_entries = gram_pair_columns * gram_pair_columns;

/// Rows whose products are summed before they are added to others': at most 16 parts, so that bits
/// depend on the size alone, whether a team sums one part or all.
KOKKOS_INLINE_FUNCTION constexpr int gram_part_rows(int cols) {
  int rows = 64;
  while (16 * rows < cols) rows *= 2;
  return rows;
}
KOKKOS_INLINE_FUNCTION constexpr int gram_parts(int cols) {
  return (cols + gram_part_rows(cols) - 1) / gram_part_rows(cols);
}
/// Blocks meet as columns do in round robin.
KOKKOS_INLINE_FUNCTION constexpr RoundRobin gram_schedule(int cols) {
  return {(cols + gram_columns - 1) / gram_columns};
}
/// What the pairs of a set need: products of rotations, twice, and a Gram matrix per part.
KOKKOS_INLINE_FUNCTION constexpr std::int64_t gram_reals(int cols) {
  return static_cast<std::int64_t>(gram_schedule(cols).pairs()) * (gram_parts(cols) + 2) *
         gram_entries;
}

/// Rows beyond which several teams share 16 columns on the tile path, a chunk of this many each.
template <class Real>
inline constexpr int panel_chunk_rows = sizeof(Real) == 4 ? 2048 : 1024;
template <class Real>
KOKKOS_INLINE_FUNCTION constexpr int panel_chunks(std::int64_t rows) {
  return static_cast<int>((rows + panel_chunk_rows<Real> - 1) / panel_chunk_rows<Real>);
}

/// 64-bit words through which the teams of one tile exchange sums: two turns of 256 sums per chunk,
/// half a number to a word.
template <class Real>
KOKKOS_INLINE_FUNCTION constexpr std::int64_t exchange_words_per_tile(std::int64_t rows) {
  int const chunks = panel_chunks<Real>(rows);
  return chunks > 1 ? std::int64_t{2} * tile_columns * tile_columns * chunks * (sizeof(Real) / 4)
                    : 0;
}

/// Their room, aligned to 8 bytes; vectors may have as many columns as rows.
template <class Real>
KOKKOS_INLINE_FUNCTION constexpr std::int64_t exchange_reals(std::int64_t rows) {
  return whole_tiles(rows) / tile_columns * exchange_words_per_tile<Real>(rows) * 8 /
             std::int64_t{sizeof(Real)} +
         2;
}

/// What is kept of a tile's reflectors beside themselves: 16×16 each.
template <class Real>
struct BlockFactor {
  static constexpr int block = tile_columns * tile_columns, size = 3 * block;
  Real* data;

  /// T, row by row, upper triangular.
  KOKKOS_FUNCTION Real* T() const { return data; }
  /// Their rows in the diagonal block, column by column, with zeros and ones.
  KOKKOS_FUNCTION Real* V() const { return data + block; }
  /// The diagonal block of R, column by column, with zeros.
  KOKKOS_FUNCTION Real* R() const { return data + 2 * block; }
};

/// Elements of workspace.
struct SvdWorkspaceSizes {
  std::int64_t reals;
  std::int64_t ints;

  /// Members, and what is read in groups of 16 bytes, begin at multiples of 128 bytes, a cache line
  /// on GPUs.
  KOKKOS_FUNCTION static std::int64_t round_up(std::int64_t n) { return (n + 31) / 32 * 32; }
  /// Makes room for another use of the same memory.
  void cover(SvdWorkspaceSizes const& other) {
    reals = reals > other.reals ? reals : other.reals;
    ints = ints > other.ints ? ints : other.ints;
  }
};

}  // namespace carroll::detail
