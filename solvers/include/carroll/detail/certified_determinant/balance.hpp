// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/certified_determinant/enclose.hpp>
#include <carroll/detail/certified_determinant/problem.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>

/// C := A, its rows, its columns and its rows again scaled by powers of two, so that the largest
/// entries of all of them are in [1/2, 1). Exact but for entries that become smaller than 2^-1022.
namespace carroll::detail {

/// Stands for the exponent of a row or column of zeros.
inline constexpr int exponent_of_zero = -100000;
/// Flags of a row.
enum RowFlags { row_is_zero = 1, row_is_not_finite = 2, row_has_fractions = 4 };

/// Exponents of rows before columns are scaled, so that multiplying a row by a power of two changes
/// nothing but the result's exponent. n² entries read.
template <class Real>
struct MeasureRows {
  StridedMatrix<Real const> A;
  template <class Member>
  KOKKOS_FUNCTION void row(Member const& team, CertifiedMemory const& w, int i) const {
    Real const top = lane_max<Real>(team, w.n, [&](int j) { return Kokkos::abs(A(i, j)); });
    bool const usable = top > 0 && top <= Kokkos::Experimental::finite_max_v<Real>;
    once_per_thread(team, [&] { w.row_exponents()[i] = usable ? exponent_of(top) : 0; });
  }
};

/// Exponents of columns of what that leaves. n² entries read.
template <class Real>
struct MeasureColumns {
  StridedMatrix<Real const> A;
  KOKKOS_FUNCTION void column(CertifiedMemory const& w, int j) const {
    int const* const of_row = w.row_exponents();
    int top = int{exponent_of_zero};
    for (int i = 0; i < w.n; ++i)
      if (A(i, j) != 0) top = Kokkos::max(top, exponent_of(A(i, j)) - of_row[i]);
    w.column_exponents()[j] = top;
  }
};

/// Exponents of rows now, C, and what will be its factors. Two passes over A: 2n² entries read, 2n²
/// written.
template <class Real>
struct BalanceRows {
  StridedMatrix<Real const> A;
  template <class Member>
  KOKKOS_FUNCTION void row(Member const& team, CertifiedMemory const& w, int i) const {
    int const* const of_column = w.column_exponents();
    int flags = 0;
    int top = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, w.n),
        [&](int j, int& largest, int& found) {
          Real const x = A(i, j);
          if (!(Kokkos::abs(x) <= Kokkos::Experimental::finite_max_v<Real>)) {
            found |= row_is_not_finite;
          } else if (x != 0) {
            largest = Kokkos::max(largest, exponent_of(x) - of_column[j]);
            if (x != Kokkos::floor(x)) found |= row_has_fractions;
          }
        },
        Kokkos::Max<int>(top), Kokkos::BOr<int>(flags));
    top = Kokkos::max(top, int{exponent_of_zero});  // without an entry the least of all ints
    if (top == exponent_of_zero) flags |= row_is_zero;
    once_per_thread(team, [&] {
      w.row_exponents()[i] = top;
      w.row_flags()[i] = flags;
    });
    if (flags & (row_is_zero | row_is_not_finite)) return;
    auto const C = w.matrix(CertifiedMatrix::balanced);
    auto const F = w.matrix(CertifiedMatrix::factors);
    double const square = lane_sum<double>(team, w.n, [&](int j) {
      double const x = scale(static_cast<double>(A(i, j)), -(top + of_column[j]));
      C(i, j) = x;
      F(i, j) = x;
      return x * x;
    });
    once_per_thread(team, [&] { w.vector(CertifiedVector::row_norm)[i] = square; });
  }
};

/// What is known after that, and the info if it is all that can be known. By one thread.
template <class Real>
KOKKOS_INLINE_FUNCTION void start_certified(CertifiedMemory const& w,
                                            CertifiedDeterminantInfo<Real>& info) {
  CertifiedState state;
  for (int i = 0; i < w.n; ++i) {
    int const flags = w.row_flags()[i];
    if (flags & row_is_not_finite) state.status = Status::non_finite;
    if (flags & row_is_zero && state.status == Status::success) state.status = Status::singular;
    if (w.column_exponents()[i] == exponent_of_zero && state.status == Status::success)
      state.status = Status::singular;
    if (flags & row_has_fractions) state.integer = 0;
    state.exponent += w.row_exponents()[i] + w.column_exponents()[i];
  }
  if (state.status != Status::success) {
    info.status = state.status;
    info.value =
        state.status == Status::singular ? ScaledNumber<Real>() : ScaledNumber<Real>::nan();
    info.lower = info.upper = info.value;
    state.done = 1;
  }
  *w.state = state;
}

}  // namespace carroll::detail
