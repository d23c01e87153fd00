// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace carroll::detail {

/// Before the infos on the host: of the copies of a workspace, which share them.
struct HostStamp {
  static constexpr int bytes = 64;  ///< up to the infos
  std::uint64_t done = 0;           ///< the last call that a device has come to the end of
  std::uint64_t calls = 0;          ///< how many there have been
};

/// Does a device write this number within some 50 µs? What it wrote before may be read then. To
/// look for it costs a host less than half of what a fence does; whoever waits longer fences.
inline bool is_stamped(std::uint64_t* stamp, std::uint64_t call) {
  constexpr int looks = 20000;
  std::atomic_ref<std::uint64_t> const word(*stamp);
  for (int look = 0; look < looks; ++look)
    if (word.load(std::memory_order_acquire) == call) return true;
  return false;
}

}  // namespace carroll::detail
