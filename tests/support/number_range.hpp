// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

namespace carroll::test {

/// The ends of a precision's range, as double, in which the generators compute. LAPACK's names.
template <class Real>
struct NumberRange {
  static constexpr double ulp = std::numeric_limits<Real>::epsilon();
  static constexpr double overflow = std::numeric_limits<Real>::max();
  static constexpr double underflow = std::numeric_limits<Real>::min();
  static constexpr double denormal = std::numeric_limits<Real>::denorm_min();
  static constexpr bool is_single = sizeof(Real) == sizeof(float);
};

}  // namespace carroll::test
