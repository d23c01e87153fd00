// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/matrix_file.hpp"

namespace carroll::tool {

/// Names of the arrays in the input directory of `carroll pinv`.
struct ArrowFiles {
  std::string motion, depth, offsets, residual;

  /// FileError where it is a file.
  explicit ArrowFiles(std::string const& directory);
};

/// FileError unless the array has so many rows, of one column if only one may be.
void require_rows(std::string const& file, AnyMatrix const& array, std::int64_t rows,
                  bool one_column);

/// Segment offsets of a frame with so many rows, or, of `frames` frames, of each of them, from
/// `part.begin` on: of all the same ones if the array is a vector, else a row for each.
[[nodiscard]] std::vector<int> read_offsets(std::string const& file, std::int64_t rows);
[[nodiscard]] std::vector<int> read_offsets(std::string const& file, std::int64_t rows,
                                            std::int64_t frames, EntryRange part);

/// What can be known about the output before the work is done.
void check_pinv_output(std::string const& prefix, ArrowFiles const& inputs);

}  // namespace carroll::tool
