// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/common/chunk.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Step k, Begin <= k < Begin + 4, on a row in registers: a(j) -= factor·pivot(j), j > k, and a(k)
/// := factor, where the row is one of those that are left; `factor` is 0 where it is not. `pivot`
/// is the pivot's row, which all lanes read.
template <int Begin, class Real, int order>
KOKKOS_FORCEINLINE_FUNCTION void eliminate_row(Real const* pivot, int k, Real factor, bool left,
                                               Real (&a)[order]) {
  CARROLL_UNROLL
  for (int j = Begin; j < order; j += 4) {
    Real v[4];
    read_chunks<4>(pivot + j, v);
    CARROLL_UNROLL
    for (int l = 0; l < 4; ++l) {
      bool const behind = j > Begin || j + l > k;
      Real const y = Kokkos::fma(-factor, behind ? v[l] : Real(0), a[j + l]);
      a[j + l] = j == Begin && j + l == k && left ? factor : y;
    }
  }
}

}  // namespace carroll::detail
