// SPDX-License-Identifier: BSD-3-Clause
// Several tests may share an executable: cmake/CarrollTestGroups.cmake.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace carroll::test {

/// Whether a list of paths, with commas between them, names this one.
inline bool names(std::string_view list, std::string_view path) {
  while (!list.empty()) {
    auto const end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == path) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

/// Of several tests that share an executable only what is in the sources of --sources=PATH,PATH…,
/// and what headers define, which could be anybody's. Ends the program where there is nothing of
/// them: a compiler may have been told to call sources by other names.
inline void keep_sources(int argc, char** argv) {
  constexpr std::string_view option = "--sources=";
  if (argc < 2 || std::string_view(argv[1]).substr(0, option.size()) != option) return;
  auto const sources = std::string_view(argv[1]).substr(option.size());
  auto const& all = *::testing::UnitTest::GetInstance();
  std::string others;
  bool any = false;
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    auto const& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      auto const& test = *suite.GetTestInfo(t);
      std::string_view const file = test.file();
      bool const own = names(sources, file);
      any = any || own;
      if (file.ends_with(".cpp") && !own)
        others += std::string(":") + suite.name() + '.' + test.name();
    }
  }
  if (!any) {
    std::fprintf(stderr, "no test is of %s\n", argv[1]);
    std::exit(EXIT_FAILURE);
  }
  if (others.empty()) return;
  std::string const filter = GTEST_FLAG_GET(filter);
  if (filter.find('-') == std::string::npos) others.front() = '-';
  GTEST_FLAG_SET(filter, filter + others);
}

}  // namespace carroll::test
