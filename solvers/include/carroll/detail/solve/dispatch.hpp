// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/team.hpp>
#include <carroll/solve/types.hpp>
#include <cstdint>

/// Which kernels solve a system: the one place that decides. Launches, workspaces and tests read
/// this table; its first row that fits is taken. It knows a matrix's order, the backend and the
/// options, never how many matrices or right-hand sides there are: results must be the same bits in
/// every batch.
///
/// | path       | where | orders | a matrix is held by        | kernel in   |
/// | ---------- | ----- | ------ | -------------------------- | ----------- |
/// | host_batch | hosts | to 48  | a lane of vector registers | host_batch/ |
/// | team       | all   | all    | memory, or scratch         | team/       |
namespace carroll::detail {

struct SolveRow {
  SolvePath path;
  bool hosts_alone;
  std::int64_t most;  ///< orders up to
};

/// The table. The limit of `host_batch` is by the size of what a group of matrices works on, which
/// is to stay in a second-level cache.
inline constexpr SolveRow solve_table[] = {
    {SolvePath::host_batch, true, 48},
    {SolvePath::team, false, std::int64_t{1} << 62},
};

/// The path of systems of n equations, never `automatic`; where what is asked for does not fit it
/// is `team`.
constexpr SolvePath solve_path(bool host, SolveOptions const& options, std::int64_t n) {
  for (SolveRow const& row : solve_table)
    if ((options.path == SolvePath::automatic || options.path == row.path) &&
        (host || !row.hosts_alone) && n <= row.most)
      return row.path;
  return SolvePath::team;
}

template <class ExecSpace>
inline constexpr bool solves_on_host = lanes<ExecSpace> == 1;

}  // namespace carroll::detail
