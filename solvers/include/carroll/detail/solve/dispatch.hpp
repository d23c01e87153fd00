// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/solve/types.hpp>
#include <cstdint>

/// Which kernels solve a system: the one place that decides. Launches, workspaces and tests read
/// this table; its first row that fits is taken. It knows a matrix's order, the backend and the
/// options, never how many matrices or right-hand sides there are: results must be the same bits in
/// every batch.
///
/// | path       | where              | orders | a matrix is held by        | kernel in   |
/// | ---------- | ------------------ | ------ | -------------------------- | ----------- |
/// | host_batch | hosts              | to 48  | a lane of vector registers | host_batch/ |
/// | warp       | devices with warps | to 32  | registers of a warp        | warp/       |
/// | team       | all                | all    | memory, or scratch         | team/       |
namespace carroll::detail {

/// What kernels run on: `warps` are devices, too.
enum class SolveBackend { any, host, device, warps };

struct SolveRow {
  SolvePath path;
  SolveBackend where;
  std::int64_t most;  ///< orders up to
};

/// The table. The limit of `host_batch` is by the size of what a group of matrices works on, which
/// is to stay in a second-level cache.
inline constexpr auto solve_table = std::to_array<SolveRow>({
    {SolvePath::host_batch, SolveBackend::host, 48},
    {SolvePath::warp, SolveBackend::warps, 32},
    {SolvePath::team, SolveBackend::any, std::int64_t{1} << 62},
});

/// The path of systems of n equations, never `automatic`; where what is asked for does not fit it
/// is `team`.
constexpr SolvePath solve_path(SolveBackend backend, SolveOptions const& options, std::int64_t n) {
  for (SolveRow const& row : solve_table)
    if ((options.path == SolvePath::automatic || options.path == row.path) &&
        (row.where == SolveBackend::any || row.where == backend) && n <= row.most)
      return row.path;
  return SolvePath::team;
}

template <class ExecSpace>
inline constexpr SolveBackend solve_backend = has_warps<ExecSpace>    ? SolveBackend::warps
                                              : lanes<ExecSpace> == 1 ? SolveBackend::host
                                                                      : SolveBackend::device;

}  // namespace carroll::detail
