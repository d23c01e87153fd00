// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "support/host_matrix.hpp"

namespace carroll::test {

/// (re + i·im)·2^exponent, with the larger part in [1, 2) or both 0. Long enough to tell what
/// double precision has lost.
struct LongNumber {
  long double re = 1;
  long double im = 0;
  std::int64_t exponent = 0;

  void normalise();
  LongNumber& multiply(long double by_re, long double by_im = 0);
  LongNumber& divide(long double by);
};

/// |x·2^exponent − reference| / |reference|; of a zero reference 0 if x is 0 too, else infinite.
[[nodiscard]] double relative_error(long double re, long double im, std::int64_t exponent,
                                    LongNumber const& reference);

/// det(re + i·im) by elimination with partial pivoting in 113-bit arithmetic: right to about
/// n·cond·2^-112. `im` may be empty. Shares no code with the solver. n ≤ 300.
template <class Real>
[[nodiscard]] LongNumber quad_determinant(HostMatrix<Real> const& re,
                                          HostMatrix<Real> const& im = {});

/// det A from the factors of LAPACK's getrf; empty when the build has no LAPACKE.
template <class Real>
[[nodiscard]] std::optional<LongNumber> lapack_determinant(HostMatrix<Real> A);

/// About the condition of A in the 1-norm, by LAPACK's gecon; infinite when the build has no
/// LAPACKE.
[[nodiscard]] double lapack_condition(HostMatrix<double> A);

}  // namespace carroll::test
