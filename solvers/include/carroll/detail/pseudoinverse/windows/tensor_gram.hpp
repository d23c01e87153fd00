// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/tensor_product.hpp>
#include <carroll/detail/device/warp.hpp>

namespace carroll::detail {

/// Σ xᵀy over rows of eight columns, 8×8, in the registers of a warp. The tensor cores of CUDA
/// devices for double precision round as a chain of fused multiplications and additions does, one
/// after the other in the order of rows; devices without them have that chain.
struct TensorGram {
  double own[2] = {};  ///< row lane/4, columns 2·(lane%4) and 2·(lane%4)+1

  /// Four rows more, row lane%4 of which the lane has column lane/4.
  KOKKOS_FUNCTION void add(DeviceWarp const& warp, double x, double y) {
    add_warp_product(warp, x, y, own);
  }
  KOKKOS_FUNCTION void operator+=(TensorGram const& other) {
    own[0] += other.own[0];
    own[1] += other.own[1];
  }
};

/// Two of them, of x₁ and x₂ with the same y, at the price of one: the instruction that has all of
/// the tensor cores' speed.
struct TensorGramPair {
  TensorGram one, two;

  KOKKOS_FUNCTION void add(DeviceWarp const& warp, double x1, double x2, double y) {
    add_warp_products(warp, x1, x2, y, one.own, two.own);
  }
};

}  // namespace carroll::detail
