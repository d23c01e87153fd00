// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

/// Loads that each lane of a warp does or leaves, written so that a CUDA compiler does not branch
/// around them: an instruction each, also where lanes differ. A flag says yes where it is not 0.
namespace carroll::detail {

/// A place in scratch that a lane moves on from.
class ScratchCursor {
 public:
#ifdef __CUDA_ARCH__
  __device__ explicit ScratchCursor(double const* place)
      : place_(static_cast<unsigned>(__cvta_generic_to_shared(place))) {}
  __device__ void advance(std::uint32_t yes, int entries) {
    asm("{\n .reg .pred p;\n setp.ne.u32 p, %1, 0;\n @p add.u32 %0, %0, %2;\n}"
        : "+r"(place_)
        : "r"(yes), "r"(entries * 8));
  }
  __device__ void load(std::uint32_t yes, int c, double& x) const {
    asm volatile("{\n .reg .pred p;\n setp.ne.u32 p, %1, 0;\n @p ld.shared.f64 %0, [%2];\n}"
                 : "+d"(x)
                 : "r"(yes), "r"(place_ + 8 * c)
                 : "memory");
  }

 private:
  unsigned place_;
#else
  KOKKOS_FUNCTION explicit ScratchCursor(double const* place)
      : place_(const_cast<double*>(place)) {}
  KOKKOS_FUNCTION void advance(std::uint32_t yes, int entries) {
    if (yes != 0) place_ += entries;
  }
  KOKKOS_FUNCTION void load(std::uint32_t yes, int c, double& x) const {
    if (yes != 0) x = place_[c];
  }

 private:
  double* place_;
#endif
};

}  // namespace carroll::detail
