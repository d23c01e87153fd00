// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "context.hpp"

namespace carroll::perf {

/// Seconds in which flat kernels write, or read, as many bytes as asked for, the best of several
/// runs after one to warm up: what no kernel that moves them can undercut by much. Writing: a
/// kernel that stores past the caches of a host, and Kokkos' fill, whichever is faster. Each run is
/// fenced, and the buffer is the same one, so that what fits a cache is read from there.
double fill_seconds(Exec const& exec, std::size_t bytes);
double read_seconds(Exec const& exec, std::size_t bytes);

}  // namespace carroll::perf
