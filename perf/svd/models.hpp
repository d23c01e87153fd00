// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>

#include "svd/contender.hpp"

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

/// The least that a phase of a solution with thin U and V takes: its operations, and its traffic
/// when whatever it touches stays in an unlimited cache. Times follow from the machine's rates.
struct SvdPhase {
  char const* name;
  double flops;
  double bytes;
};

/// The phases of a one-sided Jacobi method with two QR factorisations before it (Drmač and Veselić,
/// 2008), m ≥ n:
///   factorisations  A = QR and Rᵀ = Q₁L: 2n²(m − n/3) and 4n³/3 flops; A read, both factors
///   written sweeps          n(n−1)/2 pairs, each a dot product (2n) and a rotation (6n): about 4n³
///   flops,
///                   and the factor read and written, once a sweep
///   vectors         Q and Q₁ applied to n columns, 4mn² − 2n³ and 2n³, and a triangular solve, n³;
///                   both factors and the rotated one read, U and V written
template <class Real>
std::array<SvdPhase, 3> svd_phases(SvdShape const& shape, int sweeps) {
  double const m = std::max(shape.rows, shape.cols);
  double const n = std::min(shape.rows, shape.cols);
  double const element = shape.batch * static_cast<double>(sizeof(Real));
  return {
      {{"factorisations", shape.batch * (2 * n * n * (m - n / 3) + 4.0 / 3 * n * n * n),
        element * (2 * m * n + n * n)},
       {"sweeps", shape.batch * sweeps * 4 * n * n * n, element * sweeps * 2 * n * n},
       {"vectors", shape.batch * (4 * m * n * n + n * n * n), element * (2 * m * n + 3 * n * n)}}};
}

}  // namespace carroll::perf
