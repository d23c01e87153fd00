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
///
/// Very large matrices lose two slabs in one product, [X1 X2]·[W1; W2], which is faster for its
/// depth: the second slab is condensed after its rows have lost the first, and other rows lose that
/// in the second's pivot columns, X2 = (A3 - X1·U12)·U2⁻¹ with U12 the entries of W1 there.
namespace carroll::detail {

/// Rows of a slab, a multiple of the rows of a strip. More make the product faster, and the strips
/// slower.
inline constexpr int slab_rows = 256;

/// What the rows below a slab have to know of it.
template <class T>
struct Slab {
  T* U;          ///< slab_rows × slab_rows, row by row, undefined but above the blocks
  T* U_before;   ///< of the second slab of two: the first one's W in the second's pivot columns
  T* W_top;      ///< largest entry of each row of W
  T* row_bound;  ///< of all rows of the matrix: no entry is larger
  int* pivots;   ///< columns of the pivots, in the order of the columns before the slab
  /// Columns that are filled when the pivots' are gone, and what fills them; -1 where there is
  /// none.
  int* holes;
  int* fillers;
};

/// Room for the slabs that are in use, at most two that are taken off and two that come next.
template <class T>
class SlabMemory {
 public:
  static constexpr int kept = 4;

  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t scalars(int n) { return kept * size + n; }
  [[nodiscard]] KOKKOS_FUNCTION static constexpr int ints() { return kept * 3 * slab_rows; }

  SlabMemory() = default;
  SlabMemory(T* scalars, int* ints) : scalars_(scalars), ints_(ints) {}

  [[nodiscard]] KOKKOS_FUNCTION Slab<T> of(int number) const {
    int const place = number % kept;
    T* const U_before = scalars_ + place * size;
    T* const U = U_before + slab_rows * slab_rows;
    int* const pivots = ints_ + place * 3 * slab_rows;
    return {U,      U_before,           U + slab_rows * slab_rows, scalars_ + kept * size,
            pivots, pivots + slab_rows, pivots + 2 * slab_rows};
  }

 private:
  static constexpr std::int64_t size = std::int64_t{slab_rows} * (2 * slab_rows + 1);

  T* scalars_ = nullptr;
  int* ints_ = nullptr;
};

/// The largest bound that rows may have before a slab's strips and its product, each of which may
/// make entries a little larger.
template <class T>
inline constexpr int slab_exponent = sizeof(T) == 4 ? 50 : 400;

}  // namespace carroll::detail
