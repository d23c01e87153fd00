// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/vendor/libraries.hpp>
#include <cstddef>

/// The eigensolver of a device's vendor for dense symmetric matrices. Where has_eigensolver() says
/// so there is
///
///   template <class ExecSpace, class Real> class Eigensolver {
///     using execution_space = ExecSpace;
///     using scalar_type = Real;
///     explicit Eigensolver(ExecSpace const&);
///     static std::size_t device_memory(ExecSpace const&);  // bytes that the device has
///     EigensolverBytes bytes(EigensolverCall const&) const;
///     void solve(ExecSpace const&, EigensolverCall const&, Real* A, Real* W, int* infos,
///                EigensolverBuffers const&) const;
///   };
///
/// One call at a time may use it. `solve` reads the lower triangles of `count` matrices, n×n,
/// column by column and one behind the other, and overwrites them, where wanted by the vectors; W,
/// n numbers of each, ascending; infos, of each 0 or what the library has to complain of. All are
/// of the device, and so is the work, enqueued on the instance; the host may be blocked until it is
/// done. It allocates nothing: it is lent what `bytes` has asked for.
namespace carroll::detail {

/// The matrices of a call. What the library does with one alone and with several differs, and so do
/// the bits; for which orders they are the same for any two or more is the caller's to know.
struct EigensolverCall {
  int n = 0;
  int count = 1;
  bool vectors = true;
};

struct EigensolverBytes {
  std::size_t device = 0, host = 0;
};

/// Memory for a call, as many bytes as were asked for.
struct EigensolverBuffers {
  void* device;
  void* host;
  EigensolverBytes bytes;
};

}  // namespace carroll::detail

#if defined(KOKKOS_ENABLE_CUDA) && defined(CARROLL_HAVE_CUSOLVER)
#include <carroll/detail/device/cuda/eigensolver.hpp>
#endif
