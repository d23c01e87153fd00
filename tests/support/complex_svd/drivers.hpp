// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/svd/types.hpp>
#include <complex>
#include <string>
#include <vector>

#include "support/host_matrix.hpp"
#include "support/random.hpp"
#include "support/view_layout.hpp"

namespace carroll::test {

template <class Real>
using ComplexMatrix = HostMatrix<std::complex<Real>>;

/// A call of `svd` for complex matrices.
struct ComplexCall {
  SvdVectors u = SvdVectors::thin, v = SvdVectors::thin;
  SvdOptions options;
  ViewLayout layout = ViewLayout::left;  ///< of all Views
  bool workspace = false;                ///< made before, and used twice
  /// Each member of a batch by itself, where it lies, all enqueued before one is waited for; not
  /// with ViewLayout::left.
  bool one_by_one = false;
};

[[nodiscard]] inline ComplexCall complex_call(SvdVectors u, SvdVectors v,
                                              SvdOptions const& options = {}) {
  return {u, v, options, ViewLayout::left, false, false};
}

template <class Real>
struct HostComplexSvd {
  SvdInfo<Real> info;
  ComplexMatrix<Real> U;  // 0 columns where not wanted
  std::vector<Real> S;
  ComplexMatrix<Real> V;
  bool guarded = true;  ///< nothing was written beside the outputs, or to the inputs
};

/// Matrices of equal extents as one uniform batch.
template <class Real>
[[nodiscard]] std::vector<HostComplexSvd<Real>> run_complex_svd_batch(
    std::vector<ComplexMatrix<Real>> const& matrices, ComplexCall const& call = {},
    Kokkos::DefaultExecutionSpace const& exec = {});

/// One matrix, Views of rank 2.
template <class Real>
[[nodiscard]] HostComplexSvd<Real> run_complex_svd(ComplexMatrix<Real> const& matrix,
                                                   ComplexCall const& call = {},
                                                   Kokkos::DefaultExecutionSpace const& exec = {});

/// The same bits in S, in vectors that both have, and in the infos.
template <class Real>
[[nodiscard]] bool same_result(HostComplexSvd<Real> const& a, HostComplexSvd<Real> const& b);

/// What is wrong with the decomposition of a finite matrix, "" if nothing is: LAPACK's ratios for
/// residual and orthogonality, the singular values against those in quad precision (`relative`: in
/// each digit), and the status.
template <class Real>
[[nodiscard]] std::string what_is_wrong(ComplexMatrix<Real> const& A,
                                        HostComplexSvd<Real> const& result, bool relative = false);

/// Normally distributed parts.
template <class Real>
[[nodiscard]] ComplexMatrix<Real> random_complex(Random& random, int rows, int cols);

/// Columns (or rows) times powers of two.
template <class Real>
[[nodiscard]] ComplexMatrix<Real> scaled_columns(ComplexMatrix<Real> A,
                                                 std::vector<int> const& exponents);
template <class Real>
[[nodiscard]] ComplexMatrix<Real> conjugate_transposed(ComplexMatrix<Real> const& A);

}  // namespace carroll::test
