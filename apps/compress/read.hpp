// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "compress/code/container.hpp"
#include "files/picture.hpp"

namespace carroll::tool {

/// A PNG picture or, where libjpeg is, a JPEG picture, told by how it begins. FileError.
[[nodiscard]] SamplePicture read_any_picture(std::string const& path);

/// A compressed picture of at most so many pixels. FileError.
[[nodiscard]] CompressedPicture read_compressed(std::string const& path, std::int64_t most_pixels);

}  // namespace carroll::tool
