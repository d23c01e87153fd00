// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/detail/reduction/pieces.hpp>
#include <cstdint>

namespace carroll::distributed {

/// A layout for vectors that are to be summed: as even as whole subtrees of the canonical tree
/// allow, of at most a 64th of what a rank has, so that a rank has few of them and no chunk is
/// shared. Any other layout gives the same bits, later by some launches and a message.
inline BlockLayout reduction_layout(int ranks, std::int64_t length) {
  std::int64_t const chunks = detail::chunks_of(length);
  auto const each = static_cast<std::uint64_t>(std::max<std::int64_t>(1, chunks / ranks / 64));
  return block_layout(ranks, length,
                      detail::chunk_begin(static_cast<std::int64_t>(std::bit_floor(each))));
}

}  // namespace carroll::distributed
