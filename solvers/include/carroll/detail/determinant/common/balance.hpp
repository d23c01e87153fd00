// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// What a pass over some entries tells: the largest and the smallest that is not zero, and whether
/// one is NaN or infinite.
template <class Real>
struct EntryRange {
  Real high = 0;
  Real low = Kokkos::Experimental::finite_max_v<Real>;
  int bad = 0;

  KOKKOS_FUNCTION void add(Real size) {
    if (!(size <= Kokkos::Experimental::finite_max_v<Real>)) {
      bad = 1;
      return;
    }
    if (size > high) high = size;
    if (size > 0 && size < low) low = size;
  }
  KOKKOS_FUNCTION EntryRange& operator+=(EntryRange const& other) {
    high = other.high > high ? other.high : high;
    low = other.low < low ? other.low : low;
    bad |= other.bad;
    return *this;
  }
};

}  // namespace carroll::detail

template <class Real>
struct Kokkos::reduction_identity<carroll::detail::EntryRange<Real>> {
  KOKKOS_FORCEINLINE_FUNCTION static constexpr carroll::detail::EntryRange<Real> sum() {
    return {};
  }
};

namespace carroll::detail {

/// f(i, j) for all entries of a rows×cols matrix, in the order in which they stand in memory.
template <class T, class Member, class F>
KOKKOS_INLINE_FUNCTION void for_each_entry(Member const& team, StridedMatrix<T> const& A, int rows,
                                           int cols, F const& f) {
  if (Kokkos::abs(A.col_stride) <= Kokkos::abs(A.row_stride))
    thread_for(team, rows, [&](int i) { lane_for(team, cols, [&](int j) { f(i, j); }); });
  else
    thread_for(team, cols, [&](int j) { lane_for(team, rows, [&](int i) { f(i, j); }); });
}

/// The range of `count` entries of a row or column, by the lanes of one thread.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION EntryRange<RealOf<T>> range_of(Member const& team,
                                                      StridedVector<T const> const& entries,
                                                      int count) {
  EntryRange<RealOf<T>> range;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, count),
      [&](int j, EntryRange<RealOf<T>>& partial) { partial.add(largest_part(entries(j))); }, range);
  return range;
}

template <class T>
KOKKOS_INLINE_FUNCTION StridedVector<T> row_of(StridedMatrix<T> const& A, int i) {
  return A.transposed().col(i);
}

/// Equilibration by powers of two, which are exact: every row's largest entry is brought into
/// [1/2, 1). Pivots are chosen within a row, so that this changes none, and no digit of the result;
/// it makes elimination safe from over- and underflow, and growth a matter of rows. Where a row's
/// entries differ so much that the small ones could underflow, columns are scaled before rows.
///
/// Two passes over A, the second with the copy: 2n² entries read, n² written.
template <class T, class Member>
class Balance {
 public:
  using Real = RealOf<T>;

  KOKKOS_FUNCTION Balance(Member const& team, StridedMatrix<T const> const& A, int n,
                          DeterminantRows<T> const& rows)
      : team_(team), A_(A), n_(n), rows_(rows) {}

  /// Finds the exponents. Ends with a barrier; all threads get the same answer, which is `success`
  /// while nothing speaks against a determinant that is not 0.
  KOKKOS_FUNCTION Status measure() {
    int flags = measure_rows();
    if (flags & non_finite) return Status::non_finite;
    if (flags & zero) return Status::singular;
    columns_ = flags & wide;
    if (columns_ && measure_columns()) return Status::singular;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team_, n_),
        [&](int k, std::int64_t& sum) {
          sum += rows_.row_exponent[k] + (columns_ ? rows_.col_exponent[k] : 0);
        },
        exponent_);
    team_.team_barrier();
    return Status::success;
  }

  /// Log₂ of what scaling has taken out of the determinant.
  KOKKOS_FUNCTION std::int64_t exponent() const { return exponent_; }

  /// B := A, scaled. B may be A. Ends with a barrier.
  KOKKOS_FUNCTION void copy_to(StridedMatrix<T> const& B) const {
    for_each_entry(team_, B, n_, n_, [&](int i, int j) { B(i, j) = scaled(i, j); });
    team_.team_barrier();
  }

 private:
  enum Flags { non_finite = 1, zero = 2, wide = 4 };

  KOKKOS_FUNCTION T scaled(int i, int j) const {
    int const e = rows_.row_exponent[i];
    if (!columns_ && Kokkos::abs(e) < exponent_bias<Real>) return A_(i, j) * power_of_two<Real>(-e);
    return scale_parts(A_(i, j), -(e + (columns_ ? rows_.col_exponent[j] : 0)));
  }

  KOKKOS_FUNCTION int measure_rows() const {
    int flags = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team_, n_),
        [&](int i, int& found) {
          auto const range = range_of<T>(team_, row_of(A_, i), n_);
          if (range.bad) {
            found |= non_finite;
          } else if (range.high == 0) {
            found |= zero;
          } else {
            int const e = exponent_of(range.high);
            if (e - exponent_of(range.low) > widest_row<T>) found |= wide;
            once_per_thread(team_, [&] {
              rows_.row_exponent[i] = e;
              rows_.row_top[i] = scale(range.high, -e);
            });
          }
        },
        Kokkos::BOr<int>(flags));
    return flags;
  }

  /// Columns, and rows of the matrix with scaled columns. True if a column is zero.
  KOKKOS_FUNCTION bool measure_columns() const {
    int flags = 0;
    team_.team_barrier();  // exponents of rows have been written
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team_, n_),
        [&](int j, int& found) {
          auto const range = range_of<T>(team_, A_.col(j), n_);
          if (range.high == 0) {
            found |= zero;
          } else {
            once_per_thread(team_, [&] { rows_.col_exponent[j] = exponent_of(range.high); });
          }
        },
        Kokkos::BOr<int>(flags));
    team_.team_barrier();
    if (flags) return true;
    thread_for(team_, n_, [&](int i) {
      int e = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team_, n_),
          [&](int j, int& largest) {
            Real const size = largest_part(A_(i, j));
            if (size > 0) largest = Kokkos::max(largest, exponent_of(size) - rows_.col_exponent[j]);
          },
          Kokkos::Max<int>(e));
      Real const top = lane_max<Real>(team_, n_, [&](int j) {
        return scale(largest_part(A_(i, j)), -(e + rows_.col_exponent[j]));
      });
      once_per_thread(team_, [&] {
        rows_.row_exponent[i] = e;
        rows_.row_top[i] = top;
      });
    });
    team_.team_barrier();
    return false;
  }

  Member const& team_;
  StridedMatrix<T const> A_;
  int n_;
  DeterminantRows<T> rows_;
  bool columns_ = false;
  std::int64_t exponent_ = 0;
};

/// Scales A, of order n, into `to`, and starts its determinant; false where that is all there is to
/// it.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION bool start_scaled(Member const& team, StridedMatrix<T const> const& A, int n,
                                         DeterminantRows<T> const& rows, StridedMatrix<T> const& to,
                                         DeterminantState<T>& state) {
  Balance<T, Member> balance(team, A, n, rows);
  Status const status = balance.measure();
  if (status != Status::success) {
    state.finish(status);
    return false;
  }
  state.info.value = ScaledNumber<T>(T(1), balance.exponent());
  balance.copy_to(to);
  return true;
}

/// Brings the largest entries of rows `first` … n-1, columns from `first` on, back into [1/2, 1).
/// Returns log₂ of what that takes out of the determinant, to all threads. Ends with a barrier.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION std::int64_t rescale_rows(Member const& team, StridedMatrix<T> const& A,
                                                 int n, int first, RealOf<T>* row_top) {
  std::int64_t exponent = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamThreadRange(team, n - first),
      [&](int k, std::int64_t& sum) {
        int const i = first + k;
        StridedVector<T> const row{&A(i, first), A.col_stride};
        auto const high =
            lane_max<RealOf<T>>(team, n - first, [&](int j) { return largest_part(row(j)); });
        if (high == 0) return;  // singular, found when it is this row's turn
        int const e = exponent_of(high);
        lane_for(team, n - first, [&](int j) { row(j) = scale_parts(row(j), -e); });
        once_per_thread(team, [&] { row_top[i] = scale(row_top[i], -e); });
        sum += e;
      },
      exponent);
  team.team_barrier();
  return exponent;
}

}  // namespace carroll::detail
