// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "files/input_file.hpp"

namespace carroll::tool {

inline constexpr std::string_view zip_magic = "PK\x03\x04";

/// The members of a zip file, such as NumPy's .npz: stored ones, and, where the tool has been built
/// with zlib, deflated ones, also of more than 4 GiB. Specification: PKWARE's APPNOTE.TXT. What
/// does not hang together is a FileError, a member whose checksum is wrong, too.
class ZipFile {
 public:
  /// Reads all of the file.
  explicit ZipFile(InputFile& file);

  [[nodiscard]] bool has(std::string const& name) const { return members_.count(name) > 0; }
  /// The bytes of a member; FileError where there is none of that name.
  [[nodiscard]] std::string read(std::string const& name) const;

 private:
  struct Member {
    std::uint64_t header, stored, size;
    std::uint32_t crc;
    int method;
  };
  [[nodiscard]] std::uint64_t number(std::uint64_t at, int bytes) const;
  void read_directory();
  void read_wide(Member& member, std::uint64_t at, std::uint64_t end) const;

  InputFile const& file_;
  std::string bytes_;
  std::map<std::string, Member> members_;
};

}  // namespace carroll::tool
