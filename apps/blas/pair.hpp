// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "files/matrix_file.hpp"

namespace carroll::tool {

/// Are the entries of y, of these extents and in that order, to be put into the order of x?
template <class Real>
[[nodiscard]] bool must_turn(HostEntries<Real> const& x, std::int64_t rows, std::int64_t cols,
                             bool by_rows) {
  bool const vectors = (x.rows == 1 || x.cols == 1) && (rows == 1 || cols == 1);
  return !vectors && x.by_rows != by_rows;
}

/// x and y as `carroll dot` takes them: both in double precision if one is, both complex if one is,
/// and both in the order of x. FileError, of y's file, where they do not have the same number of
/// entries, or are matrices of different shapes.
[[nodiscard]] std::pair<AnyEntries, AnyEntries> paired(AnyEntries x, AnyEntries y,
                                                       std::string const& x_file,
                                                       std::string const& y_file);

/// Matrices of single precision in double precision where one of `all` is.
void to_one_precision(std::vector<AnyMatrix>& all);

}  // namespace carroll::tool
