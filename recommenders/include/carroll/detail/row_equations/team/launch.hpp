// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/row_equations/device/warp_row.hpp>
#include <carroll/detail/row_equations/team/kernels.hpp>
#include <carroll/detail/row_equations/team/product.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A team for each row: `Row` says what it does, with the row's equations if it
/// `solves`, and how many vectors of unknowns it has in scratch.
template <class ExecSpace, class Real, class Row>
class RowTeamKernel {
 public:
  RowTeamKernel(Row const& row, int level) : row_(row), level_(level) {}

  static std::size_t bytes_per_team(int unknowns, int threads) {
    auto const d = static_cast<std::size_t>(unknowns), t = static_cast<std::size_t>(threads);
    return (Row::vectors * d + d % 2 + t * std::max<std::size_t>(d, 2)) * sizeof(Real) + 64;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    KOKKOS_IF_ON_HOST((with_host_vectors(Body{*this, team});))
    KOKKOS_IF_ON_DEVICE((deal_with(team);))
  }

 private:
  struct Body {
    RowTeamKernel const& kernel;
    TeamMember<ExecSpace> const& team;
    template <int Bytes>
    void run() const {
      kernel.deal_with(team);
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION void deal_with(TeamMember<ExecSpace> const& team) const {
    int const d = row_.problem.unknowns(), threads = team.team_size();
    auto const numbers = static_cast<std::ptrdiff_t>(Row::vectors) * d;
    auto const even = (numbers + 1) / 2 * 2;  // sums of teams are double
    auto* const scratch = static_cast<Real*>(team.team_scratch(level_).get_shmem_aligned(
        static_cast<std::ptrdiff_t>(sizeof(Real)) * (even + threads * Kokkos::max(d, 2)), 16));
    auto const row = static_cast<std::int32_t>(team.league_rank());
    if constexpr (Row::solves)
      row_.solve(TeamRow<Real, TeamMember<ExecSpace>>(row_.problem, team, row, scratch + even), row,
                 scratch);
    else
      row_(team, row, scratch, scratch + even);
  }

  Row row_;
  int level_;
};

template <class Real, class ExecSpace, class Row>
void launch_row_teams(char const* label, ExecSpace const& exec, Row const& row) {
  if (row.problem.rows == 0) return;
  if constexpr (Row::solves && has_warps<ExecSpace>) {
    if (row.problem.unknowns() <= most_warp_unknowns)
      return launch_warp_rows<Real>(label, exec, row);
  }
  using Kernel = RowTeamKernel<ExecSpace, Real, Row>;
  int const threads = row_threads<ExecSpace>(row.problem.unknowns());
  std::size_t const bytes = Kernel::bytes_per_team(row.problem.unknowns(), threads);
  int const level = bytes <= most_team_scratch<ExecSpace>() ? 0 : 1;
  launch_teams(label, exec, Kernel(row, level),
               {.count = row.problem.rows,
                .threads = threads,
                .scratch = bytes,
                .level = level,
                .lanes = lanes<ExecSpace>});
}

}  // namespace carroll::detail
