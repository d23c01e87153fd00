// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "determinant/determine.hpp"
#include "files/matrix_file.hpp"
#include "ranks/ranks.hpp"

/// One determinant by several ranks, each of which has rows of the matrix.
namespace carroll::tool {

/// Which rows of a matrix of order n this rank has, in ascending order; nothing where one rank is
/// to do it alone, as `carroll::distributed::determinant` decides. The same on all ranks.
[[nodiscard]] std::optional<std::vector<EntryRange>> determinant_rows(Ranks const& ranks,
                                                                      std::int64_t n,
                                                                      Precision precision);

/// `determine` by elimination in blocks; `rows` are those that determinant_rows has chosen. On
/// hosts the same bits as by one rank. The result is the same on all ranks, all of which call this;
/// needs a Runtime.
template <class Real>
[[nodiscard]] Determination determine_over(Ranks const& ranks, HostMatrix<Real> const& rows,
                                           Progress& progress);

}  // namespace carroll::tool
