// SPDX-License-Identifier: BSD-3-Clause
#include "compress/read.hpp"

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
constexpr char const* pictures = "a PNG or JPEG picture";
#else
constexpr char const* pictures = "a PNG picture";
#endif

/// Does the file begin as JPEG pictures do? Of a pipe, which can be read once only, no byte is
/// taken, and it is taken for a PNG picture.
bool begins_as_jpeg(std::string const& path) {
  InputFile file(path, pictures);
  return file.remaining() && file.peek(3) == std::string_view("\xFF\xD8\xFF", 3);
}

}  // namespace

SamplePicture read_any_picture(std::string const& path) {
  if (begins_as_jpeg(path)) {
#ifdef CARROLL_TOOL_JPEG
    return read_jpeg_samples(path);
#else
    throw FileError(path,
                    "is a JPEG picture, which this carroll, built without libjpeg, cannot read");
#endif
  }
  return read_png_samples(path);
}

CompressedPicture read_compressed(std::string const& path, std::int64_t most_pixels) {
  InputFile file(path, "a compressed picture");
  Bytes bytes;
  constexpr std::size_t part = std::size_t{64} * 1024;
  // What a picture of so many pixels can need is a limit for pipes without an end, too.
  auto const most = 64 * static_cast<std::size_t>(most_pixels) + (std::size_t{1} << 20);
  for (;;) {
    auto const have = bytes.size();
    bytes.resize(have + part);
    bytes.resize(have + file.read(bytes.data() + have, part));
    if (bytes.size() == have) break;
    if (bytes.size() > most) file.fail("is longer than any picture within the limit of pixels");
  }
  if (bytes.empty()) file.fail("is empty, expected a compressed picture");
  try {
    return picture_of(bytes, most_pixels);
  } catch (BadPicture const& bad) {
    file.fail(bad.what());
  }
}

}  // namespace carroll::tool
