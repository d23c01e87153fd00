// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/strip_tasks.hpp>

/// Large matrices, two levels of blocks: a slab of rows is condensed strip by strip as if it were
/// all there is (strip_steps.hpp), and then taken off the rows below it in one product,
///
///   A4 - X·W,   X = A3·U⁻¹.
///
/// A3 holds the rows' entries in the slab's pivot columns, W what the strips have left of theirs,
/// U what each strip has left in the pivot columns of later ones: it is unit upper triangular, and
/// the identity within a strip. X takes the place of the columns that the rows lose. The trailing
/// matrix so passes through memory once per slab, instead of once per strip, and nearly all of the
/// work is a matrix product.
namespace carroll::detail {

/// Rows of a slab, a multiple of the rows of a strip. More make the product faster, and the strips
/// slower.
inline constexpr int slab_rows = 256;

/// What is kept of a slab, or, on two of them, in turns.
template <class T>
struct SlabMemory {
  T* U = nullptr;          ///< slab_rows × slab_rows, row by row, undefined but above the blocks
  T* W_top = nullptr;      ///< largest entry of each row of W
  T* row_bound = nullptr;  ///< no entry of the row is larger
  int* pivots = nullptr;   ///< columns of the pivots, in the order of the columns before the slab
  /// Columns that are filled when the pivots' are gone, and what fills them; -1 where there is
  /// none.
  int* holes = nullptr;
  int* fillers = nullptr;

  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t scalars(int n) {
    return std::int64_t{slab_rows} * (slab_rows + 1) + n;
  }
  [[nodiscard]] KOKKOS_FUNCTION static constexpr int ints() { return 3 * slab_rows; }

  SlabMemory() = default;
  SlabMemory(T* scalars, int* ints)
      : U(scalars),
        W_top(U + slab_rows * slab_rows),
        row_bound(W_top + slab_rows),
        pivots(ints),
        holes(pivots + slab_rows),
        fillers(holes + slab_rows) {}
};

/// The largest bound that rows may have before a slab's strips and its product, each of which may
/// make entries a little larger.
template <class T>
inline constexpr int slab_exponent = sizeof(T) == 4 ? 50 : 400;

}  // namespace carroll::detail
