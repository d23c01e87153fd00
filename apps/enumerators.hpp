// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace carroll::tool {

/// The enumerator of one of the library's options that its to_string has that name for.
template <class Enum>
[[nodiscard]] Enum named(std::string const& name) {
  for (int i = 0; to_string(static_cast<Enum>(i)) != "unknown"; ++i)
    if (to_string(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  throw std::logic_error("no option is called " + name);
}

}  // namespace carroll::tool
