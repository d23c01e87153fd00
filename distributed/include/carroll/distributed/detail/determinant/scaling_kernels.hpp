// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/determinant/host/rows.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/distributed/detail/determinant/problem.hpp>
#include <cstdint>

/// What Balance (carroll/detail/determinant/common/balance.hpp) does for one matrix, as kernels for
/// a rank's rows: a team for each of them, except where columns are looked at.
namespace carroll::distributed::detail {

using carroll::detail::RealOf;

/// Exponents and largest entries of rows, and what speaks against them. n²/p entries read.
template <class ExecSpace, class T>
struct RowMeasureKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  RankProblem<T> problem;
  int* flags;  ///< HostRowFlags of all of them

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const local = team.league_rank(), i = local + problem.shift_of(local);
    StridedMatrix<T> const A = problem.numbered(local);
    using Range = carroll::detail::EntryRange<RealOf<T>>;
    Range range;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, problem.n),
        [&](int j, Range& part) { part.add(carroll::detail::largest_part(A(i, j))); }, range);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      problem.lines.row_exponent[i] = 0;
      problem.lines.row_top[i] = 1;
      if (range.bad) {
        Kokkos::atomic_or(flags, int{carroll::detail::row_non_finite});
      } else if (range.high == 0) {
        Kokkos::atomic_or(flags, int{carroll::detail::row_zero});
      } else {
        int const e = carroll::detail::exponent_of(range.high);
        if (e - carroll::detail::exponent_of(range.low) > carroll::detail::widest_row<T>)
          Kokkos::atomic_or(flags, int{carroll::detail::row_wide});
        problem.lines.row_exponent[i] = e;
        problem.lines.row_top[i] = carroll::detail::scale(range.high, -e);
      }
    });
  }
};

/// Largest entries of columns `first` … first+count-1 among a rank's rows, 0 where it has none.
template <class ExecSpace, class T>
struct ColumnTopKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  RankProblem<T> problem;
  int first;
  RealOf<T>* top;

  KOKKOS_FUNCTION void operator()(int k) const {
    RealOf<T> high = 0;
    for (int local = 0; local < problem.count; ++local) {
      auto const size = carroll::detail::largest_part(problem.rows(local, first + k));
      high = size > high ? size : high;
    }
    top[k] = high;
  }
};

/// Exponents of these columns, from what each of the ranks has found.
template <class ExecSpace, class T>
struct ColumnExponentKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  RankProblem<T> problem;
  int first, count;
  RealOf<T> const* tops;  ///< of rank r behind count·r others
  int* flags;

  KOKKOS_FUNCTION void operator()(int k) const {
    RealOf<T> high = 0;
    for (int r = 0; r < problem.ranks; ++r)
      high = Kokkos::max(high, tops[static_cast<std::int64_t>(r) * count + k]);
    if (high == 0) Kokkos::atomic_or(flags, int{carroll::detail::row_zero});
    problem.lines.col_exponent[first + k] = high == 0 ? 0 : carroll::detail::exponent_of(high);
  }
};

/// What columns take out of the determinant.
template <class ExecSpace>
struct ColumnExponentSum {
  int const* exponents;
  KOKKOS_FUNCTION void operator()(int j, std::int64_t& sum) const { sum += exponents[j]; }
};

/// Exponents and largest entries of rows of the matrix with scaled columns.
template <class ExecSpace, class T>
struct ScaledRowMeasureKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  RankProblem<T> problem;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const local = team.league_rank(), i = local + problem.shift_of(local);
    StridedMatrix<T> const A = problem.numbered(local);
    int const* const columns = problem.lines.col_exponent;
    int e = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, problem.n),
        [&](int j, int& largest) {
          auto const size = carroll::detail::largest_part(A(i, j));
          if (size > 0)
            largest = Kokkos::max(largest, carroll::detail::exponent_of(size) - columns[j]);
        },
        Kokkos::Max<int>(e));
    RealOf<T> top = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, problem.n),
        [&](int j, RealOf<T>& largest) {
          largest = Kokkos::max(
              largest,
              carroll::detail::scale(carroll::detail::largest_part(A(i, j)), -(e + columns[j])));
        },
        Kokkos::Max<RealOf<T>>(top));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      problem.lines.row_exponent[i] = e;
      problem.lines.row_top[i] = top;
    });
  }
};

/// Rows, and with `columns` columns, are divided by their powers of two, or, with `back`, rows
/// multiplied. n²/p entries read and written.
template <class ExecSpace, class T>
struct RowScaleKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  RankProblem<T> problem;
  bool columns, back = false;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const local = team.league_rank(), i = local + problem.shift_of(local);
    StridedMatrix<T> const A = problem.numbered(local);
    int const e = problem.lines.row_exponent[i];
    int const by = back ? e : -e;
    if (!columns && by == 0) return;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, problem.n), [&](int j) {
      A(i, j) =
          carroll::detail::scale_parts(A(i, j), columns ? by - problem.lines.col_exponent[j] : by);
    });
  }
};

/// The plain solver's rows of a host: measured and scaled while they are in the cache.
template <class ExecSpace, class T>
struct HostRowScaleKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  static constexpr int rows = 32;

  RankProblem<T> problem;
  int* flags;

  [[nodiscard]] int items() const { return (problem.count + rows - 1) / rows; }
  void operator()(int item) const {
    int found = 0;
    int const end = Kokkos::min((item + 1) * rows, problem.count);
    for (int local = item * rows; local < end; ++local) {
      int const i = local + problem.shift_of(local);
      int flag = 0;
      carroll::detail::with_host_vectors(
          carroll::detail::HostRowsStep<T>{problem.batch(local), i, i + 1, flag});
      found |= flag;
    }
    Kokkos::atomic_or(flags, found);
  }
};

}  // namespace carroll::distributed::detail
