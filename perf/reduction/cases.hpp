// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace carroll::perf {

/// A reduction that libraries have a function for, of one vector or two.
enum class ReductionFunction { sum, dot, norm2, asum };

inline char const* name_of(ReductionFunction function) {
  constexpr std::array names{"sum", "dot", "norm2", "asum"};
  return names[static_cast<std::size_t>(function)];
}

struct ReductionCase {
  ReductionFunction function;
  std::int64_t length;

  /// In the name of an entry.
  [[nodiscard]] std::string key() const {
    return std::string(name_of(function)) + "/" + std::to_string(length);
  }
  [[nodiscard]] int vectors() const { return function == ReductionFunction::dot ? 2 : 1; }
};

/// Powers of 4 from 2^10, within the caches and beyond; what matters most first.
inline std::vector<ReductionCase> reduction_cases(bool device) {
  std::vector<ReductionCase> cases;
  for (ReductionFunction const function : {ReductionFunction::sum, ReductionFunction::dot,
                                           ReductionFunction::norm2, ReductionFunction::asum})
    for (int power = 10; power <= (device ? 28 : 26); power += 2)
      cases.push_back({function, std::int64_t{1} << power});
  return cases;
}

}  // namespace carroll::perf
