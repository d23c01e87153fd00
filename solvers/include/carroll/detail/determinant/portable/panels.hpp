// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/determinant/common/pivot.hpp>
#include <carroll/detail/determinant/portable/reduce_row.hpp>
#include <carroll/detail/team.hpp>

/// The steps of `blocked` for matrices beyond a team's scratch: b rows at a time.
///
/// With the first b rows [A11 A12] (the last ones of the caller's matrix, see problem.hpp) and the
/// columns in the order in which pivots are chosen,
///
///   [A11 A12] = L·[U11 U12],  L lower triangular with the pivots, U11 unit upper triangular,
///   X = A21·U11⁻¹,  det A = ±∏ l_kk · det(A22 − X·U12).
///
/// Only U and X are kept, in packed arrays, and only until the trailing matrix has been updated:
/// n·b entries each. A11, A12 and A21 are not written again.
namespace carroll::detail {

/// Rows of a panel. From 48 on host and device the product is bound by arithmetic; a panel must not
/// take more steps than are safe between two scalings of a row.
template <class T>
inline constexpr int panel_rows = is_complex<T> ? 32 : 64;

template <class T>
struct DeterminantPanels {
  T* panel = nullptr;        ///< b rows, padded_row(n) apart
  T* factors = nullptr;      ///< X: n rows, b apart
  int* exchanges = nullptr;  ///< b: the column that was exchanged with the k-th one
  int most = 1;              ///< panels of a host's block
};

/// Scales one matrix and starts its determinant. One team.
template <class ExecSpace, class T>
struct DeterminantStartKernel {
  DeterminantBatch<T> batch;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const member = team.league_rank();
    DeterminantState<T> state;
    start_scaled(team, batch.source_of(member), batch.n, batch.rows_of(member),
                 batch.work_of(member), state);
    Kokkos::single(Kokkos::PerTeam(team), [&] { batch.states[member] = state; });
  }
};

/// Condenses rows `first` … first+rows-1 by themselves, in a packed copy: row after row, reduced by
/// the rows above, the largest entry exchanged to the leader, the row divided by it. One team whose
/// threads share the columns; four barriers per row. rows²·(n − first) flops.
template <class ExecSpace, class T>
struct DeterminantPanelKernel {
  DeterminantBatch<T> batch;
  DeterminantPanels<T> panels;
  int first;
  int rows;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DeterminantState<T>& shared = batch.states[0];
    if (shared.done) return;
    DeterminantState<T> state = shared;
    team.team_barrier();  // all have read the state
    int const m = batch.n - first;
    int const pitch = padded_row<T>(m);
    StridedMatrix<T> const P{panels.panel, pitch, 1};
    load(team, P, m, pitch);
    auto const row_top = batch.rows_of(0).row_top + first;
    for (int k = 0; k < rows && !state.done; ++k) {
      reduce_row(team, P, k, pitch);
      StridedVector<T> const row = row_of(P, k);
      auto const pivot = Pivot<T>::find(team, row, k, m);
      if (pivot.size == 0) {
        state.finish(Status::singular);
        break;
      }
      T const p = row(pivot.column);
      state.take_pivot(p, pivot.column != k, row_top[k]);
      team.team_barrier();  // all have read the pivot
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](int i) {
        T const held = P(i, k);
        P(i, k) = P(i, pivot.column);
        P(i, pivot.column) = held;
      });
      Kokkos::single(Kokkos::PerTeam(team), [&] { panels.exchanges[k] = pivot.column; });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, k + 1, m),
                           [&](int j) { row(j) = divided(row(j), p); });
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { shared = state; });
  }

 private:
  KOKKOS_FUNCTION void load(TeamMember<ExecSpace> const& team, StridedMatrix<T> const& P, int m,
                            int pitch) const {
    StridedMatrix<T> const A = batch.work_of(0);
    StridedMatrix<T> const from{&A(first, first), A.row_stride, A.col_stride};
    for_each_entry(team, from, rows, m, [&](int i, int j) { P(i, j) = from(i, j); });
    thread_for(team, rows,
               [&](int i) { lane_for(team, pitch - m, [&](int j) { P(i, m + j) = T(0); }); });
    team.team_barrier();
  }

  KOKKOS_FUNCTION void reduce_row(TeamMember<ExecSpace> const& team, StridedMatrix<T> const& P,
                                  int k, int pitch) const {
    constexpr int width = row_tile<T>;
    EliminatedRows<T> const above{P.data, pitch};
    T* const row = &P(k, 0);
    Kokkos::single(Kokkos::PerTeam(team), [&] { reduce_factors(row, above, k); });
    team.team_barrier();
    int const begin = (k + width - 1) / width * width;
    if constexpr (lanes<ExecSpace> == 1)
      thread_for(team, (pitch - begin) / width,
                 [&](int tile) { reduce_entries<width>(row, above, k, begin + tile * width); });
    else
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, begin, pitch),
                           [&](int j) { reduce_entries<1>(row, above, k, j); });
    team.team_barrier();
  }
};

/// The panel's column exchanges on the rows below it, and X = A21·U11⁻¹, a row at a time:
/// `block` rows per thread, so that exchanges read whole lines in either order of storage. b²
/// flops and 2b exchanged entries per row.
template <class ExecSpace, class T>
struct DeterminantFactorsKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  static constexpr int block = lanes<ExecSpace> == 1 ? 16 : 1;

  DeterminantBatch<T> batch;
  DeterminantPanels<T> panels;
  int first;
  int rows;

  [[nodiscard]] int items() const { return (batch.n - first - rows + block - 1) / block; }

  KOKKOS_FUNCTION void operator()(int item) const {
    if (batch.states[0].done) return;
    StridedMatrix<T> const A = batch.work_of(0);
    int const begin = first + rows + item * block;
    int const end = Kokkos::min(begin + block, batch.n);
    for (int k = 0; k < rows; ++k) {
      int const j = first + k, l = first + panels.exchanges[k];
      for (int i = begin; i < end; ++i) {
        T const held = A(i, j);
        A(i, j) = A(i, l);
        A(i, l) = held;
      }
    }
    EliminatedRows<T> const above{panels.panel, padded_row<T>(batch.n - first)};
    for (int i = begin; i < end; ++i) {
      T row[panel_rows<T>];
      for (int k = 0; k < rows; ++k) row[k] = A(i, first + k);
      for (int k = rows; k < panel_rows<T>; ++k) row[k] = T(0);
      reduce_factors(row, above, rows);
      T* const into =
          panels.factors + static_cast<std::ptrdiff_t>(i - first - rows) * panel_rows<T>;
      for (int k = 0; k < rows; ++k) into[k] = row[k];
    }
  }
};

/// Brings rows that may have grown back into range. One team; n² entries read and written.
template <class ExecSpace, class T>
struct DeterminantRescaleKernel {
  DeterminantBatch<T> batch;
  int first;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DeterminantState<T>& state = batch.states[0];
    if (state.done) return;
    std::int64_t const exponent =
        rescale_rows(team, batch.work_of(0), batch.n, first, batch.rows_of(0).row_top);
    Kokkos::single(Kokkos::PerTeam(team),
                   [&] { state.info.value *= ScaledNumber<T>(T(1), exponent); });
  }
};

/// The results into the infos.
template <class ExecSpace, class T>
struct DeterminantFinishKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  DeterminantBatch<T> batch;

  KOKKOS_FUNCTION void operator()(int member) const {
    batch.info_of(member) = batch.states[member].info;
  }
};

}  // namespace carroll::detail
