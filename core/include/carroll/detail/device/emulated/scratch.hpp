// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

/// See device/scratch.hpp.
namespace carroll::detail {

KOKKOS_INLINE_FUNCTION void scratch_or(std::uint32_t* word, std::uint32_t bits) {
  *word |= bits;
}

class ScratchCursor {
 public:
  KOKKOS_FUNCTION explicit ScratchCursor(double const* place)
      : place_(const_cast<double*>(place)) {}

  KOKKOS_FUNCTION void advance(std::uint32_t yes, int entries) {
    if (yes != 0) place_ += entries;
  }
  KOKKOS_FUNCTION void load(std::uint32_t yes, int c, double& x) const {
    if (yes != 0) x = place_[c];
  }

  KOKKOS_FUNCTION void leave(std::uint32_t yes, double const (&sums)[3]) {
    if (yes == 0) return;
    for (int c = 0; c < 3; ++c) place_[c] = sums[c];
    place_ += 4;
  }
  KOKKOS_FUNCTION void read_next(std::uint32_t yes, double& x, double& y) {
    if (yes == 0) return;
    place_ += 4;
    read(x, y);
  }
  KOKKOS_FUNCTION void read(double& x, double& y) const {
    x = place_[0];
    y = place_[1];
  }

 private:
  double* place_;
};

}  // namespace carroll::detail
