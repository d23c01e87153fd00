// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "support/guarded_view.hpp"

namespace carroll::test {

/// Whether launches are dear and members cheap, so that batches should be large.
inline constexpr bool on_device =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

/// How many threads judge results beside a device, 0: one per processor, too many where several
/// testers run at once.
inline unsigned oracle_threads = 0;

/// check(b) of members 0 … count-1, which says what is wrong with one. Beside a device, oracles are
/// asked by all processors at once; on a host these belong to the solvers. `check` must not draw
/// random numbers.
template <class Check>
std::vector<std::string> complaints_of(std::size_t count, Check const& check) {
  std::vector<std::string> texts(count);
  std::atomic<std::size_t> next = 0;
  auto const work = [&] {
    for (std::size_t b = next++; b < count; b = next++) try {
        texts[b] = check(b);
      } catch (std::exception const& error) {
        texts[b] = std::string(" threw ") + error.what();
      }
  };
  std::size_t const all = oracle_threads > 0 ? oracle_threads : std::thread::hardware_concurrency();
  std::size_t const processors = on_device ? all : 1;
  std::vector<std::thread> helpers;
  for (std::size_t t = 1; t < std::min(processors, count); ++t) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  return texts;
}

}  // namespace carroll::test
