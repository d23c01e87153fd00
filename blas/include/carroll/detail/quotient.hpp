// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace carroll::detail {

/// x / by, rounded up: how many pieces of `by` it takes for x >= 0.
template <class X, class By>
KOKKOS_FUNCTION constexpr std::common_type_t<X, By> quotient_up(X x, By by) {
  return x / by + (x % by != 0 ? 1 : 0);
}

}  // namespace carroll::detail
