// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carroll::tool {

/// A zip file of stored members, up to 4 GiB in all, byte for byte the same for the same members.
class ZipWriter {
 public:
  /// std::length_error beyond what a zip file without extensions can hold.
  void add(std::string const& name, std::string_view content);
  /// The file; nothing can be added any more.
  [[nodiscard]] std::string finish();

 private:
  std::string bytes_, directory_;
  std::uint16_t count_ = 0;
};

}  // namespace carroll::tool
