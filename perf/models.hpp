// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "contender.hpp"

namespace carroll::perf {

/// Nominal operations of an SVD: the same number for every method on a case, so that rates compare
/// as inverse times do. It is the cheaper of the two bidiagonalisation counts of Golub and Van
/// Loan, Matrix Computations, fig. 8.6.1 (with and without a QR factorisation first), for m ≥ n:
/// values only 4mn² − 4n³/3 or 2mn² + 2n³; thin U, S, V 14mn² + 8n³ or 6mn² + 20n³.
inline double svd_flops(SvdShape const& shape) {
  double const m = std::max(shape.rows, shape.cols);
  double const n = std::min(shape.rows, shape.cols);
  double const direct =
      shape.vectors ? 14 * m * n * n + 8 * n * n * n : 4 * m * n * n - 4.0 / 3 * n * n * n;
  double const with_qr =
      shape.vectors ? 6 * m * n * n + 20 * n * n * n : 2 * m * n * n + 2 * n * n * n;
  return shape.batch * std::min(direct, with_qr);
}

/// Compulsory traffic: A read once, each output written once.
template <class Real>
double svd_bytes(SvdShape const& shape) {
  double elements = static_cast<double>(shape.matrix_size()) + shape.rank();
  if (shape.vectors) elements += static_cast<double>(shape.u_size() + shape.v_size());
  return shape.batch * elements * sizeof(Real);
}

}  // namespace carroll::perf
