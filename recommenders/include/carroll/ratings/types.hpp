// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace carroll {

/// What becomes of several ratings of one item by one user.
enum class Duplicates {
  refuse,  ///< std::invalid_argument names the first two
  sum,     ///< they are added, in the order of the triples
  last,    ///< the last of the triples counts
};

/// The enumerator's name.
[[nodiscard]] constexpr std::string_view to_string(Duplicates duplicates) noexcept {
  switch (duplicates) {
    case Duplicates::refuse: return "refuse";
    case Duplicates::sum: return "sum";
    case Duplicates::last: return "last";
  }
  return "unknown";
}

struct RatingsOptions {
  std::int32_t users = 0;  ///< 0: the largest index + 1
  std::int32_t items = 0;  ///< 0: the largest index + 1
  Duplicates duplicates = Duplicates::refuse;
};

}  // namespace carroll
