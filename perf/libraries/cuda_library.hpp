// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace carroll::perf {

/// Version of cuSOLVER, and the CUDA versions of runtime and driver.
std::string cusolver_version();
std::string cuda_version();

/// FLOP/s of an n×n×n matrix product through cuBLAS: the best of several runs.
template <class Real>
double cuda_gemm_rate(int n, void* stream);

/// Bytes of device memory that nobody has allocated.
std::size_t cuda_free_bytes();

}  // namespace carroll::perf
