// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "files/host_matrix.hpp"

namespace carroll::tool {

/// Reads the matrix in `path`, a NumPy .npy or a Matrix Market .mtx file; what the file begins with
/// decides which. Without `precision` f4 is read as single and everything else as double.
/// FileError when the file cannot be read or holds no matrix of real numbers.
[[nodiscard]] AnyMatrix read_matrix(std::string const& path, std::optional<Precision> precision);

/// The same for a matrix of integers of 64 bits, none of which is rounded on its way:
/// floating-point numbers pass if they are whole. FileError names the first entry that is none.
[[nodiscard]] HostMatrix<std::int64_t> read_integer_matrix(std::string const& path);
/// Reads the vector or matrix in the NumPy file `path`; a vector is a matrix of one column, and
/// told in `is_vector`.
[[nodiscard]] AnyMatrix read_array(std::string const& path, std::optional<Precision> precision,
                                   bool* is_vector = nullptr);

}  // namespace carroll::tool
