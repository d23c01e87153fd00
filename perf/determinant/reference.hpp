// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "determinant/contender.hpp"

namespace carroll::perf {

/// A determinant that others are checked against.
struct DeterminantReference {
  ScaledNumber<double> value;
  /// An error of log|det| in units of eps that is to be expected of partial-pivot elimination of a
  /// random matrix. Its rounding errors are independent of each other: tr(A⁻¹·δA) grows as n for a
  /// typical matrix, whose condition number is about n² in the 1-norm, and in proportion for a
  /// worse one: n + κ₁/n.
  double scale = 1;
};

#ifdef CARROLL_PERF_HAVE_LAPACKE
/// From LAPACK's getrf in double precision, with the condition number by gecon. `A` is n×n.
DeterminantReference lapack_reference(int n, std::vector<double> A, int threads);
#endif

/// Members that are checked: first, middle and last.
std::vector<int> sampled_members(DeterminantShape const& shape);

/// Outcome of the one check that goes before timing, the worst of the sampled members.
struct DeterminantCheck {
  double log_error = 0;  // |ln|det| − ln|reference||
  double residual = 0;   // the same in units of scale·eps
  std::string fault;     // empty when the result is good
};

/// `values` are of all members, `references` of the sampled ones, or empty where there is nothing
/// to check against, which is a fault. The bound on residual is
/// LAPACK's, 30.
template <class Real>
DeterminantCheck check_determinants(DeterminantShape const& shape,
                                    std::span<ScaledNumber<Real> const> values,
                                    std::span<DeterminantReference const> references);

}  // namespace carroll::perf
