// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/determinant/portable/condensation.hpp>
#include <carroll/detail/determinant/study/dodgson.hpp>
#include <carroll/detail/determinant/study/salem_said.hpp>

namespace carroll::detail {

/// The methods that condense by one row at a time in global memory, of any order: a team per
/// matrix, which is scaled first.
template <class ExecSpace, class T, class Method>
class DeterminantInPlaceKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  explicit DeterminantInPlaceKernel(DeterminantBatch<T> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const member = team.league_rank();
    int const n = batch_.n;
    DeterminantRows<T> const rows = batch_.rows_of(member);
    StridedMatrix<T> const A = batch_.work_of(member);
    DeterminantState<T> state;
    Balance<T, Member> balance(team, batch_.source_of(member), n, rows);
    Status const status = balance.measure();
    if (status != Status::success) {
      state.finish(status);
    } else {
      state.info.value = ScaledNumber<T>(T(1), balance.exponent());
      balance.copy_to(A);
      if constexpr (std::is_same_v<Method, Dodgson>) {
        auto const size = static_cast<std::ptrdiff_t>(n) * n;
        Dodgson::condense(team, A, StridedMatrix<T>{batch_.second + member * size, n, 1}, n, state);
      } else {
        Method::condense(team, A, n, rows.row_top, state);
      }
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { batch_.info_of(member) = state.info; });
  }

 private:
  DeterminantBatch<T> batch_;
};

}  // namespace carroll::detail
