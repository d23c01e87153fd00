// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/pivot.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/distributed/detail/determinant/panel/kernels.hpp>
#include <carroll/distributed/detail/determinant/panel/warp_factors.hpp>
#include <carroll/distributed/detail/determinant/rank_update.hpp>
#include <cstddef>
#include <cstdint>

/// A panel on a device, of any number of columns: a launch per row, in which all teams take part.
/// The plain solver's teams, which wait for one another, must all have room on the device, and a
/// row of the largest matrices is more than these can hold.
///
/// With warps, 32 rows at a time are condensed so, and taken off the panel's other rows as a panel
/// is off a rank's.
namespace carroll::distributed::detail {

/// What a team proposes as the pivot of the row whose turn is next.
template <class T>
struct WideCandidate {
  RealOf<T> size = 0;
  int column = 0;  ///< of the panel
};

/// For panels of Rows rows at most. Candidates and their columns' entries are of two rows in turn;
/// so are those of the column that changes places with the pivot's.
template <class ExecSpace, class T, int Rows>
struct WidePanelMemory {
  static constexpr bool by_warps = carroll::detail::has_warps<ExecSpace>;
  static constexpr int step_rows = by_warps ? 32 : Rows;  ///< that are condensed by launches
  static constexpr int columns = by_warps ? 128 : 512;    ///< of a team

  WideCandidate<T>* candidates = nullptr;  ///< two times `teams`
  T* entries = nullptr;                    ///< two times `teams` times step_rows
  T* front = nullptr;                      ///< two times step_rows
  T* factors = nullptr;                    ///< Rows times step_rows, with warps
  int* sources = nullptr;                  ///< see RankSourcesKernel
  int teams = 0;

  [[nodiscard]] static int teams_for(int m) { return (m + columns - 1) / columns; }
  /// For a matrix of order n.
  void lay_out(carroll::detail::Arena& arena, int n) {
    teams = teams_for(n);
    candidates = arena.take<WideCandidate<T>>(std::int64_t{2} * teams);
    entries = arena.take<T>(std::int64_t{2} * teams * step_rows);
    front = arena.take<T>(2 * step_rows);
    if constexpr (by_warps) {
      factors = arena.take<T>(std::int64_t{Rows} * step_rows);
      sources = arena.take<int>(2 * step_rows);
    }
  }
};

/// Step k of a panel: row k's pivot is the largest of what the teams have proposed; its column
/// changes places with column k, row k is divided by it and taken off the rows below, and each
/// team proposes a column for row k+1. Step -1 only proposes. A thread has a column at a time.
/// 2·(rows - k) flops a column; as many entries read and written.
template <class ExecSpace, class T, int Rows>
class WidePanelStepKernel {
 public:
  using Memory = WidePanelMemory<ExecSpace, T, Rows>;
  using Policy =
      Kokkos::TeamPolicy<ExecSpace,
                         Kokkos::LaunchBounds<Memory::by_warps ? Memory::columns : 0, 0>>;
  using Member = typename Policy::member_type;

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
    Winner winner;
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
      winner = {proposed[found.loc].column, entries_of(k_, found.loc)};
      if (team.league_rank() == 0)
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          panel_.state->take_pivot(winner.entries[k_], winner.column != k_,
                                   row_top_[panel_.first + k_]);
          panel_.exchanges[k_] = panel_.before + winner.column;
        });
    }
    Found best{};
    int const begin = team.league_rank() * Memory::columns;
    int const end = Kokkos::min(begin + Memory::columns, m_);
    int const first = Kokkos::max(begin, Kokkos::max(k_, 0));
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, Kokkos::max(end - first, 0)),
        [&](int place, Found& partial) {
          int const j = first + place;
          if (k_ >= 0) reduce(j, winner);
          if (j > k_ && k_ + 1 < panel_.count)
            take(partial, carroll::detail::pivot_size(entry(k_ + 1, j)), j);
        },
        Largest(best));
    team.team_barrier();
    if (k_ + 1 < panel_.count) propose(team, best.val, best.loc, begin, end);
  }

 private:
  using Candidate = WideCandidate<T>;
  static constexpr int rows = Memory::step_rows;
  struct Winner {
    int column = 0;
    T const* entries = nullptr;
  };

  KOKKOS_FUNCTION T& entry(int i, int j) const {
    return panel_.rows[static_cast<std::ptrdiff_t>(i) * panel_.pitch + j];
  }
  /// Of the column that a team proposes for row k.
  KOKKOS_FUNCTION T* entries_of(int k, int team) const {
    return memory_.entries + (static_cast<std::ptrdiff_t>(k % 2) * memory_.teams + team) * rows;
  }
  template <class Found>
  KOKKOS_FUNCTION static void take(Found& partial, RealOf<T> size, int at) {
    if (size > partial.val || (size == partial.val && at < partial.loc)) {
      partial.val = size;
      partial.loc = at;
    }
  }

  /// Column j after step k.
  KOKKOS_FUNCTION void reduce(int j, Winner const& winner) const {
    int const count = panel_.count;
    if (j == k_) {
      for (int i = 0; i < count; ++i) entry(i, j) = winner.entries[i];
      return;
    }
    if (j == winner.column) {
      T const* const front = memory_.front + k_ % 2 * rows;
      for (int i = 0; i < count; ++i) entry(i, j) = front[i];
    }
    T const u = carroll::detail::divided(entry(k_, j), winner.entries[k_]);
    entry(k_, j) = u;
    // Several entries are on their way at a time.
    constexpr int together = sizeof(T) < 16 ? 16 : 8;
    for (int i0 = k_ + 1; i0 < count; i0 += together) {
      T held[together];
      CARROLL_UNROLL
      for (int r = 0; r < together; ++r) held[r] = i0 + r < count ? entry(i0 + r, j) : T(0);
      CARROLL_UNROLL
      for (int r = 0; r < together; ++r)
        if (i0 + r < count) held[r] -= winner.entries[i0 + r] * u;
      CARROLL_UNROLL
      for (int r = 0; r < together; ++r)
        if (i0 + r < count) entry(i0 + r, j) = held[r];
    }
  }

  KOKKOS_FUNCTION void propose(Member const& team, RealOf<T> size, int column, int begin,
                               int end) const {
    int const next = k_ + 1;
    Candidate& mine = memory_.candidates[next % 2 * memory_.teams + team.league_rank()];
    T* const entries = entries_of(next, team.league_rank());
    bool const any = Kokkos::max(begin, next) < end;
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      mine.size = any ? size : RealOf<T>(0);
      mine.column = column;
    });
    if (!any) return;
    bool const has_front = begin <= next && next < end;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, panel_.count), [&](int i) {
      entries[i] = entry(i, column);
      if (has_front) memory_.front[next % 2 * rows + i] = entry(i, next);
    });
  }

  RankPanel<T> panel_;
  Memory memory_;
  RealOf<T> const* row_top_;
  int m_, k_;
};

/// The rows of a panel into its packed copy, zeros behind them. A team for each piece of a row.
template <class ExecSpace, class T>
struct WidePanelLoadKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr int piece = 4096;

  RankProblem<T> problem;
  RankPanel<T> panel;
  int begin;  ///< of its rows

  [[nodiscard]] int teams() const { return panel.count * pieces(); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const k = team.league_rank() / pieces();
    int const first = team.league_rank() % pieces() * piece;
    int const m = problem.n - panel.first;
    T* const into = panel.rows + static_cast<std::ptrdiff_t>(k) * panel.pitch;
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, Kokkos::min(int{piece}, panel.pitch - first)),
        [&](int place) {
          int const j = first + place;
          into[j] = j < m ? problem.rows(begin + k, panel.first + j) : T(0);
        });
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION int pieces() const { return (panel.pitch + piece - 1) / piece; }
};

/// Of Memory::columns threads, where these are given; of some eight warps elsewhere.
template <class Memory, class ExecSpace, class Kernel>
void launch_wide_panel(char const* label, ExecSpace const& exec, Kernel const& kernel, int teams) {
  if constexpr (Memory::by_warps)
    carroll::detail::launch_teams(label, exec, kernel, {teams, Memory::columns});
  else
    carroll::detail::launch_fitting_teams(label, exec, kernel,
                                          {teams, carroll::detail::lanes<ExecSpace> == 1 ? 1 : 8});
}

/// A condensed part of a panel, step_rows of its rows from the one behind part.before on, off all
/// others: those above have its exchanges, those below it, too.
template <class ExecSpace, class T, int Rows>
void enqueue_wide_part(ExecSpace const& exec, RankPanel<T> const& panel, RankPanel<T> const& part,
                       WidePanelMemory<ExecSpace, T, Rows> const& memory, int n) {
  constexpr int rows = WidePanelMemory<ExecSpace, T, Rows>::step_rows;
  using Sources = RankSourcesKernel<ExecSpace, T, rows>;
  using Factors = RankWarpFactorsKernel<ExecSpace, T, rows>;
  carroll::detail::launch_teams("carroll::distributed::determinant::panel_sources", exec,
                                Sources{part, memory.sources}, Sources::teams());
  auto const take_off = [&](LocalRange range, T* factors) {
    Factors const kernel(part, memory.sources, {panel.rows + part.before, panel.pitch, 1}, range,
                         factors);
    carroll::detail::launch_teams("carroll::distributed::determinant::panel_factors", exec, kernel,
                                  kernel.teams());
  };
  take_off({0, part.before}, nullptr);
  int const next = part.before + rows;
  if (next == panel.count) return;
  take_off({next, panel.count}, memory.factors);
  enqueue_rank_update<ExecSpace, T>(
      exec, {memory.factors + std::ptrdiff_t{next} * rows, rows, 1},
      {part.rows + rows, panel.pitch, 1},
      {panel.rows + std::ptrdiff_t{next} * panel.pitch + next, panel.pitch, 1}, panel.count - next,
      n - part.first - rows, rows);
}

/// Condenses a panel, whose rows are those from place `begin` on.
template <class ExecSpace, class T, int Rows>
void enqueue_wide_panel(ExecSpace const& exec, RankProblem<T> const& problem,
                        RankPanel<T> const& panel, WidePanelMemory<ExecSpace, T, Rows> memory,
                        int begin) {
  using Memory = WidePanelMemory<ExecSpace, T, Rows>;
  WidePanelLoadKernel<ExecSpace, T> const load{problem, panel, begin};
  launch_wide_panel<Memory>("carroll::distributed::determinant::load", exec, load, load.teams());
  for (int done = 0; done < panel.count; done += Memory::step_rows) {
    RankPanel<T> part = panel;
    part.before = done;
    part.first += done;
    part.count = Kokkos::min(Memory::step_rows, panel.count - done);
    part.exchanges += done;
    part.rows += std::ptrdiff_t{done} * panel.pitch + done;
    memory.teams = memory.teams_for(problem.n - part.first);
    for (int k = -1; k < part.count; ++k)
      launch_wide_panel<Memory>("carroll::distributed::determinant::panel_step", exec,
                                WidePanelStepKernel<ExecSpace, T, Rows>(problem, part, memory, k),
                                memory.teams);
    // A part that is not whole is the matrix' last one, whose rows nobody asks for any more.
    if constexpr (Memory::by_warps)
      if (part.count == Memory::step_rows && panel.count > part.count)
        enqueue_wide_part(exec, panel, part, memory, problem.n);
  }
}

}  // namespace carroll::distributed::detail
