// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "blas/multiply.hpp"
#include "blas/reduce.hpp"
#include "files/matrix_file.hpp"
#include "ranks/ranks.hpp"
#include "ranks/sharing.hpp"

/// Sums and products by several ranks, each of which has a part: the bits of one. All ranks call
/// them; those that compute need a Runtime.
namespace carroll::tool {

/// What this rank has of so many terms of a sum.
[[nodiscard]] EntryRange terms_of(Ranks const& ranks, std::int64_t count);

/// `reduce` of this rank's entries; the result is the same on all.
template <class Real>
[[nodiscard]] Reduced reduce_over(Ranks const& ranks, HostEntries<Real> const& x,
                                  HostEntries<Real> const& y, ReductionWishes const& wishes,
                                  Progress& progress);

/// A matrix of which each rank has rows, or each has columns: this one a block.
struct SharedExtents {
  std::int64_t rows = 0, cols = 0;  ///< of the whole
  Engine engine = Engine::rows;     ///< or columns
  Block block;
};

/// How ranks share a matrix of which these are the extents: they take sums, or, where each sum is
/// of more terms than there are sums, and of a chunk of the tree at least for each rank, terms.
[[nodiscard]] SharedExtents shared_extents(Ranks const& ranks, std::int64_t rows, std::int64_t cols,
                                           bool transpose);

template <class Real>
struct SharedMatrix : SharedExtents {
  HostMatrix<Real> entries;  ///< of the block
};

/// `multiply_vector` with a matrix that the ranks share; x and y are whole. The result is the first
/// rank's, without entries on the others.
template <class Real>
[[nodiscard]] MatrixResult<Real> multiply_vector_over(
    Ranks const& ranks, SharedMatrix<Real> const& A, HostMatrix<Real> const& x,
    HostMatrix<Real> const& y, ProductWishes const& wishes, Progress& progress);

}  // namespace carroll::tool
