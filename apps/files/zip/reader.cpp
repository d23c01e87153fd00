// SPDX-License-Identifier: BSD-3-Clause
#include "files/zip/reader.hpp"

#include <limits>

#include "files/zip/checksum.hpp"
#ifdef CARROLL_TOOL_ZLIB
#include <zlib.h>
#endif

namespace carroll::tool {

namespace {

constexpr std::string_view directory_magic = "PK\x01\x02", end_magic = "PK\x05\x06",
                           wide_end_magic = "PK\x06\x06", locator_magic = "PK\x06\x07";
constexpr std::uint64_t end_size = 22, locator_size = 20, entry_size = 46, header_size = 30;
constexpr std::uint64_t elsewhere = 0xFFFFFFFFU;  // the number is among the extra fields

#ifdef CARROLL_TOOL_ZLIB
/// False where the stream is not one, or is not of that size.
bool inflate_into(std::string_view from, std::string& to) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  constexpr std::size_t most = std::numeric_limits<uInt>::max() / 2;
  std::size_t taken = 0, made = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data() + taken));
    stream.avail_in = static_cast<uInt>(std::min(most, from.size() - taken));
    stream.next_out = reinterpret_cast<Bytef*>(to.data() + made);
    stream.avail_out = static_cast<uInt>(std::min(most, to.size() - made));
    auto const in = stream.avail_in, out = stream.avail_out;
    state = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += out - stream.avail_out;
    if (state == Z_BUF_ERROR || (in == stream.avail_in && out == stream.avail_out)) break;
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END && made == to.size();
}
#endif

}  // namespace

ZipFile::ZipFile(InputFile& file) : file_(file) {
  std::string piece(std::size_t{1} << 16, '\0');
  for (;;) {
    std::size_t const count = file.read(piece.data(), piece.size());
    bytes_.append(piece, 0, count);
    if (count < piece.size()) break;
  }
  read_directory();
}

std::uint64_t ZipFile::number(std::uint64_t at, int bytes) const {
  if (at > bytes_.size() || bytes_.size() - at < static_cast<std::uint64_t>(bytes))
    file_.fail("is truncated: the zip file ends too early");
  std::uint64_t value = 0;
  for (int k = bytes - 1; k >= 0; --k)
    value = value << 8U | static_cast<unsigned char>(bytes_[at + static_cast<std::uint64_t>(k)]);
  return value;
}

void ZipFile::read_directory() {
  std::size_t const end = bytes_.rfind(end_magic);
  if (end == std::string::npos || bytes_.size() - end < end_size)
    file_.fail("is truncated: the zip file has no directory at its end");
  std::uint64_t count = number(end + 10, 2), at = number(end + 16, 4);
  if (end >= locator_size &&
      std::string_view(bytes_).substr(end - locator_size, 4) == locator_magic) {
    std::uint64_t const wide = number(end - locator_size + 8, 8);
    if (wide >= bytes_.size() || std::string_view(bytes_).substr(wide, 4) != wide_end_magic)
      file_.fail("is no zip file that can be read: its directory is not where it should be");
    count = number(wide + 32, 8);
    at = number(wide + 48, 8);
  }
  for (std::uint64_t k = 0; k < count; ++k) {
    if (at >= bytes_.size() || std::string_view(bytes_).substr(at, 4) != directory_magic)
      file_.fail("is no zip file that can be read: its directory is broken");
    Member member{number(at + 42, 4), number(at + 20, 4), number(at + 24, 4),
                  static_cast<std::uint32_t>(number(at + 16, 4)),
                  static_cast<int>(number(at + 10, 2))};
    if ((number(at + 8, 2) & 1U) != 0) file_.fail("is an encrypted zip file");
    std::uint64_t const name = number(at + 28, 2), extra = number(at + 30, 2);
    std::uint64_t const comment = number(at + 32, 2);
    if (bytes_.size() - at < entry_size + name)
      file_.fail("is no zip file that can be read: its directory is broken");
    read_wide(member, at + entry_size + name, at + entry_size + name + extra);
    members_[bytes_.substr(at + entry_size, name)] = member;
    at += entry_size + name + extra + comment;
  }
}

void ZipFile::read_wide(Member& member, std::uint64_t at, std::uint64_t end) const {
  while (at + 4 <= end) {
    std::uint64_t const tag = number(at, 2), size = number(at + 2, 2);
    std::uint64_t field = at + 4;
    if (tag == 1)
      for (std::uint64_t* const value : {&member.size, &member.stored, &member.header})
        if (*value == elsewhere) {
          *value = number(field, 8);
          field += 8;
        }
    at += 4 + size;
  }
}

std::string ZipFile::read(std::string const& name) const {
  auto const found = members_.find(name);
  if (found == members_.end()) file_.fail("has no member " + name);
  Member const& member = found->second;
  // The local header has a name and extra fields of its own length.
  std::uint64_t const at = member.header;
  std::uint64_t const begin = at + header_size + number(at + 26, 2) + number(at + 28, 2);
  if (begin > bytes_.size() || member.stored > bytes_.size() - begin)
    file_.fail("is truncated: the zip file ends within " + name);
  std::string_view const stored = std::string_view(bytes_).substr(begin, member.stored);
  std::string content;
  if (member.method == 0) {
    content = stored;
  } else if (member.method == 8) {
#ifdef CARROLL_TOOL_ZLIB
    // Deflate shrinks nothing by more than 1032 times: a size that lies allocates nothing giant.
    if (member.size / 1032 > member.stored + 1) file_.fail("has a wrong size of " + name);
    content.resize(member.size);
    if (!inflate_into(stored, content)) file_.fail("cannot be read: " + name + " is broken");
#else
    file_.fail(
        "has compressed members, which need zlib, which this carroll was built without; "
        "save it uncompressed");
#endif
  } else {
    file_.fail("has " + name + " compressed by a method other than deflate");
  }
  if (content.size() != member.size || crc32_of(content) != member.crc)
    file_.fail("cannot be read: the checksum of " + name + " is wrong");
  return content;
}

}  // namespace carroll::tool
