// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/double_word.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/common/column_sum.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/team.hpp>
#include <limits>

/// Householder QR with column pivoting on scaled columns, by one team, and what is done with it.
namespace carroll::detail {

/// A part of a column this many powers of two below the column's largest entry is zero to the
/// factorisation: 2^-80 in single, 2^-918 in double precision, far below the column's rounding
/// errors.
template <class Real>
inline constexpr int negligible_exponent =
    2 * std::numeric_limits<Real>::digits - std::numeric_limits<Real>::max_exponent;

/// √Σ x(i)², given the plain sum of squares, for entries of magnitude at most about 1. A small sum
/// is formed again from entries that are scaled up, so that entries whose squares underflow count.
/// T is a floating-point type or its DoubleWord.
template <SummedRows rows, class T, class Member, class Entry>
KOKKOS_INLINE_FUNCTION T norm_from_squares(Member const& team, int n, Entry const& x,
                                           T const& squares) {
  using Real = decltype(leading(squares));
  if (leading(squares) > power_of_two<Real>(negligible_exponent<Real>)) return square_root(squares);
  Real const largest = lane_max<Real>(team, n, [&](int i) { return Kokkos::abs(leading(x(i))); });
  if (largest == Real(0)) return T(0);
  int const e = exponent_of(largest);
  if (e < negligible_exponent<Real>) return T(0);
  T const up = power_of_two<Real>(-e);
  T const scaled = column_sum<rows, T>(team, n, [&](int i) { return (x(i) * up) * (x(i) * up); });
  return scale(square_root(scaled), e);
}

template <SummedRows rows, class T, class Member>
KOKKOS_INLINE_FUNCTION T column_norm(Member const& team, T const* column, int n) {
  auto const x = [&](int i) { return column[i]; };
  T const squares = column_sum<rows, T>(team, n, [&](int i) { return x(i) * x(i); });
  return norm_from_squares<rows>(team, n, x, squares);
}

/// The first of the largest norms[j]·2^exponents[j], k <= j < n.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION int largest_column(Member const& team, T const* norms, int const* exponents,
                                          int k, int n) {
  using Real = decltype(leading(*norms));
  constexpr int zero = -(1 << 30);
  auto const remaining = Kokkos::ThreadVectorRange(team, k, n);
  auto const exponent = [&](int j) {
    Real const norm = leading(norms[j]);
    return norm == Real(0) ? zero : exponents[j] + exponent_of(norm);
  };
  int top = zero;
  Kokkos::parallel_reduce(
      remaining, [&](int j, int& partial) { partial = Kokkos::max(partial, exponent(j)); },
      Kokkos::Max<int>(top));
  if (top == zero) return k;
  auto const mantissa = [&](int j) {
    return exponent(j) == top ? scale(leading(norms[j]), exponents[j] - top) : Real(0);
  };
  Real largest = 0;
  Kokkos::parallel_reduce(
      remaining, [&](int j, Real& partial) { partial = Kokkos::max(partial, mantissa(j)); },
      Kokkos::Max<Real>(largest));
  int first = n;
  Kokkos::parallel_reduce(
      remaining,
      [&](int j, int& partial) {
        if (mantissa(j) == largest) partial = Kokkos::min(partial, j);
      },
      Kokkos::Min<int>(first));
  return first;
}

/// F·P = Q·R for m×n F whose column j stands for F(:, j)·2^exponents[j] (Businger and Golub 1965).
///
/// On return column k holds R's entries above and on the diagonal, scaled by exponents[k], and
/// below it the tail of the reflector I - tau[k]·v·vᵀ, v = (0, …, 0, 1, tail). permutation[k] is
/// the original place of column k, and exponents are permuted alike. Norms of the remaining columns
/// are summed afresh in the pass that updates them: nothing is downdated, so nothing can cancel.
///
/// In double words (T = DoubleWord) what is left of a column keeps its digits when little is left.
/// norms[j] = ‖F(:, j)‖ on entry. Returns the number of reflectors: the first step at which all the
/// remaining columns vanish. One thread per column, three barriers a step; 3mn² - n³ flops.
template <SummedRows rows, class T, class Member>
KOKKOS_INLINE_FUNCTION int pivoted_qr(Member const& team, Columns<T> const& F, int n,
                                      int* exponents, T* norms, T* tau, int* permutation) {
  int const m = F.rows;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), [&](int j) { permutation[j] = j; });
  team.team_barrier();
  int const steps = m < n ? m : n;
  for (int k = 0; k < steps; ++k) {
    int const pivot = largest_column(team, norms, exponents, k, n);
    T const norm = norms[pivot];
    T const alpha = F(k, pivot);
    team.team_barrier();  // all have read the pivot before it moves
    if (leading(norm) == 0) return k;
    T const beta = leading(alpha) < 0 ? norm : -norm;

    T* const to = F.col(k);
    T* const from = F.col(pivot);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, m), [&](int i) {
      T const x = from[i];
      from[i] = to[i];
      to[i] = i < k ? x : i == k ? beta : x / (alpha - beta);
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      tau[k] = (beta - alpha) / beta;
      norms[pivot] = norms[k];
      Kokkos::kokkos_swap(exponents[k], exponents[pivot]);
      Kokkos::kokkos_swap(permutation[k], permutation[pivot]);
    });
    team.team_barrier();

    // Entry 0 of the reflector, 1, is left out of the storage; entry 0 of a column is R's.
    auto const v = [&](int i) { return i == 0 ? T(1) : to[k + i]; };
    thread_for(team, n - k - 1, [&](int j) {
      T* const column = F.col(k + 1 + j) + k;
      T const w =
          tau[k] * column_sum<rows, T>(team, m - k, [&](int i) { return v(i) * column[i]; });
      auto const below = [&](int i) { return i == 0 ? T(0) : column[i]; };
      T const squares = column_sum<rows, T>(team, m - k, [&](int i) {
        column[i] -= w * v(i);
        return below(i) * below(i);
      });
      T const remaining = norm_from_squares<rows>(team, m - k, below, squares);
      once_per_thread(team, [&] { norms[k + 1 + j] = remaining; });
    });
    team.team_barrier();
  }
  return steps;
}

/// y := H₀·H₁⋯H_{count-1}·y with the reflectors of `pivoted_qr`; one thread, y strided, no barrier.
template <SummedRows rows, class Real, class Member>
KOKKOS_INLINE_FUNCTION void apply_reflectors(Member const& team, Columns<Real> const& F,
                                             Real const* tau, int count,
                                             StridedVector<Real> const& y) {
  for (int k = count - 1; k >= 0; --k) {
    Real const* const v = F.col(k) + k;
    auto const entry = [&](int i) { return i == 0 ? Real(1) : v[i]; };
    int const n = F.rows - k;
    Real const w =
        tau[k] * column_sum<rows, Real>(team, n, [&](int i) { return entry(i) * y(k + i); });
    lane_for(team, n, [&](int i) { y(k + i) -= w * entry(i); });
  }
}

/// T := Rᵀ for the `rank` rows of the upper trapezoidal R in F, n columns scaled by exponents.
/// Column i of T, row i of R, gets its own exponent and, if asked for, its norm. Rows of R from
/// `rank` on count as zero; T has `columns` columns and n rows, or fewer if T.rows says so.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void transpose_triangle(Member const& team, Columns<Real> const& F, int rank,
                                               int const* exponents, Columns<Real> const& T,
                                               int columns, int* t_exponents, Real* t_norms) {
  int const n = T.rows;
  thread_for(team, columns, [&](int i) {
    constexpr int none_yet = -(1 << 30);
    int top = none_yet;
    if (i < rank)
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, n - i),
          [&](int k, int& partial) {
            Real const x = F(i, i + k);
            int const e = x == Real(0) ? none_yet : exponent_of(x) + exponents[i + k];
            partial = e > partial ? e : partial;
          },
          Kokkos::Max<int>(top));
    bool const zero = top == none_yet;
    Real* const t = T.col(i);
    lane_for(team, n,
             [&](int j) { t[j] = zero || j < i ? Real(0) : scale(F(i, j), exponents[j] - top); });
    Real const norm = t_norms && !zero ? column_norm<SummedRows::few>(team, t, n) : Real(0);
    once_per_thread(team, [&] {
      t_exponents[i] = zero ? 0 : top;
      if (t_norms) t_norms[i] = norm;
    });
  });
  team.team_barrier();
}

}  // namespace carroll::detail
