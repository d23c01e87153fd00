// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/status.hpp>
#include <string>
#include <vector>

/// What is told of a batch. A member is told in numbers that ranks can send each other: its
/// status is a carroll::Status in an int.
namespace carroll::tool {

template <class Member>
[[nodiscard]] std::string status_of(Member const& member) {
  return std::string(to_string(static_cast<Status>(member.status)));
}

/// The first status that is no success.
template <class Member>
[[nodiscard]] std::string status_of_all(std::vector<Member> const& members) {
  auto const failed = [](Member const& member) {
    return static_cast<Status>(member.status) != Status::success;
  };
  auto const first = std::ranges::find_if(members, failed);
  return first == members.end() ? "success" : status_of(*first);
}

/// The largest of all members; NaN where one has it.
template <class Member, class Number>
[[nodiscard]] Number worst(std::vector<Member> const& members, Number Member::*of) {
  Number largest = 0;
  for (auto const& member : members)
    if (largest == largest && !(member.*of <= largest)) largest = member.*of;  // NaN stays
  return largest;
}

}  // namespace carroll::tool
