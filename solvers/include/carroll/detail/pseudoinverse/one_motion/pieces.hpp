// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace carroll::detail {

/// A lane's way along the pieces of segments in scratch, of four numbers each, one after the other
/// as its rows come. Written so that a CUDA compiler does not branch: lanes differ in every row. A
/// flag says yes where it is not 0.
class PieceCursor {
 public:
#ifdef __CUDA_ARCH__
  __device__ explicit PieceCursor(double const* place)
      : place_(static_cast<unsigned>(__cvta_generic_to_shared(place))) {}

  /// Leaves the sums of a piece that ends, and goes on to the next one.
  __device__ void leave(std::uint32_t ends, double const (&sums)[3]) {
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.u32 p, %1, 0;\n"
        " @p st.shared.v2.f64 [%0], {%2, %3};\n @p st.shared.f64 [%0+16], %4;\n"
        " @p add.u32 %0, %0, 32;\n}"
        : "+r"(place_)
        : "r"(ends), "d"(sums[0]), "d"(sums[1]), "d"(sums[2])
        : "memory");
  }
  /// Where a piece ends, the first two numbers of the next one; otherwise they stay as they are.
  __device__ void read(std::uint32_t ends, double& x, double& y) {
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.u32 p, %3, 0;\n @p add.u32 %2, %2, 32;\n"
        " @p ld.shared.v2.f64 {%0, %1}, [%2];\n}"
        : "+d"(x), "+d"(y), "+r"(place_)
        : "r"(ends));
  }
  __device__ void read(double& x, double& y) {
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(x), "=d"(y) : "r"(place_));
  }

 private:
  unsigned place_;
#else
  KOKKOS_FUNCTION explicit PieceCursor(double const* place) : place_(const_cast<double*>(place)) {}

  KOKKOS_FUNCTION void leave(std::uint32_t ends, double const (&sums)[3]) {
    if (ends == 0) return;
    for (int c = 0; c < 3; ++c) place_[c] = sums[c];
    place_ += 4;
  }
  KOKKOS_FUNCTION void read(std::uint32_t ends, double& x, double& y) {
    if (ends != 0) place_ += 4;
    read(x, y);
  }
  KOKKOS_FUNCTION void read(double& x, double& y) {
    x = place_[0];
    y = place_[1];
  }

 private:
  double* place_;
#endif
};

/// Sets bits of a word of scratch that other lanes set bits of, too.
KOKKOS_INLINE_FUNCTION void set_bits(std::uint32_t* word, std::uint32_t bits) {
  KOKKOS_IF_ON_DEVICE((asm volatile("red.shared.or.b32 [%0], %1;" ::"r"(
                                        static_cast<unsigned>(__cvta_generic_to_shared(word))),
                                    "r"(bits)
                                    : "memory");))
  KOKKOS_IF_ON_HOST((*word |= bits;))
}

}  // namespace carroll::detail
