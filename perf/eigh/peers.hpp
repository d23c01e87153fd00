// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eigh/problem.hpp"
#include "harness/context.hpp"

namespace carroll::perf {

template <class Real>
using EighEntrant = Entrant<EighContender<Real>, std::vector<Real> const&>;

/// LAPACK's syev and syevd on the host, members dealt out to the threads.
template <class Real>
std::vector<EighEntrant<Real>> host_eigh_peers(EighShape const& shape);

/// cuSOLVER's XsyevBatched, and Xsyevd of one matrix.
template <class Real>
std::vector<EighEntrant<Real>> cuda_eigh_peers(Exec const& exec, EighShape const& shape);

/// Every driver that this was built with.
template <class Real>
std::vector<EighEntrant<Real>> eigh_peers([[maybe_unused]] Exec const& exec,
                                          [[maybe_unused]] EighShape const& shape) {
  std::vector<EighEntrant<Real>> peers;
#ifdef CARROLL_PERF_HAVE_CUSOLVER
  for (auto const& peer : cuda_eigh_peers<Real>(exec, shape)) peers.push_back(peer);
#endif
#ifdef CARROLL_PERF_HAVE_LAPACKE
  for (auto const& peer : host_eigh_peers<Real>(shape)) peers.push_back(peer);
#endif
  return peers;
}

}  // namespace carroll::perf
