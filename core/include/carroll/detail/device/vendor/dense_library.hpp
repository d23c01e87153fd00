// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/vendor/libraries.hpp>
#include <cstddef>

/// Eigenvectors and products of square matrices of doubles by the library of a device's vendor.
/// Where has_dense_library says so there is
///
///   template <class ExecSpace> class DenseLibrary {
///     using execution_space = ExecSpace;
///     explicit DenseLibrary(ExecSpace const&);
///     LibraryBytes eigenvector_bytes(int n) const;
///     void eigenvectors(ExecSpace const&, int n, double* A, double* W, int* info,
///                       LibraryBuffers const&) const;
///     void product(ExecSpace const&, int n, double const* A, double const* B, double beta,
///                  double* C) const;
///     void gram(ExecSpace const&, int n, double const* A, double* C) const;
///   };
///
/// One call at a time may use it. All pointers are of the device, and so is the work, enqueued on
/// the instance; the host may be blocked until it is done. Matrices are n×n, column by column
/// without gaps. The same call gives the same bits. Nothing is allocated.
///
/// `eigenvectors` reads the upper triangle of a symmetric A and overwrites A by its eigenvectors; W
/// by the eigenvalues, n numbers, ascending; info by 0 or what the library has to complain of. It
/// is lent what `eigenvector_bytes` has asked for. `product`: C := A·B + beta·C. `gram`: the
/// upper triangle of C := that of AᵀA.
namespace carroll::detail {

struct LibraryBytes {
  std::size_t device = 0, host = 0;
};

/// Memory for a call, as many bytes as were asked for.
struct LibraryBuffers {
  void* device;
  void* host;
  LibraryBytes bytes;
};

}  // namespace carroll::detail

#if defined(KOKKOS_ENABLE_CUDA) && defined(CARROLL_HAVE_CUSOLVER)
#include <carroll/detail/device/cuda/dense_library.hpp>
#endif
