// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace carroll::tool {

/// The enumerator of one of the library's options that its to_string has that name for.
template <class Enum>
[[nodiscard]] Enum named(std::string const& name) {
  for (int i = 0;; ++i) {
    std::string_view const known = to_string(static_cast<Enum>(i));
    if (known == name) return static_cast<Enum>(i);
    if (known == "unknown") break;
  }
  throw std::logic_error("no option is called " + name);
}

}  // namespace carroll::tool
