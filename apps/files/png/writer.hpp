// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "files/picture.hpp"
#include "output/files.hpp"

namespace carroll::tool {

/// Adds a PNG picture to `files`.
void write_png(OutputFiles& files, std::string const& path, BytePicture const& picture);

void write_png(OutputFiles& files, std::string const& path, SamplePicture const& picture);

}  // namespace carroll::tool
