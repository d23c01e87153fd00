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
  int item_size = 8;           ///< bytes of one element
  bool swap_bytes = false;     ///< the file's byte order is not this machine's
  bool fortran_order = false;  ///< column after column; otherwise row after row
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  bool is_vector = false;  ///< of one dimension
};

/// Consumes the header of `file`. FileError when it is malformed, when the element type is none of
/// f4, f8, the integers and bool, or when the array does not have two dimensions. With `vectors` it
/// may have one, and is a single column.
[[nodiscard]] NpyHeader read_npy_header(InputFile& file, bool vectors = false);

}  // namespace carroll::tool
