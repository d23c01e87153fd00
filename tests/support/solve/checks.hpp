// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>
#include <string>

#include "support/solve/drivers.hpp"
#include "support/solve/exact.hpp"

namespace carroll::test {

/// The oracle's solution of a system; of complex numbers real parts above imaginary ones.
template <class T>
[[nodiscard]] ExactSolution exact_solution_of(HostSystem<T> const& system) {
  if constexpr (is_complex<T>)
    return exact_solution(embedded(system.A), stacked(system.B), true);
  else
    return exact_solution(system.A, system.B);
}

/// As lapack_solution has it.
template <class T>
[[nodiscard]] auto for_lapack(HostMatrix<T> const& A) {
  if constexpr (is_complex<T>) {
    HostMatrix<std::complex<RealOf<T>>> to(A.rows, A.cols);
    for (std::size_t k = 0; k < A.data.size(); ++k)
      to.data[k] = {A.data[k].real(), A.data[k].imag()};
    return to;
  } else {
    return A;
  }
}

/// Ratios of LAPACK's kind, the worst column's, in units of n·growth·ε.
struct SolveRatios {
  /// DGET02's, row by row: |B - A·X| over ρ_i·Σ σ_j·|x_j|, with the powers of two that bring rows
  /// and columns near 1, or largest entry of A, where it is not scaled. In extended precision.
  double residual = 0;
  /// DGET04's: |X - exact| over |exact|·cond(A), of scaled unknowns; 0 where A is worse
  /// conditioned than the precision allows.
  double error = 0;
};
template <class T>
[[nodiscard]] SolveRatios solve_ratios(HostSystem<T> const& system, ExactSolution const& exact,
                                       HostSolve<T> const& result);

/// What is wrong with a result for finite A and B, "" for nothing: status, ratios, condition
/// (DGET06's comparison) and growth. `inverse`: the system's B is the identity.
template <class T>
[[nodiscard]] std::string what_is_wrong(HostSystem<T> const& system, ExactSolution const& exact,
                                        HostSolve<T> const& result, bool inverse);
template <class T>
[[nodiscard]] std::string what_is_wrong(HostSystem<T> const& system, HostSolve<T> const& result,
                                        bool inverse = false) {
  return what_is_wrong(system, exact_solution_of(system), result, inverse);
}

/// The identity.
template <class T>
[[nodiscard]] HostMatrix<T> identity_matrix(int n) {
  HostMatrix<T> I(n, n);
  for (int i = 0; i < n; ++i) I(i, i) = 1;
  return I;
}

}  // namespace carroll::test
