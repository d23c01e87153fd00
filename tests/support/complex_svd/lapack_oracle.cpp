// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <complex>
#include <cstddef>
#include <vector>

#include "support/complex_svd/values.hpp"

#ifdef CARROLL_TEST_HAVE_LAPACKE
#include <lapacke.h>
#endif

namespace carroll::test {

std::vector<double> lapack_complex_singular_values(HostMatrix<std::complex<double>> A) {
  std::vector<double> sigma;
#ifdef CARROLL_TEST_HAVE_LAPACKE
  sigma.resize(static_cast<std::size_t>(std::min(A.rows, A.cols)));
  auto* const a = reinterpret_cast<lapack_complex_double*>(A.data.data());
  lapack_complex_double unused;
  if (!sigma.empty() && LAPACKE_zgesdd(LAPACK_COL_MAJOR, 'N', A.rows, A.cols, a, A.rows,
                                       sigma.data(), &unused, 1, &unused, 1) != 0)
    sigma.clear();
#else
  (void)A;
#endif
  return sigma;
}

}  // namespace carroll::test
