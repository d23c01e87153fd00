// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/rounding.hpp>

/// Sums in the making, of one number each or, on a host, of a vector register of them. `join` adds
/// two: it gives the same bits either way round, and leaves a sum as it is that is joined to
/// `Sum()`, the sum of no terms. That is -0, which x + (-0) = x holds for, also for x = -0.
///
/// No product is fused with a sum unless the formula says so: hosts that cannot do that would have
/// other bits.
#ifdef __FAST_MATH__
#error "Carroll needs IEEE arithmetic: compile without -ffast-math"
#endif

namespace carroll::detail {

/// Each term is added, and rounded.
template <class Number>
struct PlainSum {
  Number sum = Number(-0.0F);

  KOKKOS_FORCEINLINE_FUNCTION void add(Number const& x) { sum = sum + x; }
  KOKKOS_FORCEINLINE_FUNCTION void add_product(Number const& x, Number const& y) {
    sum = sum + rounded_product(x, y);
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(PlainSum const& other) { add(other.sum); }
  KOKKOS_FORCEINLINE_FUNCTION void negate() { sum = -sum; }
  KOKKOS_FORCEINLINE_FUNCTION Number rounded() const { return sum; }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION auto each(F const& f) const {
    return PlainSum<decltype(f(sum))>{f(sum)};
  }
};

/// With what the additions and products lose carried along: Sum2 and Dot2 of Ogita, Rump and Oishi,
/// SIAM J. Sci. Comput. 26(6), 2005. 7 additions a term, 2 operations more a product.
template <class Number>
struct CompensatedSum {
  Number sum = Number(-0.0F);
  Number rest = Number(0.0F);

  KOKKOS_FORCEINLINE_FUNCTION void add(Number const& x) {  // Knuth's TwoSum
    Number const s = sum + x;
    Number const x_part = s - sum;
    rest = rest + ((sum - (s - x_part)) + (x - x_part));
    sum = s;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_product(Number const& x, Number const& y) {
    Number const p = rounded_product(x, y);
    Number const lost = fused_product_sum(x, y, -p);
    add(p);
    rest = rest + lost;
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(CompensatedSum const& other) {
    Number const rests = rest + other.rest;
    rest = Number(0.0F);
    add(other.sum);
    rest = rest + rests;
  }
  KOKKOS_FORCEINLINE_FUNCTION void negate() {
    sum = -sum;
    rest = -rest;
  }
  /// The rest of an infinite sum is NaN; so may be that of one next to the largest number, as
  /// TwoSum can overflow where the sum does not.
  KOKKOS_FORCEINLINE_FUNCTION Number rounded() const {
    return rest - rest == Number(0) ? sum + rest : sum;
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION auto each(F const& f) const {
    return CompensatedSum<decltype(f(sum))>{f(sum), f(rest)};
  }
};

}  // namespace carroll::detail
