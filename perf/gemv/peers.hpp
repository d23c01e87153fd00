// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "gemv/problem.hpp"
#include "harness/contender.hpp"

namespace carroll::perf {

/// The product of a problem by another library.

/// cuBLAS on a device; elsewhere OpenBLAS.
template <class T>
std::vector<ProblemEntrant<GemvProblem<T>>> gemv_peers(Exec const& exec);

}  // namespace carroll::perf
