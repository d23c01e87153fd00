// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/svd/dispatch.hpp>
#include <carroll/detail/svd/host_block/storage.hpp>
#include <carroll/detail/svd/layout.hpp>
#include <carroll/detail/svd/slim/memory.hpp>
#include <cstdint>

namespace carroll::detail {

/// Workspace of a rows×cols problem, rows >= cols: for the kernels of its family, and for the team
/// kernels, which may have to finish it. `vectors`: those of either side are wanted.
template <class Real>
SvdWorkspaceSizes svd_workspace_sizes(SvdFamily family, std::int64_t rows, std::int64_t cols,
                                      bool vectors) {
  bool const preconditioned = family != SvdFamily::study;
  std::int64_t const squares = (preconditioned ? 2 : 0) + (vectors ? 1 : 0);
  bool const double_words = preconditioned && has_double_words(rows, cols);
  SvdWorkspaceSizes sizes{rows * cols + squares * cols * cols + 4 * cols + rows +
                              (double_words ? 2 * (rows + 2) * cols : 0),
                          6 * cols};
  switch (family) {
    case SvdFamily::tiled:
    case SvdFamily::gram:
    case SvdFamily::eigenbasis:
    case SvdFamily::spectral:
      sizes.reals += 3 * BlockFactor<Real>::size * (whole_tiles(cols) / tile_columns) +
                     exchange_reals<Real>(rows);
      sizes.ints += 2 * cols;
      if (family != SvdFamily::tiled)
        sizes.reals = SvdWorkspaceSizes::round_up(sizes.reals) +
                      gram_reals(static_cast<int>(cols)) + (vectors ? 2 : 1) * cols * cols;
      if (family == SvdFamily::eigenbasis && rows <= most_fused_rows)
        sizes.cover({(vectors ? 3 : 1) * fused_rows(rows) * cols, 0});
      break;
    case SvdFamily::slim: sizes.cover({SlimMemory<Real>::reals(rows, cols), 0}); break;
    case SvdFamily::fused: sizes.cover({(vectors ? 3 : 1) * fused_rows(rows) * cols, 0}); break;
    case SvdFamily::host_block: sizes.cover(blocks::Storage<Real>::sizes(rows, cols)); break;
    case SvdFamily::study:
    case SvdFamily::host_batch:
    case SvdFamily::warp:
    case SvdFamily::team: break;
  }
  return {SvdWorkspaceSizes::round_up(sizes.reals), SvdWorkspaceSizes::round_up(sizes.ints)};
}

}  // namespace carroll::detail
