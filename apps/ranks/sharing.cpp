// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/sharing.hpp"

#include <algorithm>
#include <carroll/distributed/block_layout.hpp>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <system_error>
#include <variant>

#include "files/file_error.hpp"

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

EntryRange members_of(Ranks const& ranks, std::int64_t count) {
  auto const layout = distributed::block_layout(ranks.size(), count);
  return {layout.begin(ranks.rank()), layout.end(ranks.rank())};
}

void require_alike(Ranks const& ranks, std::string const& file,
                   std::vector<std::int64_t> const& numbers) {
  std::string text;
  for (auto const number : numbers) text += std::to_string(number) + ' ';
  try {
    ranks.together("carroll", std::hash<std::string>()(text), [] {});
  } catch (std::invalid_argument const&) {
    throw FileError(file, "is not the same file on all ranks: they find other extents or types");
  }
}

}  // namespace carroll::tool
