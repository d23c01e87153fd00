// SPDX-License-Identifier: BSD-3-Clause
#include "flint_oracle.hpp"

#ifdef CARROLL_TEST_HAVE_FLINT
#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>
#endif

namespace carroll::test {

#ifdef CARROLL_TEST_HAVE_FLINT

bool have_flint() {
  return true;
}

std::string flint_determinant(HostMatrix<std::int64_t> const& A) {
  static_assert(sizeof(slong) == sizeof(std::int64_t));
  fmpz_mat_t matrix;
  fmpz_mat_init(matrix, A.rows, A.cols);
  for (int i = 0; i < A.rows; ++i)
    for (int j = 0; j < A.cols; ++j) fmpz_set_si(fmpz_mat_entry(matrix, i, j), A(i, j));
  fmpz_t determinant;
  fmpz_init(determinant);
  fmpz_mat_det(determinant, matrix);
  char* const digits = fmpz_get_str(nullptr, 10, determinant);
  std::string text(digits);
  flint_free(digits);
  fmpz_clear(determinant);
  fmpz_mat_clear(matrix);
  flint_cleanup();
  return text;
}

#else

bool have_flint() {
  return false;
}

std::string flint_determinant(HostMatrix<std::int64_t> const&) {
  return {};
}

#endif

}  // namespace carroll::test
