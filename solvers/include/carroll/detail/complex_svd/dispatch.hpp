// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/detail/complex_svd/range.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/svd/types.hpp>
#include <cstdint>

/// Which kernels decompose a complex matrix: the one place that decides; its first row that fits is
/// taken. It knows a matrix's extents, the backend and the options, never how many matrices there
/// are: results must be the same bits in every batch. m >= n.
///
/// | path       | where | range             | a matrix is held by           | kernel in   |
/// | ---------- | ----- | ----------------- | ----------------------------- | ----------- |
/// | host_batch | hosts | m <= 256, n <= 32 | a lane of vector registers    | host_batch/ |
/// | warp       | warps | m <= 32           | registers and scratch, warps  | warp/       |
/// | host_block | hosts | m <= 2048         | columns in caches, registers  | host_block/ |
/// | team       | all   | everything        | memory, scratch where it fits | team/       |
///
/// What options.path asks for and complex matrices do not have gives way to `team`, and so does,
/// member by member, what the others cannot finish.
namespace carroll::detail {

/// What kernels run on.
enum class ComplexSvdBackend { host, warps, other };

template <class ExecSpace>
inline constexpr ComplexSvdBackend complex_svd_backend =
    has_warps<ExecSpace>    ? ComplexSvdBackend::warps
    : lanes<ExecSpace> == 1 ? ComplexSvdBackend::host
                            : ComplexSvdBackend::other;

struct ComplexSvdRow {
  SvdPath path;
  ComplexSvdBackend where;
  int most_rows, most_cols;
};

/// The table, but for `team`.
inline constexpr std::array<ComplexSvdRow, 3> complex_svd_table{{
    {SvdPath::host_batch, ComplexSvdBackend::host, 256, 32},
    {SvdPath::host_block, ComplexSvdBackend::host, complex_host_block_rows,
     complex_host_block_rows},
    {SvdPath::warp, ComplexSvdBackend::warps, 32, 32},
}};

/// Of rows×cols problems, rows >= cols.
constexpr SvdPath complex_svd_path(ComplexSvdBackend backend, SvdOptions const& options,
                                   std::int64_t rows, std::int64_t cols) {
  for (ComplexSvdRow const& row : complex_svd_table) {
    SvdPath const group = row.path == SvdPath::host_block ? SvdPath::tiles : SvdPath::registers;
    bool const asked =
        options.path == SvdPath::automatic || options.path == group || options.path == row.path;
    bool const fits = cols > 0 && rows <= row.most_rows && cols <= row.most_cols;
    if (asked && backend == row.where && fits) return row.path;
  }
  return SvdPath::team;
}

}  // namespace carroll::detail
