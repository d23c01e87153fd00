// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace carroll::detail {

/// For kernels that scale a matrix by one power of two: columns, rows of R and singular values may
/// be 2^this times smaller than the largest. Products of two squares of that and rounding errors
/// are normal numbers.
template <class Real>
inline constexpr int complex_svd_range = sizeof(Real) == 4 ? 44 : 400;

/// Longest columns of the kernel of blocks of columns: a thread holds one on its stack.
inline constexpr int complex_host_block_rows = 2048;

}  // namespace carroll::detail
