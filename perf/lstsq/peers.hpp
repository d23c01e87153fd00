// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "harness/context.hpp"
#include "lstsq/problem.hpp"

namespace carroll::perf {

/// LAPACK's gelsd and gelss on a host, members dealt out to the threads; for pseudoinverses with
/// the identity as right-hand sides. On devices cuBLAS' gelsBatched, for full rank and m >= n, as
/// there is nothing of any rank.
template <class Real>
std::vector<SystemEntrant<LstsqData<Real>>> lstsq_peers(Exec const& exec, LstsqShape const& shape);

}  // namespace carroll::perf
