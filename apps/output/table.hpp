// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "output/members.hpp"

namespace carroll::tool {

/// A line of a table: what, and how much.
inline void add_line(std::string& text, std::string_view name, std::string_view value) {
  text += fmt::format("{:<19}{}\n", name, value);
}

/// Of a report's matrices, each rows x cols: that, their scalars, and of a batch how many.
template <class Report>
[[nodiscard]] std::string size_text(Report const& report, std::int64_t rows, std::int64_t cols) {
  std::string const of_one =
      fmt::format("{} x {}, {}{} precision", rows, cols, report.is_complex ? "complex, " : "",
                  name_of(report.precision));
  return report.is_batch ? fmt::format("{} of {}", report.members.size(), of_one) : of_one;
}

/// A line for each member: the first of its `count` values, which stand side by side in `values`
/// for every `stride`, and its status unless that is success.
template <class Member>
void add_members(std::string& text, std::vector<Member> const& members,
                 std::vector<double> const& values, std::int64_t count, std::int64_t stride) {
  constexpr std::int64_t most = 5;  // a line of a terminal
  for (std::size_t b = 0; b < members.size(); ++b) {
    text += fmt::format("{:>8}", b);
    for (std::int64_t k = 0; k < std::min(count, most); ++k)
      text +=
          fmt::format("  {:>11.5g}",
                      values[b * static_cast<std::size_t>(stride) + static_cast<std::size_t>(k)]);
    if (count > most) text += "  ...";
    std::string const status = status_of(members[b]);
    text += (status == "success" ? "" : "  " + status) + "\n";
  }
}

}  // namespace carroll::tool
