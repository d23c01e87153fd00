// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

namespace carroll::detail {

/// Doubles from one piece to the next in scratch: an odd number of pairs, so that lanes with pieces
/// one after the other meet different banks.
template <int count>
inline constexpr int paired_width = ((count + 1) / 2 | 1) * 2;

/// A lane's way along the pieces of segments in scratch, of `count` sums each, `Width`
/// doubles apart, one after the other as its rows come. Written so that a CUDA compiler does not
/// branch: lanes differ in every row. A flag says yes where it is not 0.
template <int count, int Width>
class PieceSums {
  static constexpr int bytes = Width * 8;
  static_assert(Width % 2 == 0 && Width >= count);

 public:
#ifdef __CUDA_ARCH__
  __device__ explicit PieceSums(double* place)
      : place_(static_cast<unsigned>(__cvta_generic_to_shared(place))) {}

  /// Leaves the sums of a piece that ends, goes on to the next one, and begins anew.
  __device__ void leave(std::uint32_t ends, double (&sums)[count]) {
    CARROLL_UNROLL
    for (int c = 0; c + 1 < count; c += 2)
      asm volatile(
          "{\n .reg .pred p;\n setp.ne.u32 p, %3, 0;\n @p st.shared.v2.f64 [%2], {%0, %1};\n"
          " @p mov.f64 %0, 0d0000000000000000;\n @p mov.f64 %1, 0d0000000000000000;\n}"
          : "+d"(sums[c]), "+d"(sums[c + 1 < count ? c + 1 : c])
          : "r"(place_ + 8 * c), "r"(ends)
          : "memory");
    if constexpr (count % 2 != 0)
      asm volatile(
          "{\n .reg .pred p;\n setp.ne.u32 p, %2, 0;\n @p st.shared.f64 [%1], %0;\n"
          " @p mov.f64 %0, 0d0000000000000000;\n}"
          : "+d"(sums[count - 1])
          : "r"(place_ + 8 * (count - 1)), "r"(ends)
          : "memory");
    asm("{\n .reg .pred p;\n setp.ne.u32 p, %1, 0;\n @p add.u32 %0, %0, %2;\n}"
        : "+r"(place_)
        : "r"(ends), "n"(bytes));
  }

 private:
  unsigned place_;
#else
  KOKKOS_FUNCTION explicit PieceSums(double* place) : place_(place) {}

  KOKKOS_FUNCTION void leave(std::uint32_t ends, double (&sums)[count]) {
    if (ends == 0) return;
    for (int c = 0; c < count; ++c) {
      place_[c] = sums[c];
      sums[c] = 0;
    }
    place_ += bytes / 8;
  }

 private:
  double* place_;
#endif
};

}  // namespace carroll::detail
