// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/determinant/common/pivot.hpp>
#include <carroll/detail/determinant/portable/condensation.hpp>
#include <carroll/detail/determinant/portable/reduce_row.hpp>
#include <carroll/detail/determinant/portable/scratch_size.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// `blocked` for matrices that fit a team's scratch: one team per matrix, read once, with neither
/// the matrix nor its factors written back. Condensation as in portable/condensation.hpp; on a host
/// row by row, each reduced by all rows above it when it is its turn, which keeps sums in
/// registers, in a team of one thread. n² entries read, 2n³/3 flops.
template <class ExecSpace, class T>
class DeterminantScratchKernel {
 public:
  static constexpr bool on_host = lanes<ExecSpace> == 1;

  explicit DeterminantScratchKernel(DeterminantBatch<T> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const n = batch_.order_of(team.league_rank());
    auto const& scratch = team.team_scratch(int{scratch_level_of<ExecSpace>});
    int const pitch = padded_row<T>(n);
    auto const take = [&](std::size_t bytes) { return scratch.get_shmem_aligned(bytes, 16); };
    T* const a = static_cast<T*>(take(static_cast<std::size_t>(n) * pitch * sizeof(T)));
    DeterminantRows<T> rows;
    rows.row_top = static_cast<RealOf<T>*>(take(n * sizeof(RealOf<T>)));
    rows.row_exponent = static_cast<int*>(take(n * sizeof(int)));
    rows.col_exponent = static_cast<int*>(take(n * sizeof(int)));

    DeterminantState<T> state;
    StridedMatrix<T> const A{a, pitch, 1};
    if (start_scaled(team, batch_.source_of(team.league_rank()), n, rows, A, state)) {
      if constexpr (on_host)
        condense_by_rows(team, A, n, rows.row_top, state);
      else
        Condensation::condense(team, A, n, rows.row_top, state);
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { batch_.info_of(team.league_rank()) = state.info; });
  }

 private:
  KOKKOS_FUNCTION static void condense_by_rows(TeamMember<ExecSpace> const& team,
                                               StridedMatrix<T> const& A, int n, RealOf<T>* row_top,
                                               DeterminantState<T>& state) {
    int const pitch = static_cast<int>(A.row_stride);
    EliminatedRows<T> const above{A.data, pitch};
    for (int i = 0; i < n; ++i)
      for (int j = n; j < pitch; ++j) A(i, j) = T(0);
    for (int k = 0; k < n; ++k) {
      T* const row = &A(k, 0);
      for (int j = reduce_factors(row, above, k); j < pitch; j += row_tile<T>)
        reduce_entries<row_tile<T>>(row, above, k, j);
      auto const pivot = Pivot<T>::find(team, row_of(A, k), k, n);
      if (pivot.size == 0) return state.finish(Status::singular);
      T const p = row[pivot.column];
      state.take_pivot(p, pivot.column != k, row_top[k]);
      if (pivot.column != k) {
        for (int i = 0; i < n; ++i) {
          T const held = A(i, k);
          A(i, k) = A(i, pivot.column);
          A(i, pivot.column) = held;
        }
      }
      for (int j = k + 1; j < n; ++j) row[j] = divided(row[j], p);
    }
  }

  DeterminantBatch<T> batch_;
};

}  // namespace carroll::detail
