// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// The operations that `carroll scaling` knows. This header leaves Kokkos out.
namespace carroll::tool {

/// An operation with its data, ready to be run over and over. What it holds belongs to Kokkos and
/// has to go before a Runtime.
struct PreparedOperation {
  std::function<void(int)> run;  ///< by so many threads, to the end
  std::function<void()> loop;    ///< the same by a plain loop without Kokkos; empty: there is none

  // Of ranks instead of threads, which all measure together.
  std::function<void(int)> start = [](int) {};  ///< they have met when it returns
  std::function<double(double)> same = [](double seconds) { return seconds; };  ///< on all ranks
  struct Other {
    std::string name;
    std::function<void(int)> run;
  };
  std::vector<Other> others = {};  ///< ways to do the same that are timed, too
};

struct Operation {
  char const* name;
  char const* size;                 ///< what a size counts
  int exponent;                     ///< the work grows as the size to that power
  bool is_sum;                      ///< the model of sums is for it
  std::vector<std::int64_t> sizes;  ///< where none are asked for
  std::function<PreparedOperation(std::int64_t size)> prepare;  ///< needs a Runtime
};

/// One more takes a line in the table behind it, and what that line names.
[[nodiscard]] std::vector<Operation> const& operations();

/// The most threads that operations can be run by. Needs a Runtime.
[[nodiscard]] int most_threads();

/// Seconds in which so many threads begin a parallel region and end it, with nothing in it: a
/// median. Needs a Runtime.
[[nodiscard]] double fork_join_seconds(int threads);

/// Where operations run, and on what. Needs a Runtime.
[[nodiscard]] std::string backend_name();

}  // namespace carroll::tool
