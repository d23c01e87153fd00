// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace carroll::perf {

/// Threads of the library behind LAPACKE.
void set_library_threads(int threads);

/// Of the OpenMP thread that calls; 0 without OpenMP.
int thread_index();

/// Name, version and build of the library behind LAPACKE.
std::string host_library();

/// FLOP/s of an n×n×n matrix product through the host BLAS: the best of several runs.
template <class Real>
double host_gemm_rate(int n, int threads);

}  // namespace carroll::perf
