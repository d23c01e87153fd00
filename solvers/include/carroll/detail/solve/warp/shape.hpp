// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <carroll/detail/svd/common/chunk.hpp>
#include <cstddef>
#include <type_traits>

/// Systems in the registers of a warp: who holds what.
namespace carroll::detail {

/// Systems of up to `Order` equations; a lane holds one.
template <int Order>
struct SolveShape : LaneShape<Order> {
  /// Warps that a multiprocessor is to hold at least; it bounds their registers.
  static constexpr int warps = 16;
  /// So many right-hand sides, or more, have a lane each; fewer are spread over the lanes. The bits
  /// are the same. First choice, not tuned.
  static constexpr int least_sides = LaneShape<Order>::width / 4;
};
using SolveShapes =
    LaneShapeList<SolveShape<4>, SolveShape<8>, SolveShape<16>, SolveShape<24>, SolveShape<32>>;

/// Where lanes exchange a matrix; after the elimination L and U in the order of the pivots. Chunks
/// of one column in eight neighbouring rows lie in different banks, and so do those of one row in
/// neighbouring matrices.
template <class Value, class Shape>
struct alignas(16) SolveWarpMatrix {
  static constexpr int order = Shape::order, stride = order + chunk_length<Value>;
  static constexpr int line = 128 / int{sizeof(Value)};
  static constexpr int used = order * stride + order;

  Value rows[order * stride];
  /// Of U's diagonal.
  Value inverses[order + (chunk_length<Value> + line - used % line) % line];

  KOKKOS_FUNCTION Value* row(int i) { return rows + i * stride; }
  KOKKOS_FUNCTION Value const* row(int i) const { return rows + i * stride; }
};

/// A row and what its lane knows. First it is that of the caller's matrix, after the elimination
/// that of L and U, which is another one.
template <class Value, class Shape>
struct SolveWarpRow {
  Value a[Shape::order];
  Value inverse = 0;  ///< of U's diagonal entry
  int place = 0;      ///< the caller's row of this number has become that pivot row
  int origin = 0;     ///< and this pivot row was the caller's row of that number
  int row = 0;        ///< power of two that the caller's row of this number was multiplied by
  int col = 0;        ///< and that of the column
};

/// What is known of a matrix.
template <class Real>
struct SolveWarpSizes {
  bool finite, even;  ///< even: one power of two has done for all entries
  Real norm;          ///< ‖A‖₁, as it is eliminated
  Real largest;       ///< of its entries
};

/// Launch bounds. Complex rows are long, and left to itself the compiler takes more registers than
/// help (H200, 2026-11-28: order 32 in single precision, 168 for 206, three quarters of the time).
/// They are bounded as those of four warps, one for each scheduler, of which the multiprocessor is
/// to hold some: Kokkos wants scratch for as many teams, which the smallest devices have.
template <class Value, class Shape>
struct SolveWarpBounds {
  static constexpr std::size_t bytes = sizeof(SolveWarpMatrix<Value, Shape>) * Shape::matrices;
  static constexpr std::size_t most_scratch = 2 * (bytes + 16);  ///< see scratch_bytes()
  static constexpr int registers = Shape::order * int{sizeof(Value)} / 4 + 72;
  static constexpr int wanted = registers < 128 ? 4 : 512 / registers;
  static constexpr int room = 64 * 1024 / (2 * (int{bytes} + 16) + 1040);
  using type = std::conditional_t<is_complex<Value>,
                                  TeamBounds<128, (wanted < room ? wanted : room), most_scratch>,
                                  TeamBounds<32, warps_at_once(Shape::warps, bytes), most_scratch>>;
};

}  // namespace carroll::detail
