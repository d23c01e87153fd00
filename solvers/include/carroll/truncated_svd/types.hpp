// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/status.hpp>
#include <cstdint>

namespace carroll {

/// How `truncated_svd` finds the leading singular triplets.
enum class TruncatedSvdPath {
  automatic,   ///< randomized where it is cheaper and meets the tolerance, otherwise full
  randomized,  ///< from a random subspace, improved by power steps
  full,        ///< all singular triplets, of which the leading ones are kept
};

struct TruncatedSvdOptions {
  TruncatedSvdPath path = TruncatedSvdPath::automatic;
  /// Columns that the random subspace has beyond the wanted rank; 0 means half of the rank, at
  /// least
  /// 8. More make every power step dearer and more effective.
  int oversampling = 0;
  /// Multiplications of the subspace by A·Aᵀ: with a workspace exactly so many, without one at
  /// first.
  int power_steps = 3;
  /// How far `truncated_svd` without a workspace may go in all.
  int max_power_steps = 60;
  /// The same seed gives the same bits.
  std::uint64_t seed = 0;
  /// Largest TruncatedSvdInfo::residual that counts as success; 0 means √eps, with which singular
  /// values that are apart from the others have all their digits, the error in them being of the
  /// residual's second order. Wishes below 8·eps·√max(m, n) count as that. Must be in [0, 1).
  double tolerance = 0;
};

/// What happened, and how good the result is: measured on the result, not predicted.
template <class Real>
struct TruncatedSvdInfo {
  /// not_converged: the residual is larger than the tolerance. The outputs are the best so far, and
  /// `error` and `residual` say how good.
  Status status = Status::success;
  TruncatedSvdPath path = TruncatedSvdPath::randomized;  ///< the one that led to the result
  int power_steps = 0;                                   ///< 0 on the full path
  /// Largest ‖A·vⱼ − σⱼ·uⱼ‖₂ of the triplets, for m < n ‖Aᵀ·uⱼ − σⱼ·vⱼ‖₂, relative to σ₁; the other
  /// of the two is 0 up to rounding. So near to σⱼ, at least, A has a singular value (Weyl).
  Real residual = 0;
  /// Upper bound of ‖A − U·diag(S)·Vᵀ‖₂, relative to σ₁; fails with a probability of 10⁻¹⁰. No
  /// matrix of rank k can have less than A's next singular value, σₖ₊₁; a larger value that was
  /// missed would show here. Usually within a factor of 2 to 8 of the truth.
  Real error = 0;
};

/// Shape of a problem: extents of the matrix, and how many triplets are wanted.
struct TruncatedSvdExtents {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t rank = 0;
};

}  // namespace carroll
