// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/pseudoinverse/options.hpp>
#include <carroll/status.hpp>
#include <cstdint>

namespace carroll {

/// How one frame and right-hand side ended.
template <class Real>
struct PseudoinverseInfo {
  /// success, also when the rank is deficient; non_finite: NaN or infinities in the input;
  /// overflow: an entry of a result that is wanted is beyond Real, and infinite with its sign; all
  /// others are right, x whatever variances are; breakdown: segment offsets do not rise from 0 to
  /// the number of rows, or a row number is none. Outputs are NaN for non_finite and breakdown.
  Status status = Status::success;
  /// Of A: depth columns that are not exactly zero, and motion columns that count as independent.
  int rank = 0;
  /// Motion columns are taken in order of what is left of them, relative to their norm in A,
  /// beside the depth columns and the motion columns before; those with at most `cutoff` left count
  /// as dependent. By default 32·(k+1)·eps, and its square root, in double precision, for
  /// normal_equations.
  Real cutoff = 0;
  /// The least that was left of a column that counts as independent: the sine of its angle to the
  /// others, about 1/cond(A) for columns of equal norm. 1 where none counts.
  Real smallest_pivot = 1;
};

/// Shape of a uniform batch of least-squares problems with arrow Jacobians.
struct PseudoinverseExtents {
  std::int64_t frames = 1;
  std::int64_t rows = 0;     ///< n
  std::int64_t motions = 1;  ///< k
  std::int64_t depths = 0;   ///< m
  std::int64_t right_hand_sides = 1;
  bool dense = false;  ///< for `pseudoinverse`: with room for the factors of A⁺
};

}  // namespace carroll
