// SPDX-License-Identifier: BSD-3-Clause
#include "output/standard_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "files/file_error.hpp"

namespace carroll::tool {

void print(std::string_view text) {
  while (!text.empty()) {
    auto const written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw FileError("standard output", "cannot be written: " + system_message(errno));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace carroll::tool
