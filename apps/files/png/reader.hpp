// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "files/picture.hpp"

namespace carroll::tool {

/// Reads a PNG picture of any kind: 1 to 16 bits, grey, palette or colour, interlaced or not.
/// Colours become luma, 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601); 16 bits become fractions of a
/// grey level; transparency is left out. FileError when the file cannot be read, is no PNG, is
/// truncated or damaged, or is larger than 32768 in one direction.
[[nodiscard]] GreyPicture read_png(std::string const& path);

/// The same with all channels and bits: transparency becomes alpha.
[[nodiscard]] SamplePicture read_png_samples(std::string const& path);

/// Grey levels of a picture that has been read: colours become luma.
[[nodiscard]] GreyPicture grey_of(SamplePicture const& samples);

}  // namespace carroll::tool
