// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/determinant/portable/condensation.hpp>
#include <carroll/detail/determinant/study/dodgson.hpp>
#include <carroll/detail/determinant/study/salem_said.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// The methods that condense by one row at a time in global memory, of any order: a team per
/// matrix, which is scaled first.
template <class ExecSpace, class T, class Method>
struct DeterminantInPlaceKernel {
  DeterminantBatch<T> batch;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const member = team.league_rank();
    int const n = batch.n;
    DeterminantRows<T> const rows = batch.rows_of(member);
    StridedMatrix<T> const A = batch.work_of(member);
    DeterminantState<T> state;
    if (start_scaled(team, batch.source_of(member), n, rows, A, state)) {
      if constexpr (std::is_same_v<Method, Dodgson>) {
        auto const size = static_cast<std::ptrdiff_t>(n) * n;
        Dodgson::condense(team, A, StridedMatrix<T>{batch.second + member * size, n, 1}, n, state);
      } else {
        Method::condense(team, A, n, rows.row_top, state);
      }
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { batch.info_of(member) = state.info; });
  }
};

}  // namespace carroll::detail
