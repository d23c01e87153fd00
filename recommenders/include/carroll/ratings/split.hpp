// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace carroll {

/// Which ratings `split_ratings` keeps back.
enum class Split {
  random,     ///< each with a probability
  leave_out,  ///< so many of each user, chosen at random
  temporal,   ///< the latest
};

/// The enumerator's name.
[[nodiscard]] constexpr std::string_view to_string(Split split) noexcept {
  switch (split) {
    case Split::random: return "random";
    case Split::leave_out: return "leave_out";
    case Split::temporal: return "temporal";
  }
  return "unknown";
}

struct SplitOptions {
  Split split = Split::random;
  double fraction = 0.2;   ///< of random and temporal: from 0 to 1
  int leave_out = 1;       ///< ratings of a user, from 0
  std::uint64_t seed = 0;  ///< of random and leave_out
};

}  // namespace carroll
