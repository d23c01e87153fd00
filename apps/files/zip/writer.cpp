// SPDX-License-Identifier: BSD-3-Clause
#include "files/zip/writer.hpp"

#include <stdexcept>

#include "files/zip/checksum.hpp"

namespace carroll::tool {

namespace {

void append(std::string& text, std::uint64_t number, int bytes) {
  for (int k = 0; k < bytes; ++k) text += static_cast<char>(number >> (8 * k) & 0xFFU);
}

/// What local header and directory have in common, from the version needed on: no flags, stored,
/// the first day that zip knows.
std::string description(std::string const& name, std::string_view content) {
  std::string text;
  append(text, 20, 2);
  append(text, 0, 2);
  append(text, 0, 2);
  append(text, 0, 2);
  append(text, 0x21, 2);
  append(text, crc32_of(content), 4);
  append(text, content.size(), 4);
  append(text, content.size(), 4);
  append(text, name.size(), 2);
  append(text, 0, 2);
  return text;
}

}  // namespace

void ZipWriter::add(std::string const& name, std::string_view content) {
  constexpr std::uint64_t most = 0xFFFFFFFEU;
  if (bytes_.size() + content.size() + 1024 > most)
    throw std::length_error("is more than 4 GiB, which a zip file cannot hold");
  std::uint64_t const at = bytes_.size();
  std::string const about = description(name, content);
  bytes_ += "PK\x03\x04" + about + name;
  bytes_ += content;
  directory_ += "PK\x01\x02";
  append(directory_, 20, 2);
  directory_ += about;
  append(directory_, 0, 2);  // comment
  append(directory_, 0, 2);  // disk
  append(directory_, 0, 2);
  append(directory_, 0, 4);
  append(directory_, at, 4);
  directory_ += name;
  ++count_;
}

std::string ZipWriter::finish() {
  std::string end = "PK\x05\x06";
  append(end, 0, 4);
  append(end, count_, 2);
  append(end, count_, 2);
  append(end, directory_.size(), 4);
  append(end, bytes_.size(), 4);
  append(end, 0, 2);
  return std::move(bytes_) + directory_ + end;
}

}  // namespace carroll::tool
