// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/determinant/row_panel/pivot_exchange.hpp>
#include <carroll/detail/determinant/row_panel/pivots.hpp>
#include <carroll/detail/determinant/row_panel/plan.hpp>

/// How the teams of one launch share the condensation of a matrix by row panels.
///
/// Some teams, as many as share the first row panel, have row panels for their only work: each
/// keeps its columns of a row panel in registers, and brings those of the next row panel up to date
/// itself. What is behind that is updated by the other teams. Their tasks, a row panel and a block
/// of rows each, stand in one order, in which each depends on earlier ones and on row panels only,
/// and teams take them in this order, so that none waits for a task that nobody has taken. All
/// teams of a matrix that have row panels must run at the same time, with one of the others at
/// least.
namespace carroll::detail {

/// Which task has a given number, asked in ascending order.
struct RowPanelTickets {
  RowPanelPlan const& plan;
  int row_panel = 0;  ///< whose update it is
  int block = 0;

  /// False behind the last one.
  KOKKOS_FUNCTION bool find(int number) {
    while (row_panel < plan.row_panels() && number >= base_ + plan.blocks_behind(row_panel))
      base_ += plan.blocks_behind(row_panel++);
    block = plan.first_behind(row_panel) + number - base_;
    return row_panel < plan.row_panels();
  }

  int base_ = 0;  ///< number of the row panel's first task
};

/// What a row panel tells those who update with it, besides W.
struct RowPanelRecord {
  int pivots[32];
  alignas(16) int holes[32];  ///< columns that are filled, `filled` of them
  int fillers[32];
  int filled;
};

/// What the teams of one matrix share, in memory: zeros in a new workspace, and written anew when a
/// matrix has been measured (row_panel/start.hpp).
template <class T>
struct RowPanelProgress {
  std::uint64_t measured = 0;  ///< how many teams have measured their rows, and found what
  Status status = Status::success;
  int balanced = 0;  ///< the matrix has been scaled, in `work`
  int decided = 0;   ///< the above are known (row_panel/leader/kernel.hpp)
  RowPanelState<T> state;
};

/// The arrays of one matrix, as one launch sees them.
template <class T>
struct RowPanelMemory {
  RowPanelProgress<T>* progress;
  RowPanelRecord* records;  ///< a ring of RowPanelPlan::ring
  T* W;                     ///< of as many row panels, rows of `pitch`, columns from last to first
  int pitch;
  T* next;  ///< two row panels, rows of `pitch`: the one at hand, up to date, and the next one
  T* pivots;
  T* row_top;
  T* row_factor;              ///< power of two by which a row is multiplied when it is read
  int* row_exponent;          ///< log₂ of what has been taken out of it
  int* columns;               ///< that the rows' pivots stood in
  std::uint64_t* lead_words;  ///< of TeamLead, followed by those …
  std::uint64_t* words;       ///< … of PivotExchange
  int* ticket;                ///< of the next task
  int* published;             ///< per row panel: teams that have written their share of W, and more
  int* finished;              ///< per row panel: tasks that have read its W
  int* applied;               ///< per block: row panels that it has been updated with
  int* leader_ticket;  ///< of row_panel/leader/kernel.hpp, like those that follow: of the next task
  int* delivered;      ///< per row panel: blocks that are there
  std::uint64_t* told;  ///< a word per pivot

  [[nodiscard]] KOKKOS_FUNCTION T* entry_of_W(int row, int column) const {
    return W + static_cast<std::ptrdiff_t>(row) * pitch + (pitch - 1 - column);
  }
};

/// The extents of RowPanelWorkspace, for one matrix.
struct RowPanelExtents {
  int n = 0;                                 ///< order
  int W_rows = 0;                            ///< kept
  int records = 0;                           ///< kept
  int row_panels = 0;                        ///< of one launch
  int blocks = 0;                            ///< of one launch
  int teams = 0;                             ///< that share a row panel
  int leader_row_panels = 0;                 ///< of row_panel/leader/kernel.hpp
  static constexpr int row_panel_rows = 32;  ///< at most

  RowPanelExtents() = default;
  explicit RowPanelExtents(RowPanelPlan const& plan)
      : n(plan.n),
        W_rows(plan.ring * plan.R),
        records(plan.ring),
        row_panels(plan.row_panels()),
        blocks(plan.blocks()),
        teams(plan.teams(0)) {}
};

/// The arrays of all matrices, one after the other. Every count begins with 0.
template <class T>
struct RowPanelWorkspace {
  RowPanelExtents extents;
  int teams_at_once = 0;  ///< that run at the same time at least (row_panel/launch.hpp)
  RowPanelProgress<T>* progress = nullptr;
  RowPanelRecord* records = nullptr;
  T* scalars = nullptr;
  int* ints = nullptr;
  std::uint64_t* words = nullptr;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t scalars_per_member() const {
    return (std::int64_t{extents.W_rows} + 2 * extents.row_panel_rows + 3) * extents.n;
  }
  /// Counters, to be zeroed.
  [[nodiscard]] KOKKOS_FUNCTION int counters() const {
    return 1 + 2 * extents.row_panels + extents.blocks;
  }
  /// Counters and exponents.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t ints_per_member() const {
    return counters() + 2 * extents.n + 1 + extents.leader_row_panels;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t words_per_member() const {
    return shared_words() + extents.leader_row_panels * extents.row_panel_rows;
  }

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t shared_words() const {
    return extents.teams > 1 ? lead_words() + 2 * extents.teams * PivotExchange<T>::words_per_team
                             : 0;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t lead_words() const {
    return std::int64_t{extents.row_panel_rows} * TeamLead<T>::words_per_step;
  }

  /// Integers for some members.
  [[nodiscard]] std::int64_t all_ints(std::int64_t members) const {
    return members * ints_per_member() + 3;
  }
  /// How many teams have started; behind all other integers, and followed by two of
  /// row_panel/leader/kernel.hpp.
  [[nodiscard]] KOKKOS_FUNCTION int* started(int members) const {
    return ints + members * ints_per_member();
  }
  [[nodiscard]] KOKKOS_FUNCTION RowPanelMemory<T> of(int member) const {
    RowPanelMemory<T> memory;
    memory.progress = progress + member;
    memory.records = records + member * extents.records;
    memory.W = scalars + member * scalars_per_member();
    memory.pitch = extents.n;
    memory.next = memory.W + std::int64_t{extents.W_rows} * extents.n;
    memory.pivots = memory.next + 2 * std::int64_t{extents.row_panel_rows} * extents.n;
    memory.row_top = memory.pivots + extents.n;
    memory.row_factor = memory.row_top + extents.n;
    memory.ticket = ints + member * ints_per_member();
    memory.published = memory.ticket + 1;
    memory.finished = memory.published + extents.row_panels;
    memory.applied = memory.finished + extents.row_panels;
    memory.row_exponent = memory.applied + extents.blocks;
    memory.columns = memory.row_exponent + extents.n;
    memory.leader_ticket = memory.columns + extents.n;
    memory.delivered = memory.leader_ticket + 1;
    memory.lead_words = words + member * words_per_member();
    memory.words = memory.lead_words + lead_words();
    memory.told = memory.lead_words + shared_words();
    return memory;
  }
};

/// Where in the matrix a launch works: rows from `first` on, and which part of the rings is its.
struct RowPanelStage {
  int first = 0;
  int W_row = 0;
  int record = 0;

  template <class T>
  [[nodiscard]] KOKKOS_FUNCTION RowPanelMemory<T> in(RowPanelMemory<T> memory) const {
    memory.records += record;
    memory.W += static_cast<std::ptrdiff_t>(W_row) * memory.pitch;
    memory.pivots += first;
    memory.row_top += first;
    memory.row_factor += first;
    memory.row_exponent += first;
    memory.columns += first;
    return memory;
  }
  /// Its first row and column 0 as the origin.
  template <class T>
  [[nodiscard]] KOKKOS_FUNCTION StridedMatrix<T> in(StridedMatrix<T> const& A) const {
    return {A.data + first * A.row_stride, A.row_stride, A.col_stride};
  }
};

}  // namespace carroll::detail
