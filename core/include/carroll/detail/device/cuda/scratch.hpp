// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <cstdint>

#ifdef CARROLL_CUDA_PASS
/// See device/scratch.hpp.
namespace carroll::detail {

KOKKOS_FORCEINLINE_FUNCTION unsigned scratch_address(void const* scratch) {
  return static_cast<unsigned>(__cvta_generic_to_shared(scratch));
}

KOKKOS_FORCEINLINE_FUNCTION void scratch_or(std::uint32_t* word, std::uint32_t bits) {
  asm volatile("red.shared.or.b32 [%0], %1;" ::"r"(scratch_address(word)), "r"(bits) : "memory");
}

class ScratchCursor {
 public:
  KOKKOS_FUNCTION explicit ScratchCursor(double const* place) : place_(scratch_address(place)) {}

  KOKKOS_FUNCTION void advance(std::uint32_t yes, int entries) {
    asm("{\n .reg .pred p;\n setp.ne.u32 p, %1, 0;\n @p add.u32 %0, %0, %2;\n}"
        : "+r"(place_)
        : "r"(yes), "r"(entries * 8));
  }
  KOKKOS_FUNCTION void load(std::uint32_t yes, int c, double& x) const {
    asm volatile("{\n .reg .pred p;\n setp.ne.u32 p, %1, 0;\n @p ld.shared.f64 %0, [%2];\n}"
                 : "+d"(x)
                 : "r"(yes), "r"(place_ + 8 * c)
                 : "memory");
  }

  KOKKOS_FUNCTION void leave(std::uint32_t yes, double const (&sums)[3]) {
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.u32 p, %1, 0;\n"
        " @p st.shared.v2.f64 [%0], {%2, %3};\n @p st.shared.f64 [%0+16], %4;\n"
        " @p add.u32 %0, %0, 32;\n}"
        : "+r"(place_)
        : "r"(yes), "d"(sums[0]), "d"(sums[1]), "d"(sums[2])
        : "memory");
  }
  KOKKOS_FUNCTION void read_next(std::uint32_t yes, double& x, double& y) {
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.u32 p, %3, 0;\n @p add.u32 %2, %2, 32;\n"
        " @p ld.shared.v2.f64 {%0, %1}, [%2];\n}"
        : "+d"(x), "+d"(y), "+r"(place_)
        : "r"(yes));
  }
  KOKKOS_FUNCTION void read(double& x, double& y) const {
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(x), "=d"(y) : "r"(place_));
  }

 private:
  unsigned place_;
};

}  // namespace carroll::detail
#endif
