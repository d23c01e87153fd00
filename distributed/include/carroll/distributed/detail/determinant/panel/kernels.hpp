// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/pivot.hpp>
#include <carroll/detail/determinant/portable/reduce_row.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/distributed/detail/determinant/problem.hpp>

/// The kernels of panels.hpp that work on a rank's rows.
namespace carroll::distributed::detail {

using carroll::detail::RealOf;

/// A condensed panel, as its owner sends it.
template <class T>
struct RankPanel {
  DeterminantState<T>* state = nullptr;
  int* exchanges = nullptr;  ///< the column that was exchanged with the k-th one
  T* rows = nullptr;         ///< `pitch` apart, from column `first` on: U
  int first = 0, count = 0;
  int pitch = 0;
  int before = 0;  ///< columns of a larger panel before its first one, which `exchanges` count, too

  /// Both counted from column `first`.
  KOKKOS_FUNCTION int exchanged(int k) const { return exchanges[k] - before; }
};

/// No part of x·u is larger, where |u| <= 1.
template <class T>
KOKKOS_INLINE_FUNCTION RealOf<T> product_bound(T const& x) {
  return carroll::detail::is_complex<T> ? 2 * carroll::detail::pivot_size(x)
                                        : carroll::detail::pivot_size(x);
}

/// A panel's column exchanges on some of a rank's rows, and their factors X = A21·U11⁻¹, a row at a
/// time (carroll/detail/determinant/portable/panels.hpp). `per_item` rows to a thread, so that
/// exchanges read whole lines in either order of storage. |u| <= 1, so that the sum of a row's
/// factors bounds what the product will add to its entries. b² flops and 2b exchanged entries a row
/// and panel of b rows.
template <class ExecSpace, class T, int Rows>
class RankFactorsKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  static constexpr int per_item = carroll::detail::lanes<ExecSpace> == 1 ? 16 : 1;

  /// `factors`: of this rank's first row on, Rows apart.
  RankFactorsKernel(RankProblem<T> const& problem, RankPanel<T> const& panel, LocalRange range,
                    T* factors)
      : problem_(problem), panel_(panel), range_(range), factors_(factors) {}
  [[nodiscard]] int items() const { return (range_.count() + per_item - 1) / per_item; }

  KOKKOS_FUNCTION void operator()(int item) const {
    if (panel_.state->done) return;
    int const begin = range_.begin + item * per_item;
    int const end = Kokkos::min(begin + per_item, range_.end);
    StridedMatrix<T> const& A = problem_.rows;
    for (int k = 0; k < panel_.count; ++k) {
      int const j = panel_.first + k, l = panel_.first + panel_.exchanges[k];
      for (int i = begin; i < end; ++i) {
        T const held = A(i, j);
        A(i, j) = A(i, l);
        A(i, l) = held;
      }
    }
    carroll::detail::EliminatedRows<T> const above{panel_.rows, panel_.pitch};
    for (int i = begin; i < end; ++i) {
      T row[Rows];
      for (int k = 0; k < panel_.count; ++k) row[k] = A(i, panel_.first + k);
      for (int k = panel_.count; k < Rows; ++k) row[k] = T(0);
      carroll::detail::reduce_factors(row, above, panel_.count);
      T* const into = factors_ + static_cast<std::ptrdiff_t>(i) * Rows;
      RealOf<T> sum = 0;
      for (int k = 0; k < panel_.count; ++k) {
        into[k] = row[k];
        sum += product_bound(row[k]);
      }
      problem_.row_bounds[i + problem_.shift_of(i)] += sum;
    }
  }

 private:
  RankProblem<T> problem_;
  RankPanel<T> panel_;
  LocalRange range_;
  T* factors_;
};

/// Rows whose bounds are so large that the next panel might leave the range are divided by a power
/// of two. A team per row, which mostly has nothing to do.
template <class ExecSpace, class T, int Rows>
struct RankRescaleKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  /// A panel's rows may grow by 2 with each step (complex numbers: by 1 + √2) and stay in range.
  static constexpr int highest = carroll::detail::exponent_bias<RealOf<T>> - 16 -
                                 (carroll::detail::is_complex<T> ? (Rows * 13 + 9) / 10 : Rows);
  static_assert(highest > 16);

  RankProblem<T> problem;
  RankPanel<T> panel;
  int begin;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const local = begin + team.league_rank(), i = local + problem.shift_of(local);
    RealOf<T> const bound = problem.row_bounds[i];
    team.team_barrier();  // all have read it
    if (panel.state->done || carroll::detail::exponent_of(bound) < highest) return;
    int const first = panel.first + panel.count;
    StridedMatrix<T> const A = problem.numbered(local);
    RealOf<T> high = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, first, problem.n),
        [&](int j, RealOf<T>& largest) {
          largest = Kokkos::max(largest, carroll::detail::largest_part(A(i, j)));
        },
        Kokkos::Max<RealOf<T>>(high));
    // A row of zeros is singular, which is found when it is its turn.
    int const e = high > 0 ? carroll::detail::exponent_of(high) : 0;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, first, problem.n),
                         [&](int j) { A(i, j) = carroll::detail::scale_parts(A(i, j), -e); });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      problem.row_bounds[i] = 1;
      problem.lines.row_top[i] = carroll::detail::scale(problem.lines.row_top[i], -e);
      problem.lines.row_exponent[i] += e;
    });
  }
};

/// The powers of two that the rows of a panel have lost, into the determinant.
template <class ExecSpace, class T>
struct RankExponentsKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  RankProblem<T> problem;
  RankPanel<T> panel;

  KOKKOS_FUNCTION void operator()(int) const {
    if (panel.state->done) return;
    std::int64_t exponent = 0;
    for (int k = 0; k < panel.count; ++k) exponent += problem.lines.row_exponent[panel.first + k];
    panel.state->info.value *= ScaledNumber<T>(T(1), exponent);
  }
};

}  // namespace carroll::distributed::detail
