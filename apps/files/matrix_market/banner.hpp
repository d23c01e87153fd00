// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "files/matrix_market/lines.hpp"

namespace carroll::tool {

/// What the first line of a Matrix Market file says of it.
struct MatrixMarketBanner {
  bool coordinate = false;
  bool integer = false;
  bool pattern = false;
  bool symmetric = false;       // or skew-symmetric, or Hermitian
  bool skew_symmetric = false;  // A(j, i) = -A(i, j), nothing on the diagonal
  bool hermitian = false;       // A(j, i) is the conjugate of A(i, j)
};

/// Reads it. FileError unless the file holds real numbers or, with `complex`, complex ones.
[[nodiscard]] MatrixMarketBanner read_banner(MatrixMarketLines& lines, bool complex);

}  // namespace carroll::tool
