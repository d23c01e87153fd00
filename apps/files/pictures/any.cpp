// SPDX-License-Identifier: BSD-3-Clause
#include "files/pictures/any.hpp"

#include <string_view>

#include "files/file_error.hpp"
#include "files/input_file.hpp"
#include "files/png/reader.hpp"
#ifdef CARROLL_TOOL_JPEG
#include "files/jpeg/reader.hpp"
#endif

namespace carroll::tool {

namespace {

#ifdef CARROLL_TOOL_JPEG
constexpr char const* picture_kinds = "a PNG or JPEG picture";
#else
constexpr char const* picture_kinds = "a PNG picture";
#endif

enum class PictureKind { png, jpeg, other, unknown };

PictureKind kind_of_picture(std::string const& path) {
  InputFile file(path, picture_kinds);
  if (!file.remaining()) return PictureKind::unknown;
  if (file.peek(3) == std::string_view("\xFF\xD8\xFF", 3)) return PictureKind::jpeg;
  return file.peek(4) == "\x89PNG" ? PictureKind::png : PictureKind::other;
}

SamplePicture read_jpeg_if_possible(std::string const& path) {
#ifdef CARROLL_TOOL_JPEG
  return read_jpeg_samples(path);
#else
  throw FileError(path,
                  "is a JPEG picture, which this carroll, built without libjpeg, cannot read");
#endif
}

}  // namespace

bool begins_as_picture(std::string const& path) {
  return kind_of_picture(path) != PictureKind::other;
}

SamplePicture read_any_picture(std::string const& path) {
  if (kind_of_picture(path) == PictureKind::jpeg) return read_jpeg_if_possible(path);
  return read_png_samples(path);
}

GreyPicture read_grey_picture(std::string const& path) {
  if (kind_of_picture(path) == PictureKind::jpeg) return grey_of(read_jpeg_if_possible(path));
  return read_png(path);
}

}  // namespace carroll::tool
