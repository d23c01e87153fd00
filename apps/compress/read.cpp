// SPDX-License-Identifier: BSD-3-Clause
#include "compress/read.hpp"

#include "files/input_file.hpp"

namespace carroll::tool {

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
