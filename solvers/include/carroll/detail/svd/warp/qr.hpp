// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/math.hpp>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/warp/group.hpp>
#include <carroll/detail/svd/warp/jacobi.hpp>
#include <carroll/detail/unroll.hpp>
#include <type_traits>

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

/// This lane's rows of column k of F from its row `First` on, 0 above the diagonal, which is below
/// the lane's row First + warp_row_block.
template <int First, class Group, int K>
KOKKOS_INLINE_FUNCTION void load_reflector(Group const& group,
                                           WarpTile<typename Group::Shape> const& F, int k,
                                           double (&v)[K]) {
  CARROLL_UNROLL
  for (int t = First; t < K; ++t) {
    double const entry = F(group.row(t), k);
    v[t] = t >= First + warp_row_block || group.row(t) >= k ? entry : 0.0;
  }
}

/// f(std::integral_constant<int, First>), First the first of the lane's rows in the block that has
/// row k: what is above is not touched, and the code of each block is straight.
template <class Shape, int K, int First = 0, class F>
KOKKOS_INLINE_FUNCTION void from_row(int k, F const& f) {
  constexpr int next = First + warp_row_block;
  if constexpr (next < K)
    if (k >= next * Shape::split) return from_row<Shape, K, next>(k, f);
  f(std::integral_constant<int, First>());
}

/// The sum of several chains of additions.
template <int C>
KOKKOS_INLINE_FUNCTION double sum_of_chains(double (&chain)[C]) {
  CARROLL_UNROLL
  for (int half = C / 2; half > 0; half /= 2) CARROLL_UNROLL
  for (int c = 0; c < half; ++c) chain[c] += chain[c + half];
  return chain[0];
}

/// Step k of the factorisation, behind the pivot's column in F, of which `squares` is the squared
/// norm of what is left, or it is zero: a -= tau·(v·a)·v and the same for b, and ‖a(k+1:)‖² and
/// ‖b(k+1:)‖². 6·(m - k) flops a column.
template <int First, class Group, int K>
KOKKOS_INLINE_FUNCTION void factor_step(Group const& group,
                                        WarpTile<typename Group::Shape> const& F, int k, bool zero,
                                        double squares, bool inside, double (&a)[K], double (&b)[K],
                                        double& a_squares, double& b_squares) {
  double v[K];
  load_reflector<First>(group, F, k, v);
  double const alpha = F(k, k);
  double const norm = zero ? 0.0 : fast_sqrt(squares);
  double const size = norm + Kokkos::abs(alpha);
  double const head = zero ? 0.0 : alpha < 0 ? -size : size;
  double const product = norm * size;
  CARROLL_UNROLL
  for (int t = First; t < First + warp_row_block && t < K; ++t)
    v[t] = group.row(t) == k ? head : v[t];
  double a_dot[4] = {}, b_dot[4] = {};
  CARROLL_UNROLL
  for (int t = First; t < K; ++t) {
    a_dot[t % 4] = Kokkos::fma(v[t], a[t], a_dot[t % 4]);
    b_dot[t % 4] = Kokkos::fma(v[t], b[t], b_dot[t % 4]);
  }
  double const tau = zero ? 0.0 : refined_reciprocal(product, rough_reciprocal(product));
  double const a_step = -tau * group.sum_parts(sum_of_chains(a_dot));
  double const b_step = -tau * group.sum_parts(sum_of_chains(b_dot));
  double a_sum[4] = {}, b_sum[4] = {};
  CARROLL_UNROLL
  for (int t = First; t < K; ++t) {
    a[t] = Kokkos::fma(a_step, v[t], a[t]);
    b[t] = Kokkos::fma(b_step, v[t], b[t]);
    bool const below = t >= First + warp_row_block || group.row(t) > k;
    a_sum[t % 4] = Kokkos::fma(below ? a[t] : 0.0, a[t], a_sum[t % 4]);
    b_sum[t % 4] = Kokkos::fma(below ? b[t] : 0.0, b[t], b_sum[t % 4]);
  }
  a_squares = group.sum_parts(sum_of_chains(a_sum));
  b_squares = group.sum_parts(sum_of_chains(b_sum));
  group.warp.sync();  // all have read the column
  if (group.is_first() && inside) {
    F(k, k) = head;
    F.tau(k) = tau;
    F.diagonal(k) = zero ? 0.0 : alpha < 0 ? norm : -norm;
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
    from_row<typename Group::Shape, K>(k, [&](auto first) {
      factor_step<decltype(first)::value>(group, F, k, zero, squares, k < n, a, b, a_squares,
                                          b_squares);
    });
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

/// a := H₀·H₁·a and the same for b, with the reflectors k and k + 1 at once: what H₁ changes of the
/// product with the first follows from that of the two. 9·(m - k) flops a column.
template <int First, class Group, int K>
KOKKOS_INLINE_FUNCTION void reflect_twice(Group const& group,
                                          WarpTile<typename Group::Shape> const& F, int k, int n,
                                          double (&a)[K], double (&b)[K]) {
  double v[K], w[K];
  load_reflector<First>(group, F, k, v);
  load_reflector<First>(group, F, k + 1, w);
  double const v_tau = k < n ? F.tau(k) : 0.0, w_tau = k + 1 < n ? F.tau(k + 1) : 0.0;
  double av[2] = {}, aw[2] = {}, bv[2] = {}, bw[2] = {}, vw[2] = {};
  CARROLL_UNROLL
  for (int t = First; t < K; ++t) {
    aw[t % 2] = Kokkos::fma(w[t], a[t], aw[t % 2]);
    bw[t % 2] = Kokkos::fma(w[t], b[t], bw[t % 2]);
    av[t % 2] = Kokkos::fma(v[t], a[t], av[t % 2]);
    bv[t % 2] = Kokkos::fma(v[t], b[t], bv[t % 2]);
    vw[t % 2] = Kokkos::fma(v[t], w[t], vw[t % 2]);
  }
  double const a_by_w = -w_tau * group.sum_parts(aw[0] + aw[1]);
  double const b_by_w = -w_tau * group.sum_parts(bw[0] + bw[1]);
  double const both = group.sum_parts(vw[0] + vw[1]);
  double const a_by_v = -v_tau * Kokkos::fma(a_by_w, both, group.sum_parts(av[0] + av[1]));
  double const b_by_v = -v_tau * Kokkos::fma(b_by_w, both, group.sum_parts(bv[0] + bv[1]));
  CARROLL_UNROLL
  for (int t = First; t < K; ++t) {
    a[t] = Kokkos::fma(a_by_v, v[t], Kokkos::fma(a_by_w, w[t], a[t]));
    b[t] = Kokkos::fma(b_by_v, v[t], Kokkos::fma(b_by_w, w[t], b[t]));
  }
}

/// a := Q·a and the same for b; `steps` >= n is the same for all lanes of the warp. 4.5·m·n flops a
/// column.
template <class Group, int K>
KOKKOS_INLINE_FUNCTION void apply_q(Group const& group, WarpTile<typename Group::Shape> const& F,
                                    int n, int steps, double (&a)[K], double (&b)[K]) {
  CARROLL_NO_UNROLL
  for (int k = (steps - 1) / 2 * 2; k >= 0; k -= 2)
    from_row<typename Group::Shape, K>(
        k, [&](auto first) { reflect_twice<decltype(first)::value>(group, F, k, n, a, b); });
}

}  // namespace carroll::detail
