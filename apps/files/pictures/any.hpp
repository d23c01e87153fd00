// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "files/picture.hpp"

namespace carroll::tool {

/// A PNG picture or, where libjpeg is, a JPEG picture, told by how it begins. FileError.
[[nodiscard]] SamplePicture read_any_picture(std::string const& path);

/// The same as grey levels from 0 to 255, see read_png.
[[nodiscard]] GreyPicture read_grey_picture(std::string const& path);

/// Does the file begin as a picture does that one of these could read, or one built with libjpeg?
/// Of a pipe, which can be read once only, no byte is taken, and it is taken for one.
[[nodiscard]] bool begins_as_picture(std::string const& path);

}  // namespace carroll::tool
