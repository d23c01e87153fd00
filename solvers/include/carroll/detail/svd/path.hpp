// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/warp.hpp>
#include <carroll/svd_types.hpp>
#include <cstdint>

/// Which path a matrix takes. It depends on the matrix' size, its precision and the device, never
/// on how many matrices there are: results must be the same bits in every batch.
namespace carroll::detail {

/// Rows beyond which a tile's threads would want more registers than a multiprocessor has.
inline constexpr std::int64_t most_tile_rows = 1024;

/// rows >= cols.
template <class ExecSpace, class Real>
constexpr SvdPath choose_path(SvdOptions const& options, std::int64_t rows, std::int64_t cols) {
  if (options.method != SvdMethod::preconditioned || cols == 0) return SvdPath::team;
  bool const tiles = has_warps<ExecSpace> && rows <= most_tile_rows;
  bool const any = options.path == SvdPath::automatic;
  if (tiles && (any || options.path == SvdPath::tiles)) return SvdPath::tiles;
  return SvdPath::team;
}

}  // namespace carroll::detail
