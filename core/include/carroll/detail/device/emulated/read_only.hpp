// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

/// See device/read_only.hpp.
namespace carroll::detail {

template <class Real, int N>
KOKKOS_FORCEINLINE_FUNCTION void read_together(Real (&into)[N], Real const* from) {
  for (int k = 0; k < N; ++k) into[k] = from[k];
}

}  // namespace carroll::detail
