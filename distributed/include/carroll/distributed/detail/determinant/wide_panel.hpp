// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/common/pivot.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/distributed/detail/determinant/panel_kernels.hpp>

/// A panel on a device, of any number of columns: a launch per row, in which all teams take part.
/// The plain solver's teams, which wait for one another, must all have room on the device, and a
/// row of the largest matrices is more than these can hold.
namespace carroll::distributed::detail {

/// What a team knows of the row whose turn is next.
template <class T, int Rows>
struct WideCandidate {
  RealOf<T> size = 0;
  int column = 0;   ///< of the panel
  T entries[Rows];  ///< of that column
};

/// Candidates of two rows in turn, and the entries of the column that changes places with the
/// pivot's.
template <class T, int Rows>
struct WidePanelMemory {
  WideCandidate<T, Rows>* candidates = nullptr;  ///< two times `teams`
  T* front = nullptr;                            ///< two times Rows
  int teams = 0;

  static constexpr int columns = 512;  ///< of a team
  [[nodiscard]] static int teams_for(int m) { return (m + columns - 1) / columns; }
};

/// Step k of a panel: row k's pivot is the largest of what the teams have proposed; its column
/// changes places with column k, row k is divided by it and taken off the rows below, and each
/// team proposes a column for row k+1. Step -1 only proposes. A thread has a column at a time.
/// 2·(rows - k) flops a column; as many entries read and written.
template <class ExecSpace, class T, int Rows>
class WidePanelStepKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  using Memory = WidePanelMemory<T, Rows>;

  WidePanelStepKernel(RankProblem<T> const& problem, RankPanel<T> const& panel,
                      Memory const& memory, int k)
      : panel_(panel),
        memory_(memory),
        row_top_(problem.lines.row_top),
        m_(problem.n - panel.first),
        k_(k) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (panel_.state->done) return;
    using Largest = Kokkos::MaxFirstLoc<RealOf<T>, int>;
    using Found = typename Largest::value_type;
    Candidate const* winner = nullptr;
    if (k_ >= 0) {
      Candidate const* const proposed = memory_.candidates + k_ % 2 * memory_.teams;
      Found found{};
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, memory_.teams),
          [&](int t, Found& partial) { take(partial, proposed[t].size, t); }, Largest(found));
      if (found.val == 0) {
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          if (team.league_rank() == 0) panel_.state->finish(Status::singular);
        });
        return;
      }
      winner = proposed + found.loc;
      if (team.league_rank() == 0)
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          panel_.state->take_pivot(winner->entries[k_], winner->column != k_,
                                   row_top_[panel_.first + k_]);
          panel_.exchanges[k_] = winner->column;
        });
    }
    Found best{};
    int const begin = team.league_rank() * Memory::columns;
    int const end = Kokkos::min(begin + Memory::columns, m_);
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, Kokkos::max(begin, Kokkos::max(k_, 0)), end),
        [&](int j, Found& partial) {
          if (winner) reduce(j, *winner);
          if (j > k_ && k_ + 1 < panel_.count)
            take(partial, carroll::detail::pivot_size(entry(k_ + 1, j)), j);
        },
        Largest(best));
    team.team_barrier();
    if (k_ + 1 < panel_.count) propose(team, best.val, best.loc, begin, end);
  }

 private:
  using Candidate = WideCandidate<T, Rows>;

  KOKKOS_FUNCTION T& entry(int i, int j) const {
    return panel_.rows[static_cast<std::ptrdiff_t>(i) * panel_.pitch + j];
  }
  template <class Found>
  KOKKOS_FUNCTION static void take(Found& partial, RealOf<T> size, int at) {
    if (size > partial.val || (size == partial.val && at < partial.loc)) {
      partial.val = size;
      partial.loc = at;
    }
  }

  /// Column j after step k.
  KOKKOS_FUNCTION void reduce(int j, Candidate const& winner) const {
    int const rows = panel_.count;
    if (j == k_) {
      for (int i = 0; i < rows; ++i) entry(i, j) = winner.entries[i];
      return;
    }
    if (j == winner.column) {
      T const* const front = memory_.front + k_ % 2 * Rows;
      for (int i = 0; i < rows; ++i) entry(i, j) = front[i];
    }
    T const u = carroll::detail::divided(entry(k_, j), winner.entries[k_]);
    entry(k_, j) = u;
    // Several entries are on their way at a time.
    constexpr int together = 8;
    for (int i0 = k_ + 1; i0 < rows; i0 += together) {
      T held[together];
      CARROLL_UNROLL
      for (int r = 0; r < together; ++r) held[r] = i0 + r < rows ? entry(i0 + r, j) : T(0);
      CARROLL_UNROLL
      for (int r = 0; r < together; ++r)
        if (i0 + r < rows) held[r] -= winner.entries[i0 + r] * u;
      CARROLL_UNROLL
      for (int r = 0; r < together; ++r)
        if (i0 + r < rows) entry(i0 + r, j) = held[r];
    }
  }

  KOKKOS_FUNCTION void propose(Member const& team, RealOf<T> size, int column, int begin,
                               int end) const {
    int const next = k_ + 1;
    Candidate& mine = memory_.candidates[next % 2 * memory_.teams + team.league_rank()];
    bool const any = Kokkos::max(begin, next) < end;
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      mine.size = any ? size : RealOf<T>(0);
      mine.column = column;
    });
    if (!any) return;
    bool const has_front = begin <= next && next < end;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, panel_.count), [&](int i) {
      mine.entries[i] = entry(i, column);
      if (has_front) memory_.front[next % 2 * Rows + i] = entry(i, next);
    });
  }

  RankPanel<T> panel_;
  Memory memory_;
  RealOf<T> const* row_top_;
  int m_, k_;
};

/// The rows of a panel into its packed copy, zeros behind them. A team per row.
template <class ExecSpace, class T>
struct WidePanelLoadKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  RankProblem<T> problem;
  RankPanel<T> panel;
  int begin;  ///< of its rows

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const k = team.league_rank();
    int const m = problem.n - panel.first;
    T* const into = panel.rows + static_cast<std::ptrdiff_t>(k) * panel.pitch;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, panel.pitch), [&](int j) {
      into[j] = j < m ? problem.rows(begin + k, panel.first + j) : T(0);
    });
  }
};

/// Condenses a panel, whose rows are those from place `begin` on.
template <class ExecSpace, class T, int Rows>
void enqueue_wide_panel(ExecSpace const& exec, RankProblem<T> const& problem,
                        RankPanel<T> const& panel, WidePanelMemory<T, Rows> memory, int begin) {
  constexpr int threads = carroll::detail::lanes<ExecSpace> == 1 ? 1 : 8;
  carroll::detail::launch_fitting_teams("carroll::distributed::determinant::load", exec,
                                        WidePanelLoadKernel<ExecSpace, T>{problem, panel, begin},
                                        {panel.count, threads});
  memory.teams = memory.teams_for(problem.n - panel.first);
  for (int k = -1; k < panel.count; ++k)
    carroll::detail::launch_fitting_teams(
        "carroll::distributed::determinant::panel_step", exec,
        WidePanelStepKernel<ExecSpace, T, Rows>(problem, panel, memory, k),
        {memory.teams, threads});
}

}  // namespace carroll::distributed::detail
