// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "support/host_matrix.hpp"
#include "support/lstsq/drivers.hpp"

namespace carroll::test {

/// How a solution stands, in units of max(m, n)·ε, worst column. Sums and the oracle are in
/// extended precision.
struct LstsqRatios {
  /// ‖Aᵀ(B - A·X)‖/(‖A‖(‖B‖ + ‖A‖‖X‖)): LAPACK's DQRT17, for X of any size. Of singular values that
  /// count as zero so much is left to the residual that this holds for tiny ones alone.
  double gradient = 0;
  /// ‖X - A⁺B‖/(κ‖X‖ + κ²‖B - A·X‖/σ₁), κ = σ₁/σ_rank: what a backward stable method may be away
  /// from the oracle's solution of least norm (Wedin, BIT 13, 1973). It holds what LAPACK's DQRT14
  /// asks, whether X is in the row space of A.
  double forward = 0;
  bool clear = false;  ///< the rank is beyond doubt, and κ leaves something to compare
  int rank = 0;        ///< the oracle's
};
template <class Real>
[[nodiscard]] LstsqRatios lstsq_ratios(LstsqProblem<Real> const& problem, bool inverse,
                                       double rcond, HostLstsq<Real> const& result);

/// What is wrong with a result for finite A and B, "" for nothing: shape, status, rank, σ, ratios.
/// Overflow is right if and only if X has an infinite entry. Complex problems are judged as the
/// real ones of twice the size, [Re -Im; Im Re], in the units of the complex one.
template <class T>
[[nodiscard]] std::string what_is_wrong(LstsqProblem<T> const& problem, bool inverse,
                                        LstsqOptions const& options, HostLstsq<T> const& result);

}  // namespace carroll::test
