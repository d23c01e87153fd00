// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/magnitude_range.hpp>
#include <carroll/detail/determinant/row_panel/tickets.hpp>
#include <carroll/distributed/detail/determinant/problem.hpp>
#include <cstddef>

/// What outer_block/steps.hpp needs besides the plain solver's kernels.
namespace carroll::distributed::detail {

/// A rank's rows, for kernels of rows below an outer block: `place` counts them.
template <class T>
struct RankRows {
  RankProblem<T> problem;

  [[nodiscard]] KOKKOS_FUNCTION int number(int place) const {
    return place + problem.shift_of(place);
  }
  [[nodiscard]] KOKKOS_FUNCTION StridedMatrix<T> matrix(int place) const {
    return problem.numbered(place);
  }
};

/// Before the first outer block: what scaling has found, where row panels look for it.
template <class ExecSpace, class T>
struct OuterBlockLinesKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  DeterminantRows<T> lines;
  carroll::detail::RowPanelMemory<T> memory;
  T* row_bound;

  KOKKOS_FUNCTION void operator()(int i) const {
    memory.row_exponent[i] = lines.row_exponent[i];
    memory.row_top[i] = carroll::detail::as_magnitude_range(lines.row_top[i]);
    memory.row_factor[i] = T(1);
    row_bound[i] = T(1);
  }
};

/// A rank's rows at places from `begin` on, their first `columns` columns, into rows of a matrix
/// that are numbered as all rows are. A team for each piece of a row.
template <class ExecSpace, class T>
struct RankRowsCopyKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr int piece = 4096;

  RankProblem<T> problem;
  LocalRange range;
  StridedMatrix<T> into;
  int columns;

  [[nodiscard]] int teams() const { return range.count() * pieces(); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const local = range.begin + team.league_rank() / pieces();
    int const first = team.league_rank() % pieces() * piece;
    int const number = local + problem.shift_of(local);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Kokkos::min(int{piece}, columns - first)),
                         [&](int j) { into(number, first + j) = problem.rows(local, first + j); });
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION int pieces() const { return (columns + piece - 1) / piece; }
};

/// W of an outer block in its place among the group's rows, from last to first. A team for each
/// piece of a row.
template <class ExecSpace, class T>
struct OuterBlockPackKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr int piece = 4096;
  static constexpr int rows = carroll::detail::outer_block_rows;

  carroll::detail::RowPanelMemory<T> memory;  ///< of the outer block
  StridedMatrix<T> into;                      ///< its first row is row 0
  int columns;

  [[nodiscard]] int teams() const { return rows * pieces(); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const k = team.league_rank() / pieces();
    int const first = team.league_rank() % pieces() * piece;
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, Kokkos::min(int{piece}, columns - first)),
        [&](int j) { into(rows - 1 - k, first + j) = *memory.entry_of_W(k, first + j); });
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION int pieces() const { return (columns + piece - 1) / piece; }
};

}  // namespace carroll::distributed::detail
