// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

/// What packs of a host's numbers can, for a single number: what is written once serves lanes of a
/// vector register, a problem each, and threads of a device.
namespace carroll::detail {

KOKKOS_INLINE_FUNCTION float select(bool mask, float a, float b) {
  return mask ? a : b;
}
KOKKOS_INLINE_FUNCTION float abs(float x) {
  return x < 0 ? -x : x;
}
KOKKOS_INLINE_FUNCTION float max(float a, float b) {
  return a > b ? a : b;
}
KOKKOS_INLINE_FUNCTION float sqrt(float x) {
  return Kokkos::sqrt(x);
}
KOKKOS_INLINE_FUNCTION bool any(bool mask) {
  return mask;
}

}  // namespace carroll::detail
