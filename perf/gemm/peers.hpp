// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gemm/problem.hpp"
#include "harness/contender.hpp"

namespace carroll::perf {

/// C := A·B of a problem by another library.

/// cuBLAS on a device, strided batches by its function for these; elsewhere OpenBLAS, members one
/// after the other.
template <class T>
std::vector<ProblemEntrant<GemmProblem<T>>> gemm_peers(Exec const& exec);

}  // namespace carroll::perf
