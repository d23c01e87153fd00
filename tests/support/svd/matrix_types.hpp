// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/host_matrix.hpp"

namespace carroll::test {

/// The kinds of matrices on which every solver is tried. Each exists for any extents.
///
/// Sources: LAPACK's test programs DDRVBD and DCHKBD (Reference-LAPACK, TESTING/EIG), whose spectra
/// are those of its generator DLATMS; Eigen's SVD tests (test/svd_fill.h, test/svd_common.h);
/// Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., §8.3 (Kahan) and §28.1
/// (Hilbert).
enum class MatrixType {
  // DDRVBD 1–5. "even": σ equally spaced from 1 down to ulp; "dense": U·diag(σ)·Vᵀ, U, V random.
  zero,
  identity,
  dense_even,
  dense_even_underflow,  // × underflow threshold / ulp
  dense_even_overflow,   // × overflow threshold · ulp
  // DCHKBD 3–16. "clustered": 1, ulp, …, ulp.
  diagonal_even,
  diagonal_geometric,
  diagonal_clustered,
  diagonal_even_sqrt_overflow,
  diagonal_even_sqrt_underflow,
  dense_geometric,
  dense_clustered,
  dense_even_sqrt_overflow,
  dense_even_sqrt_underflow,
  random,
  random_sqrt_overflow,
  random_sqrt_underflow,
  log_bidiagonal,  // bidiagonal, entries log-uniform in [ulp², ulp⁻²]
  // Eigen: σ = 10^±77 (float: ±9), some of them repeated; dense, and diagonal.
  wide_spectrum_dense,
  wide_spectrum_diagonal,
  // Classics, and matrices that hurt.
  hilbert,
  kahan,
  golub_kahan_graded,  // bidiagonal, d_i = βⁱ, e_i = βⁱ: σ falls by many orders of magnitude
  graded_rows,
  graded_columns,
  graded_both,
  rank_deficient,    // integer factors: deficient exactly, not up to rounding
  repeated_columns,  // pairs of equal columns
  ones,
  single_entry,
  orthogonal,       // all σ equal
  one_huge_column,  // 10^150 (float: 10^15) times the rest
  near_overflow,    // entries as large as a finite σ₁ allows
  near_underflow,   // entries around the smallest normal number
  denormal,         // entries are small multiples of the smallest denormal number
  uniform01,        // the matrices of the 2020 Jetson study
};

[[nodiscard]] std::string to_string(MatrixType type);
[[nodiscard]] std::vector<MatrixType> const& all_matrix_types();

/// True for types on which Jacobi rotations without a QR factorisation in front are expected to
/// reach the same ratios: everything but strong grading across the columns.
[[nodiscard]] bool suits_plain_jacobi(MatrixType type);

/// The same matrix for the same arguments, everywhere.
template <class Real>
[[nodiscard]] HostMatrix<Real> make_matrix(MatrixType type, int rows, int cols, std::uint64_t seed);

/// U·diag(sigma)·Vᵀ with random orthogonal U (rows×rows) and V (cols×cols); the orthogonal factors
/// are products of Householder reflections (Stewart 1980; LAPACK's DLAROR), computed in double.
[[nodiscard]] HostMatrix<double> random_with_spectrum(int rows, int cols,
                                                      std::vector<double> const& sigma,
                                                      std::uint64_t seed);

/// min(rows, cols) numbers that fall geometrically from 1 to `last`.
[[nodiscard]] std::vector<double> geometric_spectrum(int count, double last);

/// All 9⁴ matrices of order 2 over {0, ±1, ±denorm_min, ±large denormal, ±4.94e-223}, as in Eigen's
/// test; float uses 1e-30 in place of the last, so that products of two entries underflow as well.
template <class Real>
[[nodiscard]] std::vector<HostMatrix<Real>> two_by_two_extremes();

/// Eigen's 3×3 matrix of entries around 10³⁰⁷, scaled into the range of float where Real is float.
template <class Real>
[[nodiscard]] HostMatrix<Real> three_by_three_huge();

/// A = B·D for the test of high relative accuracy: B has singular values that fall geometrically
/// from 1 to 1/condition; D is diagonal, log-uniform over 10^±decades with both ends attained,
/// shuffled. With `permute`, rows and columns of A are shuffled once more.
template <class Real>
[[nodiscard]] HostMatrix<Real> scaled_columns(int rows, int cols, double condition, double decades,
                                              bool permute, std::uint64_t seed);

}  // namespace carroll::test
