// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

namespace carroll::perf {

/// Of a library's function for float and that for double the one for Real.
template <class Real, class OfFloat, class OfDouble>
consteval auto of_precision(OfFloat of_float, OfDouble of_double) {
  if constexpr (std::is_same_v<Real, float>)
    return of_float;
  else
    return of_double;
}

}  // namespace carroll::perf
