// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace carroll::tool {

/// A line of a table: what, and how much.
inline void add_line(std::string& text, std::string_view name, std::string_view value) {
  text += fmt::format("{:<19}{}\n", name, value);
}

}  // namespace carroll::tool
