// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/warp/group.hpp>
#include <carroll/detail/svd/warp/jacobi.hpp>
#include <carroll/detail/svd/warp/qr.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

/// Where a warp's matrices come from and where their vectors go.
namespace carroll::detail {

/// A matrix as it was found: exponent fields of its largest entries.
struct WarpRange {
  bool finite;
  bool usable;  ///< entries and columns within the range that the kernels work with
  bool turned;  ///< better worked on as its transpose
  int top;      ///< of the largest entry
};

/// What the lanes work on, a matrix of the problem's columns: A is 2^exponent times it, or, where
/// `left` is in the workspace, as long as it has columns, begins with it.
template <class Entry>
struct WarpMatrix {
  int rows, cols;
  StridedMatrix<Entry const> a;
  StridedMatrix<Entry> left;  ///< singular vectors of length rows
  int left_cols;
  int exponent;
};

/// A as the caller has it.
template <class Real>
struct WholeMatrix {
  static constexpr bool is_triangle = false;
  KOKKOS_FUNCTION static WarpMatrix<Real> of(SvdProblem<Real> const& problem) {
    return {problem.rows, problem.cols, problem.a, problem.left, problem.left_cols, 0};
  }
};

/// Reads A, and looks at its entries.
template <class Group>
class WarpScan {
  using Shape = typename Group::Shape;
  static constexpr int row_parts = Shape::row_parts;
  using LongColumn = double[row_parts];

 public:
  KOKKOS_FUNCTION explicit WarpScan(Group const& group) : group_(group) {}

  /// This lane's rows of columns 2·pair and 2·pair + 1 of A, 0 outside of it.
  template <class Entry>
  KOKKOS_FUNCTION void load(WarpMatrix<Entry> const& matrix, LongColumn& p, LongColumn& q) const {
    load_column(matrix, 2 * group_.pair, p);
    load_column(matrix, 2 * group_.pair + 1, q);
  }

  /// Finds NaN and Inf, the range of the entries and of the columns, and whether a square matrix is
  /// scaled by rows rather than by columns (see PrepareKernel::should_transpose).
  KOKKOS_FUNCTION WarpRange classify(int m, int n, LongColumn const& p, LongColumn const& q) const {
    int const p_top = column_magnitude(p), q_top = column_magnitude(q);
    auto const counted = [](int x) { return x == no_entry ? 0 : x; };
    WarpRange range{};
    range.top = exponent_field(group_.max(Kokkos::max(counted(p_top), counted(q_top))));
    int const bottom = exponent_field(group_.min(Kokkos::min(p_top, q_top)));
    range.finite = range.top < 2047;
    bool const zero = range.top == 0 && bottom == exponent_field(no_entry);
    range.usable = range.finite && (range.top > 0 || zero) &&
                   bottom >= range.top - (warp_top - warp_bottom - 10);
    bool const by_rows = scaled_by_rows(n, range.top, bottom, p, q);
    range.turned = range.usable && m == n && by_rows;
    return range;
  }

 private:
  template <class Entry>
  KOKKOS_FUNCTION void load_column(WarpMatrix<Entry> const& matrix, int j, LongColumn& x) const {
    CARROLL_UNROLL
    for (int t = 0; t < row_parts; ++t) x[t] = 0;
    if (j >= matrix.cols) return;
    CARROLL_UNROLL
    for (int t = 0; t < row_parts; ++t) {
      int const i = group_.row(t);
      // Rows past the last one read that one instead: loads without branches overlap.
      double const entry = matrix.a(Kokkos::min(i, matrix.rows - 1), j);
      x[t] = i < matrix.rows ? entry : 0.0;
    }
  }

  static constexpr int no_entry = 0x7fffffff;

  /// Magnitude of the largest entry of a column; `no_entry` for a zero column.
  KOKKOS_FUNCTION int column_magnitude(LongColumn const& x) const {
    int largest = 0;
    std::uint32_t low_bits = 0;
    CARROLL_UNROLL
    for (int t = 0; t < row_parts; ++t) {
      largest = Kokkos::max(largest, magnitude(x[t]));
      low_bits |= static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(x[t]));
    }
    int zero = largest == 0 && low_bits == 0;
    butterfly_up<1, Shape::split>([&](int step) {
      largest = Kokkos::max(largest, group_.warp.from(largest, group_.warp.lane ^ step));
      zero &= group_.warp.from(zero, group_.warp.lane ^ step);
    });
    return zero ? no_entry : largest;
  }

  KOKKOS_FUNCTION bool scaled_by_rows(int n, int top, int bottom, LongColumn const& p,
                                      LongColumn const& q) const {
    // Mostly every row has an entry near the largest one: a vote per row tells.
    constexpr int apart = 8;
    auto const largest = [&](int t) { return Kokkos::max(magnitude(p[t]), magnitude(q[t])); };
    std::uint32_t same_part = 0;
    for (int pair = 0; pair < Shape::pairs; ++pair) same_part |= 1U << (group_.lane_of(pair));
    bool covered = true;
    CARROLL_UNROLL
    for (int t = 0; t < row_parts; ++t) {
      auto const near_top = group_.warp.ballot(exponent_field(largest(t)) >= top - apart);
      covered = covered && (group_.row(t) >= n || (near_top & same_part) != 0);
    }
    if (!group_.any_in_warp(!covered)) return false;
    int row_bottom = no_entry;
    CARROLL_UNROLL
    for (int t = 0; t < row_parts; ++t) {
      int const row_top = lanes_max<Shape::split, Shape::width>(group_.warp, largest(t));
      if (group_.row(t) < n && row_top > 0) row_bottom = Kokkos::min(row_bottom, row_top);
    }
    row_bottom = exponent_field(group_.min(row_bottom));
    return bottom - row_bottom > apart;
  }

  Group const& group_;
};

/// Writes S, U, V and the info of a matrix.
template <class Group, class Real>
class WarpOutput {
  using Shape = typename Group::Shape;
  using Tile = WarpTile<Shape>;
  static constexpr int row_parts = Shape::row_parts, col_parts = Shape::col_parts;
  using LongColumn = double[row_parts];
  using Column = double[col_parts];

 public:
  KOKKOS_FUNCTION WarpOutput(Group const& group, Tile const& F) : group_(group), F_(F) {}

  KOKKOS_FUNCTION void write_values(SvdProblem<Real> const& problem, bool works,
                                    WarpTally const& tally, int shift, double largest,
                                    double p_sigma, int p_place, double q_sigma,
                                    int q_place) const {
    bool const p_inside = 2 * group_.pair < problem.cols;
    bool const q_inside = 2 * group_.pair + 1 < problem.cols;
    double const least = largest * problem.rows * double(Kokkos::Experimental::epsilon_v<Real>);
    int const rank =
        group_.sum(group_.part == 0 ? (p_sigma > least ? 1 : 0) + (q_sigma > least ? 1 : 0) : 0);
    if (!works) return;
    auto const write = [&](int k, double sigma) {
      problem.s(k) = static_cast<Real>(scale(sigma, -shift));
    };
    if (group_.part == 0 && p_inside) write(p_place, p_sigma);
    if (group_.part == 0 && q_inside) write(q_place, q_sigma);
    if (group_.is_first()) {
      bool const overflows = Kokkos::isinf(static_cast<Real>(scale(largest, -shift)));
      *problem.info = {.status = overflows ? Status::overflow : Status::success,
                       .sweeps = largest > 0 ? tally.sweeps : 0,
                       .rotations = tally.rotations,
                       .max_cosine = static_cast<Real>(tally.max_cosine),
                       .rank = rank};
    }
  }

  /// An entry of U or V. A ragged batch goes through more steps of the largest matrix of the class,
  /// which add zeros to the columns of smaller ones and may take the sign off a zero.
  template <class Entry>
  KOKKOS_FUNCTION static Entry vector_entry(double x) {
    return unsigned_zero(static_cast<Entry>(x));
  }

  KOKKOS_FUNCTION void write_right(SvdProblem<Real> const& problem, Column const& p, int p_place,
                                   Column const& q, int q_place) const {
    bool const p_inside = 2 * group_.pair < problem.right_cols;
    bool const q_inside = 2 * group_.pair + 1 < problem.right_cols;
    CARROLL_UNROLL
    for (int t = 0; t < col_parts; ++t) {
      int const k = group_.row(t);
      int const i = F_.permutation(k);
      if (k < problem.cols && p_inside) problem.right(i, p_place) = vector_entry<Real>(p[t]);
      if (k < problem.cols && q_inside) problem.right(i, q_place) = vector_entry<Real>(q[t]);
    }
  }

  /// `most_cols`: of all matrices of the warp. Q times the columns of J, and, for a square matrix
  /// of vectors, times coordinate vectors.
  template <class Entry>
  KOKKOS_FUNCTION void write_left(WarpMatrix<Entry> const& matrix, bool works, int most_cols,
                                  Column const& p, int p_place, Column const& q,
                                  int q_place) const {
    int const n = matrix.cols;
    int const wanted = works ? matrix.left_cols : 0;
    LongColumn a, b;
    CARROLL_UNROLL
    for (int t = 0; t < row_parts; ++t) {
      bool const inside = t < col_parts && group_.row(t) < n;
      a[t] = inside ? p[t < col_parts ? t : 0] : 0.0;
      b[t] = inside ? q[t < col_parts ? t : 0] : 0.0;
    }
    apply_q(group_, F_, n, most_cols, a, b);
    int const column = 2 * group_.pair;
    write_left_columns(matrix, column < n && wanted > 0 ? p_place : -1, a,
                       column + 1 < n && wanted > 0 ? q_place : -1, b);
    for (int k = n; group_.any_in_warp(k < wanted); k += Shape::cols) {
      CARROLL_UNROLL
      for (int t = 0; t < row_parts; ++t) {
        a[t] = group_.row(t) == k + column ? 1.0 : 0.0;
        b[t] = group_.row(t) == k + column + 1 ? 1.0 : 0.0;
      }
      apply_q(group_, F_, n, most_cols, a, b);
      bool const here = group_.pair < Shape::pairs;
      write_left_columns(matrix, here && k + column < wanted ? k + column : -1, a,
                         here && k + column + 1 < wanted ? k + column + 1 : -1, b);
    }
  }

  /// Column a at place `a_place` and b at `b_place`, -1 for nowhere.
  template <class Entry>
  KOKKOS_FUNCTION void write_left_columns(WarpMatrix<Entry> const& matrix, int a_place,
                                          LongColumn const& a, int b_place,
                                          LongColumn const& b) const {
    CARROLL_UNROLL
    for (int t = 0; t < row_parts; ++t) {
      int const i = group_.row(t);
      if (i >= matrix.rows) continue;
      if (a_place >= 0) matrix.left(i, a_place) = vector_entry<Entry>(a[t]);
      if (b_place >= 0) matrix.left(i, b_place) = vector_entry<Entry>(b[t]);
    }
  }

  KOKKOS_FUNCTION void write_nan(SvdProblem<Real> const& problem) const {
    constexpr Real nan = Kokkos::Experimental::quiet_NaN_v<Real>;
    int const lane = group_.warp.lane - group_.first;
    for (int k = lane; k < problem.cols; k += Shape::width) problem.s(k) = nan;
    for (int k = lane; k < problem.left_cols; k += Shape::width)
      for (int i = 0; i < problem.rows; ++i) problem.left(i, k) = nan;
    for (int k = lane; k < problem.right_cols; k += Shape::width)
      for (int i = 0; i < problem.cols; ++i) problem.right(i, k) = nan;
    if (group_.is_first()) {
      *problem.info = {};
      problem.info->status = Status::non_finite;
      problem.info->max_cosine = nan;
    }
  }

 private:
  Group const& group_;
  Tile const& F_;
};

}  // namespace carroll::detail
