// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "accuracy/summary.hpp"
#include "support/svd/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/svd/ratios.hpp"
#include "support/tolerance.hpp"

namespace carroll::test {

template <class Real>
[[nodiscard]] std::string extents_name(HostMatrix<Real> const& A) {
  return std::to_string(A.rows) + "x" + std::to_string(A.cols);
}

/// info.rank counts the singular values above max(m,n)·ε·σ₁. A value within a few ε of that limit
/// may count or not; denormal values say nothing.
template <class Real>
void expect_rank_matches(HostMatrix<Real> const& A, HostSvd<Real> const& result) {
  if (result.S.empty()) {
    EXPECT_EQ(result.info.rank, 0);
    return;
  }
  double const limit = std::max(A.rows, A.cols) * epsilon<Real> * double(result.S.front());
  if (limit < double(std::numeric_limits<Real>::min()) && result.S.front() > 0) return;
  int surely = 0;
  int perhaps = 0;
  for (Real const sigma : result.S) {
    surely += double(sigma) > limit * (1 + 8 * epsilon<Real>) ? 1 : 0;
    perhaps += double(sigma) > limit * (1 - 8 * epsilon<Real>) ? 1 : 0;
  }
  EXPECT_GE(result.info.rank, surely) << extents_name(A);
  EXPECT_LE(result.info.rank, perhaps) << extents_name(A);
}

/// U, S and V of A pass all of LAPACK's ratios, and info says success.
template <class Real>
void expect_accurate(std::string const& subject, HostMatrix<Real> const& A,
                     HostSvd<Real> const& result) {
  SvdRatios const ratios = svd_ratios(A, result.U, result.S, result.V);
  Summary::instance().add(subject + ", " + precision_name<Real>, extents_name(A), ratios);
  EXPECT_LE(ratios.worst(), ratio_bar) << subject << ", " << precision_name<Real> << ", "
                                       << extents_name(A) << ": " << to_string(ratios);
  EXPECT_EQ(result.info.status, carroll::Status::success)
      << subject << ", " << precision_name<Real> << ", " << extents_name(A) << ": "
      << carroll::to_string(result.info.status) << " after " << result.info.sweeps << " sweeps";
  expect_rank_matches(A, result);
}

/// Largest |S − reference| in units of the rounding that a change of the job may bring:
/// min(m,n)·ε·σ₁, or the grid of the denormal numbers.
template <class Real>
[[nodiscard]] double sigma_difference(std::vector<Real> const& S,
                                      std::vector<Real> const& reference) {
  if (S.size() != reference.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t k = 0; k < S.size(); ++k) {
    if (S[k] == reference[k]) continue;
    long double const difference =
        std::abs(static_cast<long double>(S[k]) - static_cast<long double>(reference[k]));
    long double const unit =
        std::max(static_cast<long double>(absolute_sigma_tolerance<Real>(
                     static_cast<int>(S.size()), static_cast<double>(reference.front()))),
                 static_cast<long double>(std::numeric_limits<Real>::denorm_min()));
    long double const ratio = difference / unit;
    worst = std::isfinite(ratio) ? std::max(worst, static_cast<double>(ratio))
                                 : std::numeric_limits<double>::infinity();
  }
  return worst;
}

}  // namespace carroll::test
