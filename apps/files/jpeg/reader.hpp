// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "files/picture.hpp"

namespace carroll::tool {

/// Reads a JPEG picture, grey or of colours, baseline or progressive. FileError when the file
/// cannot be read, is truncated or damaged, has four inks, or is larger than 32768 in one
/// direction.
[[nodiscard]] SamplePicture read_jpeg_samples(std::string const& path);

}  // namespace carroll::tool
