// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>

namespace carroll::perf {

/// Takes --name=value out of the command line, which Google Benchmark would reject.
inline std::string take_option(int& argc, char** argv, std::string const& name) {
  std::string const prefix = "--" + name + "=";
  for (int i = 1; i < argc; ++i)
    if (std::string const argument = argv[i]; argument.starts_with(prefix)) {
      std::move(argv + i + 1, argv + argc + 1, argv + i);  // the null at the end moves too
      --argc;
      return argument.substr(prefix.size());
    }
  return {};
}

/// The value of --hashes, or of the environment's CARROLL_HASHES.
inline std::string take_hashes(int& argc, char** argv) {
  std::string const hashes = take_option(argc, argv, "hashes");
  char const* const variable = std::getenv("CARROLL_HASHES");
  return hashes.empty() && variable ? variable : hashes;
}

}  // namespace carroll::perf
