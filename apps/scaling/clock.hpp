// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace carroll::tool {

template <class Work>
[[nodiscard]] double seconds_of(Work const& work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The middle one, of an even number the upper of the two. There must be one.
[[nodiscard]] inline double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Of `repetitions` runs, behind one that does not count.
template <class Work>
[[nodiscard]] std::vector<double> seconds_of_runs(int repetitions, Work const& work) {
  work();
  std::vector<double> seconds;
  for (int k = 0; k < repetitions; ++k) seconds.push_back(seconds_of(work));
  return seconds;
}

template <class Work>
[[nodiscard]] double median_seconds(int repetitions, Work const& work) {
  return median(seconds_of_runs(repetitions, work));
}

/// For what a processor does by itself, which can be disturbed and cannot be helped.
template <class Work>
[[nodiscard]] double least_seconds(int repetitions, Work const& work) {
  return std::ranges::min(seconds_of_runs(repetitions, work));
}

}  // namespace carroll::tool
