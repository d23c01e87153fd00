// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/status.hpp>
#include <cstdint>

namespace carroll {

/// How the terms of a sum are added. Each gives the same bits on every device, for every number of
/// threads, layout, batch and team size.
enum class Summation {
  /// In a tree whose shape depends on the length alone (docs/blas.md): the speed of memory, and an
  /// error that grows with the logarithm of the length, |error| <= (47 +
  /// log₂(n/1024))·eps·Σ|terms|.
  canonical,
  /// In the same tree with what every addition and product loses carried along: as accurate as if
  /// computed in twice the precision and then rounded (Ogita, Rump and Oishi, SIAM J. Sci. Comput.
  /// 26(6), 2005).
  compensated,
  /// Correctly rounded: the number of T nearest to the sum of the terms, whatever they are.
  exact,
};

struct ReductionOptions {
  Summation summation = Summation::canonical;
};

struct DotOptions {
  Summation summation = Summation::canonical;
  bool conjugate = true;  ///< complex entries of x
};

/// What a reduction of one vector, or of a pair of them, has found.
template <class T>
struct ReductionInfo {
  /// non_finite: the value is not finite, as an entry is not or sums went beyond the range;
  /// overflow: with Summation::exact, the value alone is beyond the range.
  Status status = Status::success;
  T value = {};
};

/// Shape of a problem: the length of its vectors, and how many there are.
struct ReductionExtents {
  std::int64_t length = 0;
  std::int64_t batch = 1;
};

}  // namespace carroll
