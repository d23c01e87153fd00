// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace carroll::tool {

/// Kokkos' own flags of a command line, in their order.
struct KokkosFlags {
  std::vector<std::string> words;
  bool help = false;  ///< --kokkos-help or --kokkos-tools-help is among them
};

/// Takes the words that begin with --kokkos- out of `words`. UsageError for one that Kokkos does
/// not know or whose value it cannot use: Kokkos itself would abort the process.
[[nodiscard]] KokkosFlags take_kokkos_flags(std::vector<std::string>& words);

}  // namespace carroll::tool
