// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/concepts.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace carroll::distributed {

/// Rows of the blocks that a tall matrix with so many columns is cut into: 128 KiB of them, which a
/// core's second-level cache holds and a team's scratch on large devices; but at least four times
/// as many rows as columns, so that triangles are a small part of the work. A power of two, a
/// function of the scalar type and the columns alone, on which the bits of results depend.
template <class Real>
[[nodiscard]] constexpr std::int64_t tall_block_rows(std::int64_t cols) {
  static_assert(RealScalar<Real>, "carroll::distributed::tall_block_rows: float or double");
  constexpr std::int64_t bytes = 128 * 1024, most = 4096;
  std::int64_t rows = 16;
  while (rows < most && 2 * rows * cols * std::int64_t{sizeof(Real)} <= bytes) rows *= 2;
  while (rows < 4 * cols) rows *= 2;
  return rows;
}

/// The rows of a tall matrix dealt out in whole blocks, as `tall_qr`, `tall_svd` and
/// `randomized_svd` take them: as evenly as that allows. Where there are fewer blocks than ranks,
/// some have none.
template <class Real>
[[nodiscard]] BlockLayout tall_layout(int ranks, std::int64_t rows, std::int64_t cols) {
  carroll::detail::require(
      cols >= 0 && cols <= std::numeric_limits<int>::max(), "carroll::distributed::tall_layout",
      [&] { return "the number of columns is " + std::to_string(cols) + ", must be an int >= 0"; });
  return block_layout(ranks, rows, tall_block_rows<Real>(cols));
}

}  // namespace carroll::distributed
