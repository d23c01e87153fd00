// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>

namespace carroll::detail {

/// Of the entries of x the first of those with the largest |x|, of complex ones |re| + |im|; n if
/// there is none.
template <class Value, class Member>
KOKKOS_INLINE_FUNCTION int first_pivot(Member const& team, int n, Value const* x) {
  if constexpr (is_complex<Value>) {
    using Real = RealOf<Value>;
    auto const size = [&](int i) { return pivot_size(x[i]); };
    Real const largest = lane_max<Real>(team, n, size);
    int first = n;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, n),
        [&](int i, int& least) { least = size(i) == largest && i < least ? i : least; },
        Kokkos::Min<int>(first));
    return first;
  } else {
    return first_largest(team, n, x);
  }
}

}  // namespace carroll::detail
