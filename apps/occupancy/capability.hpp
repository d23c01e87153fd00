// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/occupancy/limits.hpp>
#include <charconv>
#include <string>

#include "arguments.hpp"

namespace carroll::tool {

/// The compute capability that a word such as "9.0" is. UsageError where it is none.
[[nodiscard]] inline ComputeCapability capability_in(std::string const& word) {
  ComputeCapability capability;
  char const* const end = word.data() + word.size();
  auto const [point, wrong] = std::from_chars(word.data(), end, capability.major);
  bool const whole = wrong == std::errc{} && point != end && *point == '.';
  if (whole) {
    auto const [rest, error] = std::from_chars(point + 1, end, capability.minor);
    if (error == std::errc{} && rest == end) return capability;
  }
  throw UsageError("--capability: '" + word + "' is no compute capability, such as 9.0");
}

}  // namespace carroll::tool
