// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Words of text files.
namespace carroll::tool {

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// `word` in quotes, shortened, for a message; bytes that are not printable ASCII become '?'.
inline std::string in_quotes(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string text = "'";
  for (char const c : word.substr(0, longest)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (word.size() > longest ? "...'" : "'");
}

}  // namespace carroll::tool
