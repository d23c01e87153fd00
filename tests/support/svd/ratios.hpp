// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "support/host_matrix.hpp"

namespace carroll::test {

/// LAPACK's test ratios (Reference-LAPACK TESTING/EIG: DBDT01, DORT01, DSVDCH's ordering), with
/// ‖·‖₁ the largest column sum of magnitudes and ε the distance from 1 to the next number.
///
/// float is checked in double, double in long double: where that has a longer significand and
/// exponent than double, neither rounding nor the range of the checker shows in the ratio. A NaN or
/// Inf anywhere makes the ratio +Inf. Zero extents give 0.

/// ‖A − U·diag(S)·Vᵀ‖₁ / (n‖A‖₁ε), n the columns of A, over the first min(m,n) columns of U and V.
/// Singular values are multiples of the smallest denormal number d, so √m·d is taken off the
/// residual: what rounding S to that grid costs at most, nothing unless σ is denormal.
template <class Real>
[[nodiscard]] double residual_ratio(HostMatrix<Real> const& A, HostMatrix<Real> const& U,
                                    std::vector<Real> const& S, HostMatrix<Real> const& V);

/// ‖I − QᵀQ‖₁ / (rows·ε).
template <class Real>
[[nodiscard]] double orthogonality_ratio(HostMatrix<Real> const& Q);

/// How well U and S alone fit A = U·diag(S)·Vᵀ: with W = AᵀU, the largest of
/// ‖A − U·Wᵀ‖₁/(n‖A‖₁ε), max|‖wₖ‖ − σₖ|/(n σ₁ ε), max|wⱼ·wₖ|/(n σ₁ ε max(‖wⱼ‖,‖wₖ‖)), j ≠ k,
/// where n is the larger extent. Pass Aᵀ and V for the right factor.
template <class Real>
[[nodiscard]] double one_factor_ratio(HostMatrix<Real> const& A, HostMatrix<Real> const& U,
                                      std::vector<Real> const& S);

/// Finite or +Inf, ≥ 0 (and not −0), descending.
template <class Real>
[[nodiscard]] bool is_descending(std::vector<Real> const& S);

struct SvdRatios {
  double residual = 0;
  double u = 0;
  double v = 0;
  bool descending = true;

  [[nodiscard]] double worst() const;
};

template <class Real>
[[nodiscard]] SvdRatios svd_ratios(HostMatrix<Real> const& A, HostMatrix<Real> const& U,
                                   std::vector<Real> const& S, HostMatrix<Real> const& V);

[[nodiscard]] std::string to_string(SvdRatios const& ratios);

}  // namespace carroll::test
