// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/warp/shape.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/svd/types.hpp>
#include <cstdint>

/// Which kernels decompose a complex matrix: the one place that decides. It knows a matrix's
/// extents, the backend and the options, never how many matrices there are: results must be the
/// same bits in every batch.
///
/// | path | where | range      | a matrix is held by           | kernel in |
/// | ---- | ----- | ---------- | ----------------------------- | --------- |
/// | warp | warps | m, n <= 32 | registers and scratch, warps  | warp/     |
/// | team | all   | everything | memory, scratch where it fits | team/     |
///
/// What options.path asks for and complex matrices do not have gives way to `team`, and so does,
/// member by member, what `warp` cannot finish.
namespace carroll::detail {

/// Of rows×cols problems, rows >= cols.
constexpr SvdPath complex_svd_path(bool warps, SvdOptions const& options, std::int64_t rows,
                                   std::int64_t cols) {
  bool const asked = options.path == SvdPath::automatic || options.path == SvdPath::registers ||
                     options.path == SvdPath::warp;
  bool const fits = cols > 0 && rows <= most_complex_warp_rows;
  return warps && asked && fits ? SvdPath::warp : SvdPath::team;
}
template <class ExecSpace>
constexpr SvdPath complex_svd_path(SvdOptions const& options, std::int64_t rows,
                                   std::int64_t cols) {
  return complex_svd_path(has_warps<ExecSpace>, options, rows, cols);
}

}  // namespace carroll::detail
