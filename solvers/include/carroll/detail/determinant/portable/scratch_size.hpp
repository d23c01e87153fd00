// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/portable/reduce_row.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

/// Which matrices fit the scratch of a team of portable/scratch.hpp.
namespace carroll::detail {

/// A host's level-0 scratch is small; level 1 comes from the same caches.
template <class ExecSpace>
inline constexpr int scratch_level_of = lanes<ExecSpace> == 1 ? 1 : 0;

template <class T>
std::size_t determinant_scratch_bytes(int n) {
  return (static_cast<std::size_t>(n) * padded_row<T>(n) + 8) * sizeof(T) +
         static_cast<std::size_t>(n) * (2 * sizeof(int) + sizeof(RealOf<T>)) + 64;
}

/// The largest order that fits. On a host beyond some 100 the matrix product gains more than
/// scratch does, and a row that is reduced in one go must not grow out of range.
template <class ExecSpace, class T>
int most_scratch_order() {
  if constexpr (lanes<ExecSpace> == 1) {
    return safe_steps<T> < 128 ? safe_steps<T> / 16 * 16 : 128;
  } else {
    // Reductions of teams want some of it, too.
    constexpr std::size_t reserved = 8192;
    std::size_t const available =
        most_team_scratch<ExecSpace>(scratch_level_of<ExecSpace>) - reserved;
    int n = 0;
    while (n < 256 && determinant_scratch_bytes<T>(n + 1) <= available) ++n;
    return n;
  }
}

}  // namespace carroll::detail
