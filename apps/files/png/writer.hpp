// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "files/picture.hpp"
#include "output/files.hpp"

namespace carroll::tool {

/// Adds a PNG picture of 8 bits per channel, grey or colour, to `files`.
void write_png(OutputFiles& files, std::string const& path, BytePicture const& picture);

}  // namespace carroll::tool
