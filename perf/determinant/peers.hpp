// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "determinant/contender.hpp"
#include "determinant/host_peer.hpp"
#include "determinant/matrices.hpp"
#include "determinant/reference.hpp"
#include "harness/context.hpp"
#include "libraries/cuda_library.hpp"
#ifdef CARROLL_PERF_HAVE_CUSOLVER
#include "determinant/cuda_peers.hpp"
#endif

namespace carroll::perf {

/// Who computes determinants, by name: "lapack_getrf", "cusolver_Xgetrf", "carroll_blocked" …
template <class Real>
using DeterminantSolver = Entrant<DeterminantContender<Real>, DeterminantMatrices<Real>&>;

/// Every factorisation this was built with that is somebody's choice for matrices of that shape.
template <class Real>
std::vector<DeterminantSolver<Real>> determinant_peers(
    [[maybe_unused]] Exec const& exec, [[maybe_unused]] DeterminantShape const& shape) {
  std::vector<DeterminantSolver<Real>> peers;
#ifdef CARROLL_PERF_HAVE_LAPACKE
  if (shape.n <= 4096)
    peers.push_back({"lapack_getrf", !on_device, [](DeterminantMatrices<Real>& matrices) {
                       return make_lapack_determinant<Real>(matrices.shape(), matrices.host(),
                                                            host_threads());
                     }});
#endif
#ifdef CARROLL_PERF_HAVE_CUSOLVER
  for (CudaFactorisation const which : cuda_factorisations(shape))
    peers.push_back({to_string(which), true, [exec, which](DeterminantMatrices<Real>& matrices) {
                       return make_cuda_determinant<Real>(exec, which, matrices);
                     }});
#endif
  return peers;
}

/// What the sampled members of `uniform_determinant_matrices` are checked against: LAPACK in double
/// precision, above order 4096 cuSOLVER in double precision; empty where neither is at hand.
template <class Real>
std::vector<DeterminantReference> determinant_references(
    [[maybe_unused]] Exec const& exec, [[maybe_unused]] DeterminantMatrices<Real> const& matrices) {
  [[maybe_unused]] DeterminantShape const shape = matrices.shape();
  std::vector<DeterminantReference> references;
#ifdef CARROLL_PERF_HAVE_LAPACKE
  if (shape.n <= 4096)
    for (int const member : sampled_members(shape))
      references.push_back(lapack_reference(shape.n, matrices.member(member), host_threads()));
#endif
#ifdef CARROLL_PERF_HAVE_CUSOLVER
  if (shape.n > 4096) {
    auto const same = uniform_determinant_matrices<double>(exec, shape);
    auto const peer = make_cuda_determinant<double>(exec, CudaFactorisation::cusolver_Xgetrf, same);
    peer->restore();
    peer->run();
    peer->fence();
    auto const values = peer->values();
    for (int const member : sampled_members(shape))
      references.push_back({values[static_cast<std::size_t>(member)], 4.0 * shape.n});
  }
#endif
  return references;
}

/// Bytes of device memory that nobody has allocated; 0 where that is not known.
inline std::size_t free_bytes() {
#ifdef CARROLL_PERF_HAVE_CUSOLVER
  return cuda_free_bytes();
#else
  return 0;
#endif
}

}  // namespace carroll::perf
