// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carroll::tool {

/// The dictionary in the header of a .npy file, as far as a matrix needs it.
struct NpyDictionary {
  std::optional<std::string> descr;  ///< empty when the type is structured: a list, not a string
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Reads the Python dictionary literal `text`. Throws std::runtime_error, saying what is wrong,
/// unless it has exactly the keys descr, fortran_order and shape, with values of the right kind.
[[nodiscard]] NpyDictionary parse_npy_dictionary(std::string_view text);

}  // namespace carroll::tool
