// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/sharing.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>

namespace carroll::tool {

bool can_share(Ranks const& ranks, std::vector<std::string> const& files) {
  if (ranks.size() == 1) return false;
  return ranks.first_alone([&] {
    return int{std::ranges::all_of(files, [](std::string const& file) {
      std::error_code error;
      return std::filesystem::is_regular_file(file, error);
    })};
  }) == 1;
}

void require_alike(Ranks const& ranks, std::string const& file,
                   std::vector<std::int64_t> const& numbers) {
  std::string text;
  for (auto const number : numbers) text += std::to_string(number) + ' ';
  ranks.together(file.c_str(), std::hash<std::string>()(text), [] {});
}

}  // namespace carroll::tool
