// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/truncated_svd/dispatch.hpp>
#include <carroll/distributed/randomized_svd/types.hpp>
#include <carroll/distributed/tall_layout.hpp>
#include <cstdint>

/// Sizes of a randomised SVD, on which its bits depend, and its problem.
namespace carroll::distributed::detail {

using carroll::detail::StridedMatrix;
using carroll::detail::StridedVector;

/// Columns of the subspace.
inline int sketch_width(std::int64_t rows, std::int64_t cols, std::int64_t rank,
                        RandomizedSvdOptions const& options) {
  TruncatedSvdOptions same;
  same.oversampling = options.oversampling;
  return carroll::detail::subspace_width({rows, cols, rank}, same);
}

/// Rows of a stretch, whose product with Q is a term of QᵀA: whole blocks of Y's QR, and so many
/// that the terms are cheap to add.
template <class Real>
std::int64_t stretch_rows(std::int64_t cols, int width) {
  std::int64_t rows = std::max<std::int64_t>(4096, tall_block_rows<Real>(width));
  while (rows < cols / 4) rows *= 2;
  return rows;
}

/// A call's problem on one rank, with the caller's Views.
template <class Real>
struct RandomizedProblem {
  int rows, cols, rank, width;
  StridedMatrix<Real> u, v;
  StridedVector<Real> s;
};

}  // namespace carroll::distributed::detail
