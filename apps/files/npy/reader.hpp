// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "files/host_matrix.hpp"
#include "files/input_file.hpp"
#include "files/npy/header.hpp"

namespace carroll::tool {

/// Reads the array that follows `header`, converting each element to Number: float or double, for
/// which integers beyond 2^24 or 2^53 are rounded to the nearest number, or std::int64_t. FileError
/// when the file holds fewer or more bytes than the header's shape needs, or a finite number that
/// Number cannot hold, which for std::int64_t is also one that is not whole.
template <class Number>
[[nodiscard]] HostMatrix<Number> read_npy(InputFile& file, NpyHeader const& header);

/// The same in the order of the file, two numbers for a complex element.
template <class Number>
[[nodiscard]] std::vector<Number> read_npy_numbers(InputFile& file, NpyHeader const& header);

}  // namespace carroll::tool
