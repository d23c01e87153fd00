// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace carroll::tool {

/// A file that cannot be used, read or written. what() is `FILE: what is wrong`, free of control
/// characters, so that it always fits on one line.
class FileError : public std::runtime_error {
 public:
  FileError(std::string_view file, std::string_view what);
};

/// `text` with every control character replaced by a space.
[[nodiscard]] std::string one_line(std::string_view text);

/// What the system says about the error number `error`: "No such file or directory".
[[nodiscard]] std::string system_message(int error);

}  // namespace carroll::tool
