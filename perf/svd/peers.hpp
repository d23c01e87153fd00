// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/context.hpp"
#include "svd/contender.hpp"
#include "svd/cuda_peers.hpp"
#include "svd/host_peers.hpp"

namespace carroll::perf {

/// A driver of another library, by name: "lapack_gesdd", "cusolver_gesvda" …
template <class Real>
using SvdPeer = Entrant<SvdContender<Real>, std::span<Real const>>;

/// Every driver this was built with that solves problems of that shape.
template <class Real>
std::vector<SvdPeer<Real>> svd_peers([[maybe_unused]] Exec const& exec,
                                     [[maybe_unused]] SvdShape const& shape) {
  std::vector<SvdPeer<Real>> peers;
#ifdef CARROLL_PERF_HAVE_LAPACKE
  for (HostDriver const driver : host_drivers)
    if (host_peer_fits(driver, shape))
      peers.push_back({"lapack_" + std::string(to_string(driver)), !on_device,
                       [driver, shape](std::span<Real const> A) {
                         return make_host_peer<Real>(driver, shape, A, host_threads());
                       }});
#endif
#ifdef CARROLL_PERF_HAVE_CUSOLVER
  for (CudaDriver const driver : cuda_drivers)
    if (cuda_peer_fits(driver, shape))
      peers.push_back({"cusolver_" + std::string(to_string(driver)), true,
                       [exec, driver, shape](std::span<Real const> A) {
                         return make_cuda_peer<Real>(driver, shape, A, native_stream(exec));
                       }});
#endif
  return peers;
}

}  // namespace carroll::perf
