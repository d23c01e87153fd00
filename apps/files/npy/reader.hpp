// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "files/host_matrix.hpp"
#include "files/input_file.hpp"
#include "files/npy/header.hpp"

namespace carroll::tool {

/// Elements of an array in the order of the file: `count` runs of `length` each, the first from
/// element `first` on, each of the others `stride` behind the one before.
struct NpyRuns {
  std::int64_t first = 0, length = 0, count = 1, stride = 0;
};

/// Reads the array that follows `header`, converting each element to Number: float or double, for
/// which integers beyond 2^24 or 2^53 are rounded to the nearest number, or std::int64_t. FileError
/// when the file holds fewer or more bytes than the header's shape needs, or a finite number that
/// Number cannot hold, which for std::int64_t is also one that is not whole.
template <class Number>
[[nodiscard]] HostMatrix<Number> read_npy(InputFile& file, NpyHeader const& header);

/// The same for a block of it, of a regular file.
template <class Number>
[[nodiscard]] HostMatrix<Number> read_npy(InputFile& file, NpyHeader const& header,
                                          Block const& block);

/// Where the elements of a block are.
[[nodiscard]] NpyRuns runs_of(NpyHeader const& header, Block const& block);

/// The same in the order of the file, two numbers for a complex element: of the whole array, or of
/// some elements of a regular file.
template <class Number>
[[nodiscard]] std::vector<Number> read_npy_numbers(InputFile& file, NpyHeader const& header);
template <class Number>
[[nodiscard]] std::vector<Number> read_npy_numbers(InputFile& file, NpyHeader const& header,
                                                   NpyRuns const& runs);

}  // namespace carroll::tool
