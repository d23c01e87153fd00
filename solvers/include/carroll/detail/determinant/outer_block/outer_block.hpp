// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/outer_block/plan.hpp>
#include <carroll/detail/determinant/row_panel/tickets.hpp>
#include <cstdint>

/// Large matrices, two levels of blocks: an outer block of rows is condensed row panel by row panel
/// as if it were all there is (row_panel/pipeline/kernel.hpp), and then taken off the rows below
/// it in one product,
///
///   A4 - A3·V,   V = A1⁻¹·A2 = U⁻¹·W.
///
/// A3 holds the rows' entries in the outer block's pivot columns, W what the row panels have left
/// of theirs, U what each row panel has left in the pivot columns of later ones: it is unit upper
/// triangular, and the identity within a row panel. A3 takes the place of the columns that the rows
/// lose, V that of the outer block's rows of the matrix. The trailing matrix so passes through
/// memory once per outer block, instead of once per row panel, and nearly all of the work is a
/// matrix product. Where U⁻¹ may be large, or little is left of the matrix
/// (outer_block/launch.hpp), W is left as it is, and the rows' entries become X = A3·U⁻¹
/// (outer_block/rows.hpp).
///
/// Large matrices lose two outer blocks in one product, [A31 A32]·[V1 - V12·V2; V2], which is
/// faster for its depth: the second outer block is condensed after its rows have lost the first,
/// and V12 are the entries of V1 in the second's pivot columns.
namespace carroll::detail {

/// What the rows below an outer block have to know of it.
template <class T>
struct OuterBlock {
  static constexpr int groups = outer_block_rows / 32;

  /// Room for one; row_bound has one place for each row of the matrix.
  static constexpr std::int64_t scalars() {
    return std::int64_t{outer_block_rows} * (2 * outer_block_rows + groups + 1);
  }
  static constexpr std::int64_t ints() { return 4 * outer_block_rows + 1; }
  KOKKOS_FUNCTION static OuterBlock in(T* scalars, int* ints, T* row_bound) {
    constexpr int P = outer_block_rows;
    T* const sums = scalars + 2 * P * P;
    return {scalars,      scalars + P * P, sums, sums + P * groups, row_bound,
            ints + 3 * P, ints + 4 * P,    ints, ints + P,          ints + 2 * P};
  }

  T* U;  ///< outer_block_rows × outer_block_rows, row by row, undefined but above the blocks
  T* U_before;   ///< of the second outer block of two: the first one's V in the second's pivot
                 ///< columns
  T* sums;       ///< outer_block_rows × groups: Σ|u| of a row of U, 32 columns by 32
  T* W_top;      ///< no entry of a row of W is larger
  T* row_bound;  ///< of all rows of the matrix: no entry is larger
  int* V_top;    ///< magnitude of the largest entry of each row of V, or of what stands for it
  int* folded;   ///< is U⁻¹ in V? Otherwise V is W
  int* pivots;   ///< columns of the pivots, in the order of the columns before the outer block
  /// Columns that are filled when the pivots' are gone, and what fills them; -1 where there is
  /// none.
  int* holes;
  int* fillers;
};

/// Room for the outer blocks that are in use, at most two that are taken off and two that come
/// next.
template <class T>
class OuterBlockMemory {
 public:
  static constexpr int kept = 4;

  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t scalars(int n) { return kept * size + n; }
  [[nodiscard]] KOKKOS_FUNCTION static constexpr int ints() { return kept * int_size; }

  OuterBlockMemory() = default;
  OuterBlockMemory(T* scalars, int* ints) : scalars_(scalars), ints_(ints) {}

  [[nodiscard]] KOKKOS_FUNCTION OuterBlock<T> of(int number) const {
    int const place = number % kept;
    return OuterBlock<T>::in(scalars_ + place * size, ints_ + place * int_size,
                             scalars_ + kept * size);
  }

 private:
  static constexpr std::int64_t size = OuterBlock<T>::scalars();
  static constexpr int int_size = static_cast<int>(OuterBlock<T>::ints());

  T* scalars_ = nullptr;
  int* ints_ = nullptr;
};

/// The largest bound that rows may have before an outer block's row panels and its product, each of
/// which may make entries a little larger.
template <class T>
inline constexpr int outer_block_exponent = sizeof(T) == 4 ? 50 : 400;

/// U⁻¹ goes into V as long as V cannot have entries above 2^outer_block_trsm_exponent. The bound is
/// far from what they are: some 2^35 for random matrices, whose V is below 4.
inline constexpr int outer_block_trsm_exponent = 60;

}  // namespace carroll::detail
