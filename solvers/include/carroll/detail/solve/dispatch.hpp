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
/// every batch. All take real and complex numbers.
///
/// | path       | where              | orders | a matrix is held by        | kernel in   |
/// | ---------- | ------------------ | ------ | -------------------------- | ----------- |
/// | host_batch | hosts              | to 48  | a lane of vector registers | host_batch/ |
/// | warp       | devices with warps | to 32  | registers of a warp        | warp/       |
/// | tiled      | devices with warps | 1–2048 | memory, panels registers   | tiled/      |
/// | team       | all                | all    | memory, or scratch         | team/       |
namespace carroll::detail {

/// What kernels run on: `warps` are devices, too.
enum class SolveBackend { any, host, device, warps };

/// Orders of `tiled`: up to four rows of a panel in the registers of each of 512 threads.
inline constexpr int most_solve_tiled = 2048;

struct SolveRow {
  SolvePath path;
  SolveBackend where;
  std::int64_t least, most;  ///< orders
};

/// The table. The limit of `host_batch` is by the size of what a group of matrices works on, which
/// is to stay in a second-level cache.
inline constexpr auto solve_table = std::to_array<SolveRow>({
    {SolvePath::host_batch, SolveBackend::host, 0, 48},
    {SolvePath::warp, SolveBackend::warps, 0, 32},
    {SolvePath::tiled, SolveBackend::warps, 1, most_solve_tiled},
    {SolvePath::team, SolveBackend::any, 0, std::int64_t{1} << 62},
});

/// The path of systems of n equations, never `automatic`; where what is asked for does not fit it
/// is `team`.
constexpr SolvePath solve_path(SolveBackend backend, SolveOptions const& options, std::int64_t n) {
  for (SolveRow const& row : solve_table)
    if ((options.path == SolvePath::automatic || options.path == row.path) &&
        (row.where == SolveBackend::any || row.where == backend) && row.least <= n && n <= row.most)
      return row.path;
  return SolvePath::team;
}

template <class ExecSpace>
inline constexpr SolveBackend solve_backend = has_warps<ExecSpace>    ? SolveBackend::warps
                                              : lanes<ExecSpace> == 1 ? SolveBackend::host
                                                                      : SolveBackend::device;

}  // namespace carroll::detail
