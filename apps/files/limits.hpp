// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "files/input_file.hpp"

namespace carroll::tool {

/// "16 x 7"
[[nodiscard]] std::string extents_text(std::int64_t rows, std::int64_t cols);

/// "1 word", "2 words"
[[nodiscard]] std::string count_text(std::int64_t count, std::string const& noun);

/// FileError unless a dense rows × cols matrix with elements of `item_size` bytes fits into the
/// memory of this machine. Keeps a header that lies from provoking a giant allocation.
void check_extents(InputFile const& file, std::int64_t rows, std::int64_t cols,
                   std::int64_t item_size);

}  // namespace carroll::tool
