// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "files/host_matrix.hpp"
#include "progress.hpp"

namespace carroll::tool {

/// What is made of A, B and C: this header leaves Kokkos out, so that only the file behind it is
/// compiled for the device.
struct ProductWishes {
  double alpha = 1;
  double beta = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  std::string method = "automatic";  ///< an enumerator of GemmMethod
};

struct ProductSummary {
  std::string status;  ///< non_finite: an entry of the result is not finite
  std::string backend;
  std::optional<std::string> method;  ///< of gemm
  std::optional<std::string> kernel;  ///< of a product
  double norm = 0;                    ///< of all entries: Frobenius'
  double seconds = 0;
};

template <class Real>
struct MatrixResult {
  ProductSummary summary;
  HostMatrix<Real> C;
};

// Each copies its matrices to the device, works there and brings the result back. Extents must fit;
// a C that does not exist is without columns, and beta is 0 then. std::runtime_error where alpha or
// beta is beyond the precision. Each needs a Runtime.

/// alpha op(A) x + beta y of single columns x and y.
template <class Real>
[[nodiscard]] MatrixResult<Real> multiply_vector(HostMatrix<Real> const& A,
                                                 HostMatrix<Real> const& x,
                                                 HostMatrix<Real> const& y,
                                                 ProductWishes const& wishes, Progress& progress);

/// alpha op(A) op(B) + beta C
template <class Real>
[[nodiscard]] MatrixResult<Real> multiply(HostMatrix<Real> const& A, HostMatrix<Real> const& B,
                                          HostMatrix<Real> const& C, ProductWishes const& wishes,
                                          Progress& progress);

/// alpha A + beta B
template <class Real>
[[nodiscard]] MatrixResult<Real> combine(HostMatrix<Real> const& A, HostMatrix<Real> const& B,
                                         ProductWishes const& wishes, Progress& progress);

}  // namespace carroll::tool
