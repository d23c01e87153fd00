// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>

namespace carroll::detail {

/// Consecutive entries of a vector: with several, they are one load, of 16 bytes, and the stride is
/// 1.
template <class T, int Entries>
class SomeEntries {
 public:
  KOKKOS_FUNCTION SomeEntries(T const* data, std::ptrdiff_t stride)
      : data_(data), stride_(Entries == 1 ? stride : 1) {}

  KOKKOS_FORCEINLINE_FUNCTION T one(std::ptrdiff_t j) const { return data_[j * stride_]; }
  KOKKOS_FORCEINLINE_FUNCTION void load(T (&into)[Entries], std::ptrdiff_t j) const {
    if constexpr (Entries > 1) {
      struct alignas(16) Together {
        RealOf<T> of[16 / sizeof(RealOf<T>)];
      };
      Together const together = *reinterpret_cast<Together const*>(data_ + j);
      CARROLL_UNROLL
      for (int v = 0; v < Entries; ++v) {
        if constexpr (is_complex<T>)
          into[v] = T(together.of[2 * v], together.of[2 * v + 1]);
        else
          into[v] = together.of[v];
      }
    } else {
      into[0] = one(j);
    }
  }

 private:
  T const* data_;
  std::ptrdiff_t stride_;
};

/// What the lanes of a row come to, of which a thread has `Parts` times `Entries` consecutive ones;
/// by all lanes of a warp, each of the `Threads` threads has it.
template <int Threads, int Parts, int Entries, class Sum>
KOKKOS_FORCEINLINE_FUNCTION Sum halved_lanes(DeviceWarp const& warp, Sum (&lanes)[Parts][Entries]) {
  CARROLL_UNROLL
  for (int half = Parts / 2; half > 0; half /= 2) CARROLL_UNROLL
  for (int p = 0; p < half; ++p) CARROLL_UNROLL
  for (int v = 0; v < Entries; ++v) lanes[p][v].join(lanes[p + half][v]);
  CARROLL_UNROLL
  for (int step = Threads / 2; step > 0; step /= 2) CARROLL_UNROLL
  for (int v = 0; v < Entries; ++v)
    lanes[0][v].join(lanes[0][v].each([&](auto x) { return warp.across(x, step); }));
  return halved_sums(lanes[0]);
}

}  // namespace carroll::detail
