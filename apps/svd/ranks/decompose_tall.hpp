// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "files/matrix_file.hpp"
#include "ranks/ranks.hpp"
#include "svd/decompose.hpp"

/// The decomposition of a tall matrix by `carroll::distributed::tall_svd`: by one rank or several,
/// each of which has rows, with the same bits.
namespace carroll::tool {

/// Which rows of a matrix with at least as many rows as columns this rank has.
[[nodiscard]] EntryRange tall_rows(Ranks const& ranks, std::int64_t rows, std::int64_t cols,
                                   Precision precision);

/// `decompose` of `all_rows` rows, of which A has those of `tall_rows`. U and the residual are the
/// first rank's, the rest is the same on all, which all call this. Needs a Runtime.
template <class Real>
[[nodiscard]] Decomposition<Real> decompose_tall(Ranks const& ranks, HostMatrix<Real> const& A,
                                                 std::int64_t all_rows,
                                                 DecomposeOptions const& options,
                                                 Progress& progress);

}  // namespace carroll::tool
