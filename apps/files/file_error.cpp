// SPDX-License-Identifier: BSD-3-Clause
#include "files/file_error.hpp"

#include <system_error>

namespace carroll::tool {

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    auto const code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) c = ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string system_message(int error) {
  return std::generic_category().message(error);
}

FileError::FileError(std::string_view file, std::string_view what)
    : std::runtime_error(one_line(std::string(file) + ": " + std::string(what))) {}

}  // namespace carroll::tool
