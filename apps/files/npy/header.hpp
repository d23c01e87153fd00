// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
};

/// What an array may be, beside a matrix of f4, f8, integers or bool.
struct NpyAllowed {
  bool vectors = false;  ///< of one dimension: a single column
  bool complex = false;  ///< c8 and c16
};

/// Consumes the header of `file`. FileError when it is malformed, or when the array is not allowed.
[[nodiscard]] NpyHeader read_npy_header(InputFile& file, NpyAllowed const& allowed = {});

}  // namespace carroll::tool
