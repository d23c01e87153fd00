// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "compress/code/container.hpp"

namespace carroll::tool {

/// A compressed picture of at most so many pixels. FileError.
[[nodiscard]] CompressedPicture read_compressed(std::string const& path, std::int64_t most_pixels);

}  // namespace carroll::tool
