// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "host_matrix.hpp"

namespace carroll::tool {

/// Reads the matrix in `path`, a NumPy .npy or a Matrix Market .mtx file; what the file begins with
/// decides which. Without `precision` f4 is read as single and everything else as double.
/// FileError when the file cannot be read or holds no matrix of real numbers.
[[nodiscard]] AnyMatrix read_matrix(std::string const& path, std::optional<Precision> precision);

}  // namespace carroll::tool
