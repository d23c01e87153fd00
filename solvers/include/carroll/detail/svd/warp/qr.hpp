// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/math.hpp>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/warp/group.hpp>
#include <carroll/detail/svd/warp/jacobi.hpp>
#include <carroll/detail/unroll.hpp>

/// Householder QR with column pivoting of a matrix in a warp's registers.
namespace carroll::detail {

/// Norms of R's rows, after scaling the largest entry of A to 2^warp_top, that the kernels work
/// with: squares, and quotients of squares by norms, stay far inside the range of double.
inline constexpr int warp_top = 400;
inline constexpr int warp_bottom = -450;

/// How a factorisation went, the same for all lanes of a group.
struct WarpFactor {
  int rank;        ///< reflectors, and rows of R: the first step at which all that is left is zero
  bool usable;     ///< no row of R is out of range
  bool separated;  ///< no diagonal entry of R is much smaller than its column
};

/// Multiplies by 2^shift, shift >= -1022.
struct WarpLift {
  double up, further_up;  ///< the second is 1 but for matrices near the bottom of the range

  KOKKOS_FUNCTION explicit WarpLift(int shift)
      : up(power_of_two<double>(Kokkos::min(shift, 1023))),
        further_up(power_of_two<double>(Kokkos::max(shift - 1023, 0))) {}
  KOKKOS_FUNCTION double operator()(double x) const { return x * up * further_up; }
};

/// A column whose squared norm is of a magnitude below this counts as zero: its entries are more
/// than 2^900 times smaller than A's largest one.
inline constexpr int warp_zero = 64;

/// Of the keys of all columns the largest one tells the column with the largest norm, in its last
/// six bits, counted down from 63.
KOKKOS_INLINE_FUNCTION int pivot_key(bool open, double squares, int column) {
  return open ? (magnitude(squares) & ~63) | (63 - column) : 0;
}

/// Rows are worked on in blocks that a reflector either meets or not.
inline constexpr int warp_row_block = 4;

/// a -= tau·(v·a)·v and the same for b, v reflector k of F. 4·(m - k) flops a column, and 2·(m - k)
/// more for ‖a(k+1:)‖² and ‖b(k+1:)‖², if asked for.
template <bool measured, class Group, int K>
KOKKOS_INLINE_FUNCTION void reflect(Group const& group, WarpTile<typename Group::Shape> const& F,
                                    int k, double tau, double (&a)[K], double (&b)[K],
                                    double& a_squares, double& b_squares) {
  constexpr int block = warp_row_block;
  auto const is_above = [&](int t0) { return (t0 + block) * Group::Shape::split <= k; };
  double v[K];
  CARROLL_UNROLL
  for (int t = 0; t < K; ++t) v[t] = F(group.row(t), k);  // all at once: loads overlap
  CARROLL_UNROLL
  for (int t = 0; t < K; ++t) v[t] = group.row(t) >= k ? v[t] : 0.0;
  double a_dot[2] = {}, b_dot[2] = {};
  CARROLL_UNROLL
  for (int t0 = 0; t0 < K; t0 += block) {
    if (is_above(t0)) continue;
    CARROLL_UNROLL
    for (int t = t0; t < t0 + block && t < K; ++t) {
      a_dot[t % 2] = Kokkos::fma(v[t], a[t], a_dot[t % 2]);
      b_dot[t % 2] = Kokkos::fma(v[t], b[t], b_dot[t % 2]);
    }
  }
  double const a_step = -tau * group.sum_parts(a_dot[0] + a_dot[1]);
  double const b_step = -tau * group.sum_parts(b_dot[0] + b_dot[1]);
  double a_sum[2] = {}, b_sum[2] = {};
  CARROLL_UNROLL
  for (int t0 = 0; t0 < K; t0 += block) {
    if (is_above(t0)) continue;
    CARROLL_UNROLL
    for (int t = t0; t < t0 + block && t < K; ++t) {
      a[t] = Kokkos::fma(a_step, v[t], a[t]);
      b[t] = Kokkos::fma(b_step, v[t], b[t]);
      if (measured) {
        bool const below = group.row(t) > k;
        a_sum[t % 2] = Kokkos::fma(below ? a[t] : 0.0, a[t], a_sum[t % 2]);
        b_sum[t % 2] = Kokkos::fma(below ? b[t] : 0.0, b[t], b_sum[t % 2]);
      }
    }
  }
  if (measured) {
    a_squares = group.sum_parts(a_sum[0] + a_sum[1]);
    b_squares = group.sum_parts(b_sum[0] + b_sum[1]);
  }
}

/// A·P = Q·R (Businger and Golub 1965), A the columns 2·pair, in a, and 2·pair + 1, in b. A column
/// leaves its lane when its turn comes; F receives it, reflectors unscaled: H = I - tau·v·vᵀ with
/// tau = 2/vᵀv. `steps` >= n is the same for all lanes of the warp. Norms are formed anew in every
/// step, nothing cancels. 6·(m - k) flops a column in step k.
template <class Group, int K>
KOKKOS_INLINE_FUNCTION WarpFactor factorise(Group const& group, int n, int steps, double (&a)[K],
                                            double (&b)[K],
                                            WarpTile<typename Group::Shape> const& F) {
  int const a_column = 2 * group.pair, b_column = 2 * group.pair + 1;
  bool a_open = a_column < n, b_open = b_column < n;
  double a_squares = group.sum_parts(lane_dot(a, a));
  double b_squares = group.sum_parts(lane_dot(b, b));
  double const a_full = a_squares, b_full = b_squares;
  double const least = 1.0 / (12.0 * n * 12.0 * n);
  bool poor = false;
  bool usable = true;
  int rank = n;
  CARROLL_NO_UNROLL
  for (int k = 0; k < steps; ++k) {
    int const key = group.max(Kokkos::max(pivot_key(a_open, a_squares, a_column),
                                          pivot_key(b_open, b_squares, b_column)));
    bool const zero = key < warp_zero;
    rank = zero ? Kokkos::min(rank, k) : rank;
    usable = usable && (k >= rank || exponent_field(key) >= 1023 + 2 * warp_bottom);
    int const pivot = 63 - (key & 63);
    bool const a_mine = a_open && pivot == a_column, b_mine = b_open && pivot == b_column;
    if (a_mine || b_mine) {
      poor = poor || (a_mine ? a_squares < least * a_full : b_squares < least * b_full);
      CARROLL_UNROLL
      for (int t = 0; t < K; ++t) F(group.row(t), k) = a_mine ? a[t] : b[t];
      if (group.part == 0) F.permutation(k) = pivot;
    }
    a_open = a_open && !a_mine;
    b_open = b_open && !b_mine;
    double const squares = group.warp.from(pivot % 2 == 0 ? a_squares : b_squares,
                                           group.lane_of(pivot / 2 % Group::Shape::pairs));
    group.warp.sync();
    double const alpha = F(k, k);
    double const norm = zero ? 0.0 : fast_sqrt(squares);
    double const size = norm + Kokkos::abs(alpha);
    double const product = norm * size;
    double const tau = zero ? 0.0 : refined_reciprocal(product, rough_reciprocal(product));
    double const head = zero ? 0.0 : alpha < 0 ? -size : size;
    group.warp.sync();
    if (group.is_first() && k < n) {
      F(k, k) = head;
      F.tau(k) = tau;
      F.diagonal(k) = zero ? 0.0 : alpha < 0 ? norm : -norm;
    }
    group.warp.sync();
    reflect<true>(group, F, k, tau, a, b, a_squares, b_squares);
  }
  return {.rank = rank, .usable = usable, .separated = !group.any(poor)};
}

/// Σ f(i) for first <= i < end, in four chains.
template <class F>
KOKKOS_INLINE_FUNCTION DoubleWord<double> double_word_sum(int first, int end, F const& f) {
  DoubleWord<double> sum[4];
  for (int i = first; i < end; i += 4) CARROLL_UNROLL
  for (int k = 0; k < 4; ++k)
    if (i + k < end) sum[k] += f(i + k);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// The same factorisation, in the order of pivots found before, in double words: for matrices whose
/// small singular values would feel the rounding errors of the first. Columns of `D`, in global
/// memory, are worked on by a lane each; F receives the result rounded to single words, which is
/// harmless (see PrepareKernel): all of it, or, of longer matrices, its `rows` uppermost rows.
/// Rare.
template <class Group>
KOKKOS_INLINE_FUNCTION WarpFactor
factorise_in_double_words(Group const& group, SvdProblem<double> const& problem, WarpLift lift,
                          int rows, WarpTile<typename Group::Shape> const& F, bool works) {
  using T = DoubleWord<double>;
  int const m = problem.rows, n = problem.cols;
  Columns<T> const D = problem.double_word_factor();
  int const lane = group.warp.lane - group.first;
  bool usable = true;
  int rank = n;
  if (works)
    for (int j = lane; j < n; j += Group::Shape::width)
      for (int i = 0; i < m; ++i) D(i, j) = T(lift(problem.a(i, F.permutation(j))));
  group.warp.sync();
  for (int k = 0; k < Group::Shape::cols; ++k) {
    T alpha, norm, tau, head;
    if (works && k < rank) {
      alpha = D(k, k);
      T const squares = double_word_sum(k, m, [&](int i) { return D(i, k) * D(i, k); });
      int const size = magnitude(squares.high);
      if (size < warp_zero)
        rank = k;
      else
        norm = square_root(squares);
      usable = usable && (size < warp_zero || exponent_field(size) >= 1023 + 2 * warp_bottom);
    }
    bool const meets = works && k < rank;
    if (meets) {
      bool const negative = alpha.high < 0;
      head = negative ? alpha - norm : alpha + norm;
      tau = T(1) / (norm * (negative ? -head : head));
      auto const v = [&](int i) { return i == k ? head : D(i, k); };
      for (int j = k + 1 + lane; j < n; j += Group::Shape::width) {
        T const step = tau * double_word_sum(k, m, [&](int i) { return v(i) * D(i, j); });
        for (int i = k; i < m; ++i) D(i, j) -= step * v(i);
      }
    }
    group.warp.sync();
    if (works && k < n && lane == 0) {
      if (meets) D(k, k) = head;
      F.tau(k) = tau.high;
      F.diagonal(k) = alpha.high < 0 ? norm.high : -norm.high;
    }
    group.warp.sync();
  }
  if (works)
    for (int j = lane; j < n; j += Group::Shape::width)
      for (int i = 0; i < rows; ++i) F(i, j) = D(i, j).high;
  group.warp.sync();
  return {.rank = rank, .usable = usable, .separated = true};
}

/// A column of X = Rᵀ, row of R: this lane's rows; 0 for a column from `rank` on.
template <class Group, class Work, int K>
KOKKOS_INLINE_FUNCTION void load_triangle(Group const& group,
                                          WarpTile<typename Group::Shape> const& F, int column,
                                          int rank, int n, WarpColumn<Work, K>& p) {
  constexpr bool is_double = sizeof(Work) == sizeof(double);
  bool const inside = column < rank;
  int const k = inside ? column : 0;
  double const diagonal = F.diagonal(k);
  p.exponent = is_double || !inside ? 0 : exponent_field(magnitude(diagonal)) - 1022;
  double const down = is_double ? 1.0 : power_of_two<double>(-p.exponent);
  CARROLL_UNROLL
  for (int t = 0; t < K; ++t) {
    int const j = group.row(t);
    double const above = F(k, j);
    double const entry = (j == k ? diagonal : above) * down;
    p.x[t] = static_cast<Work>(inside && j >= k && j < n ? entry : 0.0);
  }
  p.excess = 0;
}

/// a := Q·a and the same for b. 4·m·n flops a column.
template <class Group, int K>
KOKKOS_INLINE_FUNCTION void apply_q(Group const& group, WarpTile<typename Group::Shape> const& F,
                                    int n, int steps, double (&a)[K], double (&b)[K]) {
  CARROLL_NO_UNROLL
  for (int k = steps - 1; k >= 0; --k) {
    double const tau = F.tau(k);
    double unused = 0;
    reflect<false>(group, F, k, k < n ? tau : 0.0, a, b, unused, unused);
  }
}

}  // namespace carroll::detail
