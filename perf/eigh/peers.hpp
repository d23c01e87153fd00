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

/// cuSOLVER's XsyevBatched, and syevd of one matrix, on a device; elsewhere LAPACK's syev and
/// syevd, members dealt out to the threads.
template <class Real>
std::vector<EighEntrant<Real>> eigh_peers(Exec const& exec, EighShape const& shape);

}  // namespace carroll::perf
