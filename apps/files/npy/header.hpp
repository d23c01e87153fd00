// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/host_matrix.hpp"
#include "files/input_file.hpp"

namespace carroll::tool {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// What the header of a NumPy .npy file says. Specification: the NEP "A simple file format for
/// NumPy arrays" and the documentation of numpy.lib.format, versions 1.0, 2.0 and 3.0.
struct NpyHeader {
  char kind = 'f';             ///< 'f' floating point, 'i' signed, 'u' unsigned, 'b' boolean
  int item_size = 8;           ///< bytes of one number
  int parts = 1;               ///< numbers of one element: 2 of a complex one
  bool swap_bytes = false;     ///< the file's byte order is not this machine's
  bool fortran_order = false;  ///< column after column; otherwise row after row
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  bool is_vector = false;  ///< of one dimension
  /// Of three dimensions: a row for each matrix, which has so many rows and columns itself.
  bool is_batch = false;
  std::int64_t member_rows = 0;
  std::int64_t member_cols = 0;
};

/// What an array may be, beside a matrix of f2, f4, f8, integers or bool.
struct NpyAllowed {
  bool vectors = false;  ///< of one dimension: a single column
  bool complex = false;  ///< c8 and c16
  bool batches = false;  ///< of three dimensions
};

/// Consumes the header of `file`. FileError when it is malformed, or when the array is not allowed.
[[nodiscard]] NpyHeader read_npy_header(InputFile& file, NpyAllowed const& allowed = {});

/// Single for f2, f4 and c8, double for all else, unless one is wanted.
[[nodiscard]] Precision precision_to_use(NpyHeader const& header,
                                         std::optional<Precision> precision);

}  // namespace carroll::tool
