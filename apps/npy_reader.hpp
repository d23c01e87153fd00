// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "host_matrix.hpp"
#include "input_file.hpp"
#include "npy_header.hpp"

namespace carroll::tool {

/// Reads the array that follows `header`, converting each element to Real. Integers beyond 2^53
/// (2^24 in single precision) are rounded to the nearest number. FileError when the file holds
/// fewer or more bytes than the header's shape needs, or a finite number that Real cannot hold.
template <class Real>
[[nodiscard]] HostMatrix<Real> read_npy(InputFile& file, NpyHeader const& header);

}  // namespace carroll::tool
