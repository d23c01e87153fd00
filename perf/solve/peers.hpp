// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "harness/context.hpp"
#include "solve/problem.hpp"

namespace carroll::perf {

/// LAPACK's gesv, alone and with gecon, or getrf and getri, on a host, members dealt out to the
/// threads; on a device cuBLAS' getrfBatched with getrsBatched or getriBatched.
template <class Real>
std::vector<SystemEntrant<SolveData<Real>>> solve_peers(Exec const& exec, SolveShape const& shape);

}  // namespace carroll::perf
