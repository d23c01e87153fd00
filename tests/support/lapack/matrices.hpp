// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "support/host_matrix.hpp"

/// The matrices of LAPACK's own test programs (Reference-LAPACK, TESTING/EIG and TESTING/LIN), by
/// the numbers that their documentation gives them, from 1; generated here, in double precision,
/// and rounded once. The same matrix for the same arguments, everywhere.
namespace carroll::test::lapack {

/// Spectra of the generator DLATMS with the largest value 1 and condition `condition`, by MODE.
enum class Spectrum {
  clustered,   ///< 1: one large value
  one_small,   ///< 2: all large but one
  geometric,   ///< 3
  arithmetic,  ///< 4
};
[[nodiscard]] std::vector<double> spectrum(Spectrum mode, int count, double condition);

/// DDRVST's 18 types: zero, identity; diagonal 3–7, dense 8–12 and random 13–15, some of them
/// multiplied by the square root of the overflow or underflow threshold; banded 16–18.
inline constexpr int drvst_types = 18;
template <class Real>
[[nodiscard]] HostMatrix<Real> drvst_matrix(int type, int n, std::uint64_t seed);

/// What a standard eigenproblem can have of DDRVSG, whose own is A·x = λ·B·x with definite B: 1 is
/// that B, geometric eigenvalues with condition 10; 2 is a banded one. 3–16 are DDRVST's 3–12 and
/// 16–18, as A is there, all eigenvalues made positive, and the identity.
inline constexpr int definite_types = 16;
template <class Real>
[[nodiscard]] HostMatrix<Real> definite_matrix(int type, int n, std::uint64_t seed);

/// DCHKQR's 8 types (DLATB4): diagonal, upper, lower triangular; dense of condition 2, √(0.1/ε) and
/// 0.1/ε; near underflow and overflow.
inline constexpr int chkqr_types = 8;
template <class Real>
[[nodiscard]] HostMatrix<Real> chkqr_matrix(int type, int rows, int cols, std::uint64_t seed);

/// DCHKGE's 11 types (DLATB4): 1–4 as DCHKQR's; a first or last column of zeros, n/2 of them; dense
/// of condition √(0.1/ε) and 0.1/ε; near underflow and overflow.
inline constexpr int chkge_types = 11;
[[nodiscard]] constexpr bool is_singular_chkge(int type) {
  return type >= 5 && type <= 7;
}
template <class Real>
[[nodiscard]] HostMatrix<Real> chkge_matrix(int type, int n, std::uint64_t seed);

/// A matrix and its singular values, descending.
template <class Real>
struct KnownMatrix {
  HostMatrix<Real> A;
  std::vector<double> sigma;
};

/// DCHKQ3's types: 1 zero, 2 one small singular value, 3 geometric, 4 clustered (4–6 there, which
/// fix columns in front; `pivoted_qr` fixes none).
inline constexpr int chkq3_types = 4;
template <class Real>
[[nodiscard]] KnownMatrix<Real> chkq3_matrix(int type, int rows, int cols, std::uint64_t seed);

/// DDRVLS's 6 types (DQRT15): of full rank, scaled up, scaled down; of rank 3·min(m, n)/4 and
/// scaled likewise. B, `rhs` columns, is in A's range.
inline constexpr int drvls_types = 6;
template <class Real>
struct LeastSquares {
  HostMatrix<Real> A, B;
  std::vector<double> sigma;
  int rank = 0;
};
template <class Real>
[[nodiscard]] LeastSquares<Real> drvls_problem(int type, int rows, int cols, int rhs,
                                               std::uint64_t seed);

/// DQRT13's matrices, for DGELS: 1 random with a strong diagonal, 2 scaled up, 3 scaled down.
inline constexpr int qrt13_types = 3;
template <class Real>
[[nodiscard]] HostMatrix<Real> qrt13_matrix(int type, int rows, int cols, std::uint64_t seed);

/// Random entries in (-1, 1).
template <class Real>
[[nodiscard]] HostMatrix<Real> random_matrix(int rows, int cols, std::uint64_t seed);

}  // namespace carroll::test::lapack
