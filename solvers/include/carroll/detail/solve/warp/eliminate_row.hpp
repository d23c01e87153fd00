// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/svd/common/chunk.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Step k, Begin <= k < Begin + 4, on a row in registers: a(j) -= factor·pivot(j), j > k, and a(k)
/// := factor, where the row is one of those that are left; `factor` is 0 where it is not. `pivot`
/// is the pivot's row, which all lanes read.
template <int Begin, class Value, int order>
KOKKOS_FORCEINLINE_FUNCTION void eliminate_row(Value const* pivot, int k, Value factor, bool left,
                                               Value (&a)[order]) {
  CARROLL_UNROLL
  for (int j = Begin; j < order; j += 4) {
    Value v[4];
    read_chunks<4>(pivot + j, v);
    CARROLL_UNROLL
    for (int l = 0; l < 4; ++l) {
      bool const behind = j > Begin || j + l > k;
      Value const y = fused_sum(-factor, behind ? v[l] : Value(0), a[j + l]);
      a[j + l] = j == Begin && j + l == k && left ? factor : y;
    }
  }
}

}  // namespace carroll::detail
