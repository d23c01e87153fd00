// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "support/blas/reduction_drivers.hpp"

namespace carroll::test {

/// By the kernels of devices with warps, on a host whose threads take turns; empty where a device
/// is there itself. `tidy`: did they leave their workspace as they found it?
template <Reduction R, class T>
std::vector<ReductionInfo<ReductionValue<R, T>>> reduced_by_warps(
    std::vector<std::vector<T>> const& x, std::vector<std::vector<T>> const& y, int stride,
    int offset, Summation summation, bool conjugate, bool& tidy);

}  // namespace carroll::test
