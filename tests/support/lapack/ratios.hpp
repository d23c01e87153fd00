// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "support/host_matrix.hpp"

/// The ratios of LAPACK's test programs (Reference-LAPACK, TESTING/EIG and TESTING/LIN), under the
/// names that they have there, summed in extended precision. ‖·‖ is the 1-norm. As there, those of
/// TESTING/EIG are in units of `ulp`, the distance from 1 to the next number, and those of
/// TESTING/LIN of `eps`, half of it. What is not finite, or not 0 where A is, makes a ratio +Inf.
namespace carroll::test::lapack {

/// DSYT21: ‖A - Z·diag(w)·Zᵀ‖/(‖A‖·n·ulp).
template <class Real>
[[nodiscard]] double syt21(HostMatrix<Real> const& A, std::vector<Real> const& w,
                           HostMatrix<Real> const& Z);
/// DSYT21, DORT01: ‖I - Z·Zᵀ‖/(n·ulp).
template <class Real>
[[nodiscard]] double ort01(HostMatrix<Real> const& Z);
/// DDRVST: max|a - b|/(max(|a|, |b|)·ulp).
template <class Real>
[[nodiscard]] double values_apart(std::vector<Real> const& a, std::vector<Real> const& b);

/// DQRT01 (Q square), DQRT02 (fewer columns): ‖R - QᵀA‖/(m·‖A‖·eps).
template <class Real>
[[nodiscard]] double qrt01(HostMatrix<Real> const& A, HostMatrix<Real> const& Q,
                           HostMatrix<Real> const& R);
/// DQRT01, DQRT02, DQRT11: ‖I - QᵀQ‖/(m·eps).
template <class Real>
[[nodiscard]] double qrt11(HostMatrix<Real> const& Q);
/// DQPT01: ‖A·P - Q·R‖/(max(m, n)·‖A‖·eps); column j of A·P is column P[j] of A.
template <class Real>
[[nodiscard]] double qpt01(HostMatrix<Real> const& A, HostMatrix<Real> const& Q,
                           HostMatrix<Real> const& R, std::vector<int> const& P);
/// DQRT12: Σ|σ(R) - sigma|/(‖sigma‖₂·max(m, n)·eps), σ(R) by an oracle.
template <class Real>
[[nodiscard]] double qrt12(HostMatrix<Real> const& R, std::vector<double> const& sigma,
                           int longest);

/// DQRT16: ‖b - A·x‖/(max(m, n)·‖A‖·‖x‖·eps), the worst column.
template <class Real>
[[nodiscard]] double qrt16(HostMatrix<Real> const& A, HostMatrix<Real> const& X,
                           HostMatrix<Real> const& B);
/// DQRT17: ‖rᵀA‖/(‖A‖·‖B‖·max(m, n, columns)·eps) with r = B - A·X, or over the largest entry of r
/// where B is not in A's range.
template <class Real>
[[nodiscard]] double qrt17(HostMatrix<Real> const& A, HostMatrix<Real> const& X,
                           HostMatrix<Real> const& B, bool in_range);
/// DQRT14: how much of X is outside of A's row space, both scaled to largest entries 1: the largest
/// entry of what a QR factorisation of [Aᵀ X] leaves below A's rows, in max(m, n, columns)·eps.
/// That is nothing unless A has fewer rows than columns.
template <class Real>
[[nodiscard]] double qrt14(HostMatrix<Real> const& A, HostMatrix<Real> const& X);

/// DGET02: ‖b - A·x‖/(‖A‖·‖x‖·eps), the worst column.
template <class Real>
[[nodiscard]] double get02(HostMatrix<Real> const& A, HostMatrix<Real> const& X,
                           HostMatrix<Real> const& B);
/// DGET03: ‖I - A·Y‖/(n·‖A‖·‖Y‖·eps), or that of Y·A, whichever is larger.
template <class Real>
[[nodiscard]] double get03(HostMatrix<Real> const& A, HostMatrix<Real> const& Y);
/// DGET04: the largest entry of x - exact over that of exact, times rcond/eps, the worst column.
template <class Real>
[[nodiscard]] double get04(HostMatrix<Real> const& X, HostMatrix<Real> const& exact, double rcond);
/// DGET06: how far two reciprocal condition numbers are apart.
template <class Real>
[[nodiscard]] double get06(Real found, double exact);

}  // namespace carroll::test::lapack
