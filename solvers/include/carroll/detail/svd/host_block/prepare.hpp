// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/common/order.hpp>
#include <carroll/detail/svd/host_block/storage.hpp>
#include <carroll/detail/svd/host_block/tiles.hpp>
#include <carroll/detail/svd/problem.hpp>

/// Between a matrix and its triangular factors, on a host.
namespace carroll::detail::blocks {

/// Rows that a thread works on at a time.
inline constexpr int stripe = 32;

/// f(i, x(i)) for 0 <= i < m; columns without gaps have a loop of their own.
template <class Real, class F>
void for_rows(StridedVector<Real const> const& x, int m, F const& f) {
  if (x.stride == 1)
    for (int i = 0; i < m; ++i) f(i, x.data[i]);
  else
    for (int i = 0; i < m; ++i) f(i, x(i));
}

/// spare := A's columns scaled by powers of two, largest entries in [1/2, 1); their norms and
/// exponents. False if a column is zero or an entry is not finite.
template <class Real, class Member>
bool load_columns(Member const& team, SvdProblem<Real> const& problem, Storage<Real> const& at) {
  int const whole = at.first_qr().end_row();
  share_out(team, at.n, [&](int j) {
    auto const a = problem.a.col(j);
    // Magnitudes are in the order of their bits, infinity and NaN above all others.
    constexpr auto sign = BitsOf<Real>{1} << (8 * sizeof(Real) - 1);
    BitsOf<Real> bits = 0;
    for_rows(a, at.m, [&](int, Real x) {
      bits = std::max(bits, Kokkos::bit_cast<BitsOf<Real>>(x) & ~sign);
    });
    Real const largest = Kokkos::bit_cast<Real>(bits);
    at.norms[j] = 0;
    if (!(largest > Real(0)) || !(largest < Kokkos::Experimental::infinity_v<Real>)) return;
    int const e = exponent_of(largest);
    Real* const to = at.spare.col(j);
    // Two factors where one could overflow.
    Real const half_down = power_of_two<Real>(-(e / 2)), rest = power_of_two<Real>(-(e - e / 2));
    for_rows(a, at.m, [&](int i, Real x) { to[i] = x * half_down * rest; });
    std::fill(to + at.m, to + whole, Real(0));
    at.norms[j] = Kokkos::sqrt(square_of(to, 0, whole));
    at.exponents[j] = e;
  });
  team.team_barrier();
  return *std::min_element(at.norms, at.norms + at.n) > Real(0);
}

/// Is a square A scaled by rows rather than by columns, by more than 2^8? See PrepareKernel.
template <class Real, class Member>
bool should_transpose(Member const& team, SvdProblem<Real> const& problem,
                      Storage<Real> const& at) {
  int const n = at.n;
  if (at.m != n) return false;
  share_out(team, (n + stripe - 1) / stripe, [&](int s) {
    int const first = s * stripe, count = std::min(stripe, n - first);
    Real largest[stripe] = {};
    StridedMatrix<Real const> const rows{problem.a.data + first * problem.a.row_stride,
                                         problem.a.row_stride, problem.a.col_stride};
    for (int j = 0; j < n; ++j)
      for_rows(rows.col(j), count,
               [&](int i, Real x) { largest[i] = std::max(largest[i], Kokkos::abs(x)); });
    for (int i = 0; i < count; ++i)
      at.order[first + i] = largest[i] > Real(0) ? exponent_of(largest[i]) : 1 << 30;
  });
  team.team_barrier();
  auto const spread = [n](int const* exponents) {
    int top = -(1 << 30), bottom = 1 << 30;
    for (int k = 0; k < n; ++k) {
      bottom = std::min(bottom, exponents[k]);
      if (exponents[k] < 1 << 30) top = std::max(top, exponents[k]);
    }
    return top - bottom;
  };
  bool const turn = spread(at.order) > spread(at.exponents) + 8;
  team.team_barrier();  // all have looked before the places are used again
  return turn;
}

/// order[k] := the column with the k-th largest norms[j]·2^exponents[j], first come first on equal
/// ones; norms are not zero. One thread.
template <class Real>
void order_columns(int n, Real const* norms, int const* exponents, int* order) {
  for (int j = 0; j < n; ++j) order[j] = j;
  std::sort(order, order + n, [&](int i, int j) { return comes_before(norms, exponents, i, j); });
}

/// Columns of `to` := those of `from` in the order given, `rows` long; exponents alike, by way of
/// `scratch`. A team.
template <class Real, class Member>
void sort_columns(Member const& team, Columns<Real> const& from, int rows, int n, Real const* norms,
                  int* exponents, int* permutation, int* scratch, Columns<Real> const& to) {
  if (team.team_rank() == 0) {
    order_columns(n, norms, exponents, permutation);
    std::copy(exponents, exponents + n, scratch);
    for (int k = 0; k < n; ++k) exponents[k] = scratch[permutation[k]];
  }
  team.team_barrier();
  share_out(team, n, [&](int k) {
    Real const* const x = from.col(permutation[k]);
    std::copy(x, x + rows, to.col(k));
  });
  team.team_barrier();
}

/// to := Rᵀ, lower triangular, for the upper triangle of R, column j scaled by exponents[j]. Column
/// i of the result, row i of R, gets its own exponent, and its norm if asked for; norms are 0 for
/// zero rows. A team; rows of a stripe at a time.
template <class Real, class Member>
void transpose(Member const& team, Columns<Real> const& R, int n, int const* exponents,
               Columns<Real> const& to, int* to_exponents, Real* norms) {
  int const whole = whole_tiles_of<Real>(n);
  share_out(team, (n + stripe - 1) / stripe, [&](int s) {
    int const first = s * stripe, last = std::min(first + stripe, n);
    constexpr int none_yet = -(1 << 30);
    int top[stripe];
    std::fill(top, top + stripe, none_yet);
    for (int j = first; j < n; ++j)
      for (int i = first; i < last && i <= j; ++i)
        if (Real const x = R(i, j); x != Real(0))
          top[i - first] = std::max(top[i - first], exponent_of(x) + exponents[j]);
    for (int i = first; i < last; ++i) {
      to_exponents[i] = top[i - first] == none_yet ? 0 : top[i - first];
      std::fill(to.col(i), to.col(i) + whole, Real(0));
    }
    constexpr int most = exponent_bias<Real> - 1;
    for (int j = first; j < n; ++j)
      for (int i = first; i < last && i <= j; ++i) {
        int const e = exponents[j] - to_exponents[i];
        to(j, i) = -most <= e && e <= most ? R(i, j) * power_of_two<Real>(e) : scale(R(i, j), e);
      }
    for (int i = first; norms && i < last; ++i)
      norms[i] = Kokkos::sqrt(square_of(to.col(i), 0, whole));
  });
  team.team_barrier();
}

}  // namespace carroll::detail::blocks
