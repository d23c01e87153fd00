// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/svd/common/chunk.hpp>

/// QR in the registers of a warp: who holds what.
namespace carroll::detail {

/// Matrices with up to `Order` rows and columns; a lane holds a column.
template <int Order>
struct QrShape : LaneShape<Order> {
  /// Warps that a multiprocessor is to hold at least; it bounds their registers.
  static constexpr int warps = 16;
};
using QrShapes = LaneShapeList<QrShape<4>, QrShape<8>, QrShape<16>, QrShape<24>, QrShape<32>>;

/// What the lanes of a matrix share. Column k has, below the diagonal, the k-th reflector's tail
/// and, once all are made, on and above it column k of R.
template <class Value, class Shape>
struct alignas(16) QrWarpScratch {
  /// Chunks of one row in eight neighbouring columns lie in different banks.
  static constexpr int stride = Shape::order + chunk_length<Value>;

  Value columns[Shape::order * stride];
  Value heads[Shape::order];     ///< entry k of the k-th reflector's v
  Value inverses[Shape::order];  ///< its 1/h, 0: no reflection

  KOKKOS_FUNCTION Value* column(int k) { return columns + k * stride; }
};

/// A column and what its lane knows of it.
template <class Value, class Shape>
struct QrWarpColumn {
  using Real = RealOf<Value>;

  Value x[Shape::order];
  int exponent = 0;   ///< it stands for x·2^exponent
  int place = 0;      ///< of R's columns it becomes this one
  Real diagonal = 0;  ///< R's entry, where it has made a reflector
  Real left = 0;      ///< the square of what is left of it, comparable with others'
  Real weight = 1;    ///< makes it that
};

}  // namespace carroll::detail
