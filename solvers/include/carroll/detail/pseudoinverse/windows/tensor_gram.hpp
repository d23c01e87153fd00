// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/device/warp_product.hpp>

namespace carroll::detail {

/// Whether a device has tensor cores for double precision that are faster than its other units:
/// those for data centres, of compute capability 8.0, 9.0 and 10.0.
template <class ExecSpace>
bool has_double_tensors([[maybe_unused]] ExecSpace const& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (has_warps<ExecSpace>) {
    auto const& device = exec.cuda_device_prop();
    return device.major >= 8 && device.major <= 10 && device.minor == 0;
  }
#endif
  return false;
}

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

  KOKKOS_FUNCTION void add([[maybe_unused]] DeviceWarp const& warp, double x1, double x2,
                           double y) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+d"(one.own[0]), "+d"(one.own[1]), "+d"(two.own[0]), "+d"(two.own[1])
        : "d"(x1), "d"(x2), "d"(y));
#else
    one.add(warp, x1, y);
    two.add(warp, x2, y);
#endif
  }
};

}  // namespace carroll::detail
