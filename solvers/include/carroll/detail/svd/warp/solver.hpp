// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/warp/group.hpp>
#include <carroll/detail/svd/warp/jacobi.hpp>
#include <carroll/detail/svd/warp/qr.hpp>
#include <carroll/detail/svd/warp/vectors.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// A matrix as it was found: exponent fields of its largest entries.
struct WarpRange {
  bool finite;
  bool usable;  ///< entries and columns within the range that the kernels work with
  bool turned;  ///< better worked on as its transpose
  int top;      ///< of the largest entry
};

/// The decomposition of small matrices in the registers of a warp, one call per warp.
///
///   A·P = Q·R,  Rᵀ·J = W·Σ   so that   A = (Q·J)·Σ·(P·W)ᵀ
///
/// In single precision only the sweeps are single; the rest is double, which costs little there and
/// spares column scaling and double words. The caller's matrices are read and written once; in
/// between only the reflectors leave the registers, for team scratch. Members that this does not
/// suit (scaled by more than 2^±400, not converged) are left over, whatever is wanted of them: S
/// and V must not depend on whether J is.
template <class Warp, class Real, class Shape>
class WarpSolver {
 public:
  using Group = WarpGroup<Warp, Shape>;
  using Tile = WarpTile<Shape>;

  static constexpr int reals_per_warp = Tile::reals * Shape::matrices;

  KOKKOS_FUNCTION WarpSolver(Warp const& warp, SvdBatch<Real> const& batch, Real tolerance,
                             int max_sweeps, double* scratch)
      : group_(warp),
        batch_(batch),
        tolerance_(tolerance),
        max_sweeps_(max_sweeps),
        F_{scratch + group_.slot * Tile::reals} {}

  /// Members `start`, `start` + 1, … of the list, or, where that is null, of the batch, one per
  /// group, as far as there are any.
  KOKKOS_FUNCTION void run(int start, int const* list, int count) const {
    int const place = start + group_.slot;
    bool const exists = place < count;
    int const b = exists && list ? list[place] : place;
    solve(b, exists);
  }

 private:
  static constexpr int row_parts = Shape::row_parts, col_parts = Shape::col_parts;
  using LongColumn = double[row_parts];
  using Column = double[col_parts];
  /// In single precision the sweeps do with single; the rest is double for accuracy's sake.
  using WorkColumn = WarpColumn<Real, col_parts>;

  /// What is known of a matrix when the sweeps begin.
  struct Start {
    int cols;
    int rank;   ///< columns from here on are zero
    int shift;  ///< of the exponents, by which A was scaled
    bool finite;
    bool works;
  };

  KOKKOS_FUNCTION void solve(int b, bool exists) const {
    WorkColumn p_work, q_work;
    Start const start = prepare(b, exists, p_work, q_work);
    int const n = start.cols;
    Real const tolerance = PairRule<Real>::of(tolerance_, n).tolerance;
    WarpTally const tally =
        sweep_all(group_, p_work, q_work, n, tolerance, max_sweeps_, start.works);
    int const p_column = 2 * group_.pair, q_column = p_column + 1;
    Column p, q;
    double const p_sigma = normalise(p_work, p_column < start.rank, p);
    double const q_sigma = normalise(q_work, q_column < start.rank, q);
    bool const poor = (p_column < start.rank && vanished(p_sigma)) ||
                      (q_column < start.rank && vanished(q_sigma));
    bool const any_poor = group_.any(poor);
    bool works = start.works && tally.converged && !any_poor;

    SvdProblem<Real> const problem = problem_of(b, exists);
    int p_place, q_place;
    double const largest = order(p_sigma, q_sigma, p_place, q_place);
    write_values(problem, works, tally, start.shift, largest, p_sigma, p_place, q_sigma, q_place);
    bool const deficient = works && start.rank < n;
    bool const any_deficient = group_.any_in_warp(deficient);
    if (any_deficient) {
      auto const missing = [&](int k) { return deficient && k >= start.rank && k < n; };
      complete_basis(group_, missing(p_column), missing(q_column), n, p, q);
    }
    if (works) write_right(problem, p, p_place, q, q_place);
    if (group_.any_in_warp(problem.left_cols > 0)) {
      recover_rotations(group_, F_, p_sigma, q_sigma, p, q);
      if (any_deficient) {
        set_unit(p, p_column, start.rank, n);
        set_unit(q, q_column, start.rank, n);
      }
      if (group_.any_in_warp(works && is_wide(start.rank))) {
        // Of J's of random matrices the estimate is up to 2·n units, a third of that in the middle.
        // Orders of magnitude more mean that rows of R were rounding errors.
        Real const unit = Kokkos::Experimental::epsilon_v<Real>;
        double const limit = (8 + 2 * n) * double(Kokkos::max(tolerance / 4, unit));
        bool const orthogonal = looks_orthogonal(group_, n, limit, p, q);
        bool const mended = works && problem.left_cols > 0 && is_wide(start.rank) && !orthogonal;
        if (group_.any_in_warp(mended)) orthonormalise(group_, mended, n, p_place, q_place, p, q);
      }
      write_left(problem, works, p, p_place, q, q_place);
    }
    if (exists && !start.finite) write_nan(problem);
    if (exists && start.finite && !works && group_.is_first()) batch_.fallback.add(b);
  }

  /// Whether rows of R may be rounding errors: J of others needs no look.
  KOKKOS_FUNCTION bool is_wide(int rank) const {
    return rank > 0 && Kokkos::abs(F_.diagonal(rank - 1)) < 0x1p-20 * Kokkos::abs(F_.diagonal(0));
  }

  /// Formed anew after the sweeps, so that it does not occupy registers meanwhile.
  KOKKOS_FUNCTION SvdProblem<Real> problem_of(int b, bool exists) const {
    SvdProblem<Real> problem{};
    if (exists) problem = batch_(b);
    return problem;
  }

  /// Columns that all matrices of the warp have at most.
  KOKKOS_FUNCTION int most_cols() const {
    if (batch_.slots) return Shape::cols;
    return static_cast<int>(Kokkos::min(batch_.a.extents[1], batch_.a.extents[2]));
  }

  /// A's columns, scaled and factorised, then X = Rᵀ in p and q.
  KOKKOS_FUNCTION Start prepare(int b, bool exists, WorkColumn& p, WorkColumn& q) const {
    LongColumn left, right;
    if (exists && group_.is_first()) batch_.states[b] = {};
    group_.warp.sync();
    SvdProblem<Real> problem = problem_of(b, exists);
    int const m = problem.rows, n = problem.cols;
    load(problem, left, right);
    WarpRange const range = classify(m, n, left, right);
    if (group_.any_in_warp(range.turned)) {
      if (range.turned && group_.is_first()) batch_.states[b].turned = 1;
      group_.warp.sync();
      problem = problem_of(b, exists);
      load(problem, left, right);
    }
    Start start{
        .cols = n, .rank = n, .shift = 0, .finite = range.finite, .works = exists && range.usable};
    if (range.usable && range.top > 0) start.shift = warp_top + 1022 - range.top;
    // The second factor is 1 but for matrices near the bottom of the range.
    double const up = power_of_two<double>(Kokkos::min(start.shift, 1023));
    double const further_up = power_of_two<double>(Kokkos::max(start.shift - 1023, 0));
    CARROLL_UNROLL
    for (int t = 0; t < row_parts; ++t) {
      left[t] = left[t] * up * further_up;
      right[t] = right[t] * up * further_up;
    }
    clear_tile();
    WarpFactor const factor = factorise(group_, n, most_cols(), left, right, F_);
    start.works = start.works && factor.usable;
    start.rank = factor.rank;
    if constexpr (sizeof(Real) == sizeof(double)) {
      bool const again = start.works && !factor.separated;
      if (group_.any_in_warp(again)) {
        WarpFactor const better =
            factorise_in_double_words(group_, problem, up, further_up, F_, again);
        start.works = start.works && better.usable;
        if (again) start.rank = better.rank;
      }
    }
    for (int k = group_.warp.lane - group_.first; k < n; k += Shape::width)
      F_.reciprocal(k) = k < start.rank ? 1 / F_.diagonal(k) : 0.0;
    group_.warp.sync();
    load_triangle(group_, F_, 2 * group_.pair, start.rank, n, p);
    load_triangle(group_, F_, 2 * group_.pair + 1, start.rank, n, q);
    return start;
  }

  /// So that entries outside the matrix are zero, not whatever was there.
  KOKKOS_FUNCTION void clear_tile() const {
    group_.warp.sync();
    for (int k = group_.warp.lane - group_.first; k < Tile::reals; k += Shape::width)
      F_.data[k] = 0;
    group_.warp.sync();
  }

  /// This lane's rows of columns 2·pair and 2·pair + 1 of A, 0 outside of it.
  KOKKOS_FUNCTION void load(SvdProblem<Real> const& problem, LongColumn& p, LongColumn& q) const {
    load_column(problem, 2 * group_.pair, p);
    load_column(problem, 2 * group_.pair + 1, q);
  }

  KOKKOS_FUNCTION void load_column(SvdProblem<Real> const& problem, int j, LongColumn& x) const {
    CARROLL_UNROLL
    for (int t = 0; t < row_parts; ++t) x[t] = 0;
    if (j >= problem.cols) return;
    CARROLL_UNROLL
    for (int t = 0; t < row_parts; ++t) {
      int const i = group_.row(t);
      // Rows past the last one read that one instead: loads without branches overlap.
      double const entry = problem.a(Kokkos::min(i, problem.rows - 1), j);
      x[t] = i < problem.rows ? entry : 0.0;
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
    for (int step = 1; step < Shape::split; step *= 2) {
      largest = Kokkos::max(largest, group_.warp.from(largest, group_.warp.lane ^ step));
      zero &= group_.warp.from(zero, group_.warp.lane ^ step);
    }
    return zero ? no_entry : largest;
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
      int row_top = largest(t);
      for (int step = Shape::split; step < Shape::width; step *= 2)
        row_top = Kokkos::max(row_top, group_.warp.from(row_top, group_.warp.lane ^ step));
      if (group_.row(t) < n && row_top > 0) row_bottom = Kokkos::min(row_bottom, row_top);
    }
    row_bottom = exponent_field(group_.min(row_bottom));
    return bottom - row_bottom > apart;
  }

  /// w := the column divided by its norm, which is returned; 0 for a column outside the matrix.
  KOKKOS_FUNCTION double normalise(WorkColumn const& p, bool inside, Column& w) const {
    CARROLL_UNROLL
    for (int t = 0; t < col_parts; ++t) w[t] = p.x[t];
    double const norm = Kokkos::sqrt(group_.sum_parts(lane_dot(w, w)));
    double const reciprocal = inside ? 1 / norm : 0.0;
    CARROLL_UNROLL
    for (int t = 0; t < col_parts; ++t) w[t] *= reciprocal;
    return inside ? norm * p.scale * power_of_two<double>(p.exponent) : 0.0;
  }

  /// x := a coordinate vector for a column of J that belongs to no rotation.
  KOKKOS_FUNCTION void set_unit(Column& x, int column, int rank, int n) const {
    if (column < rank || column >= n) return;
    CARROLL_UNROLL
    for (int t = 0; t < col_parts; ++t) x[t] = group_.row(t) == column ? 1.0 : 0.0;
  }

  /// Is a singular value so small that its square is not known?
  KOKKOS_FUNCTION static bool vanished(double sigma) {
    return !(exponent_field(magnitude(sigma)) > 1023 - 490);
  }

  /// Shows the singular values to all lanes and counts for each of this lane's how many come
  /// before it: larger ones, and equal ones of columns further left. Returns the largest.
  KOKKOS_FUNCTION double order(double p_sigma, double q_sigma, int& p_place, int& q_place) const {
    int const p_column = 2 * group_.pair, q_column = p_column + 1;
    if (group_.part == 0 && group_.pair < Shape::pairs) {
      F_.sigma(p_column) = p_sigma;
      F_.sigma(q_column) = q_sigma;
    }
    group_.warp.sync();
    p_place = q_place = 0;
    double largest = 0;
    CARROLL_UNROLL
    for (int k = 0; k < Shape::cols; ++k) {  // 0 outside the matrix
      double const other = F_.sigma(k);
      p_place += other > p_sigma || (other == p_sigma && k < p_column) ? 1 : 0;
      q_place += other > q_sigma || (other == q_sigma && k < q_column) ? 1 : 0;
      largest = Kokkos::max(largest, other);
    }
    return largest;
  }

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
  KOKKOS_FUNCTION static Real vector_entry(double x) { return unsigned_zero(static_cast<Real>(x)); }

  KOKKOS_FUNCTION void write_right(SvdProblem<Real> const& problem, Column const& p, int p_place,
                                   Column const& q, int q_place) const {
    bool const p_inside = 2 * group_.pair < problem.right_cols;
    bool const q_inside = 2 * group_.pair + 1 < problem.right_cols;
    CARROLL_UNROLL
    for (int t = 0; t < col_parts; ++t) {
      int const k = group_.row(t);
      int const i = F_.permutation(k);
      if (k < problem.cols && p_inside) problem.right(i, p_place) = vector_entry(p[t]);
      if (k < problem.cols && q_inside) problem.right(i, q_place) = vector_entry(q[t]);
    }
  }

  /// Q times the columns of J, and, for a square matrix of vectors, times coordinate vectors.
  KOKKOS_FUNCTION void write_left(SvdProblem<Real> const& problem, bool works, Column const& p,
                                  int p_place, Column const& q, int q_place) const {
    int const n = problem.cols;
    int const wanted = works ? problem.left_cols : 0;
    LongColumn a, b;
    CARROLL_UNROLL
    for (int t = 0; t < row_parts; ++t) {
      bool const inside = t < col_parts && group_.row(t) < n;
      a[t] = inside ? p[t < col_parts ? t : 0] : 0.0;
      b[t] = inside ? q[t < col_parts ? t : 0] : 0.0;
    }
    apply_q(group_, F_, n, most_cols(), a, b);
    int const column = 2 * group_.pair;
    write_left_columns(problem, column < n && wanted > 0 ? p_place : -1, a,
                       column + 1 < n && wanted > 0 ? q_place : -1, b);
    for (int k = n; group_.any_in_warp(k < wanted); k += Shape::cols) {
      CARROLL_UNROLL
      for (int t = 0; t < row_parts; ++t) {
        a[t] = group_.row(t) == k + column ? 1.0 : 0.0;
        b[t] = group_.row(t) == k + column + 1 ? 1.0 : 0.0;
      }
      apply_q(group_, F_, n, most_cols(), a, b);
      bool const here = group_.pair < Shape::pairs;
      write_left_columns(problem, here && k + column < wanted ? k + column : -1, a,
                         here && k + column + 1 < wanted ? k + column + 1 : -1, b);
    }
  }

  /// Column a at place `a_place` and b at `b_place`, -1 for nowhere.
  KOKKOS_FUNCTION void write_left_columns(SvdProblem<Real> const& problem, int a_place,
                                          LongColumn const& a, int b_place,
                                          LongColumn const& b) const {
    CARROLL_UNROLL
    for (int t = 0; t < row_parts; ++t) {
      int const i = group_.row(t);
      if (i >= problem.rows) continue;
      if (a_place >= 0) problem.left(i, a_place) = vector_entry(a[t]);
      if (b_place >= 0) problem.left(i, b_place) = vector_entry(b[t]);
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

  Group group_;
  SvdBatch<Real> const& batch_;
  Real tolerance_;
  int max_sweeps_;
  Tile F_;
};

}  // namespace carroll::detail
