// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

namespace carroll::test {

enum class SlowReduction { sum, asum, dot, norm2, max_abs };

/// A reduction written down from its description, for tests to compare bits with: parts of complex
/// entries stand one behind the other in x and y.
template <class Real>
struct SlowProblem {
  SlowReduction reduction = SlowReduction::sum;
  bool compensated = false, conjugate = true;
  int parts = 1;  ///< 2: complex entries
  std::vector<Real> x, y;
};

template <class Real>
struct SlowResult {
  std::array<Real, 2> value{};  ///< the second: an imaginary part, if there is one
  bool finite = true;
  bool overflow = false;  ///< of a root only
};

/// Each lane, chunk and pair for itself, by recursion.
template <class Real>
[[nodiscard]] SlowResult<Real> slow_tree(SlowProblem<Real> const& problem);

}  // namespace carroll::test
