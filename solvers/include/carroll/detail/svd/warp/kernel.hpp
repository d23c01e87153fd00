// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/warp/group.hpp>
#include <carroll/detail/svd/warp/jacobi.hpp>
#include <carroll/detail/svd/warp/load_store.hpp>
#include <carroll/detail/svd/warp/qr.hpp>
#include <carroll/detail/svd/warp/vectors.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// The decomposition of small matrices in the registers of a warp, one call per warp.
///
///   A·P = Q·R,  Rᵀ·J = W·Σ   so that   A = (Q·J)·Σ·(P·W)ᵀ
///
/// In single precision only the sweeps are single; the rest is double, which costs little there and
/// spares column scaling and double words. The caller's matrices are read and written once; in
/// between only the reflectors leave the registers, for team scratch. Members that this does not
/// suit (scaled by more than 2^±400, not converged) are left over, whatever is wanted of them: S
/// and V must not depend on whether J is. `Source` says what the lanes work on: A, or the triangle
/// of a factorisation of A.
template <class Warp, class Real, class Shape, class Source = WholeMatrix<Real>>
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
    double const largest = order(group_, F_, p_sigma, q_sigma, p_place, q_place);
    WarpOutput<Group, Real> const output(group_, F_);
    output.write_values(problem, works, tally, start.shift, largest, p_sigma, p_place, q_sigma,
                        q_place);
    bool const deficient = works && start.rank < n;
    bool const any_deficient = group_.any_in_warp(deficient);
    if (any_deficient) {
      auto const missing = [&](int k) { return deficient && k >= start.rank && k < n; };
      complete_basis(group_, missing(p_column), missing(q_column), n, p, q);
    }
    if (works) output.write_right(problem, p, p_place, q, q_place);
    if (group_.any_in_warp(problem.left_cols > 0)) {
      recover_rotations(group_, F_, p_sigma, q_sigma, p, q);
      if (any_deficient) {
        set_unit(group_, p, p_column, start.rank, n);
        set_unit(group_, q, q_column, start.rank, n);
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
      output.write_left(Source::of(problem), works, most_cols(), p, p_place, q, q_place);
    }
    if (Source::is_triangle && works && group_.is_first()) batch_.states[b].converged = 1;
    if (exists && !start.finite) output.write_nan(problem);
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
    auto const matrix = Source::of(problem);
    WarpScan<Group> const scan(group_);
    scan.load(matrix, left, right);
    WarpRange const range = scan.classify(m, n, left, right);
    if (group_.any_in_warp(range.turned)) {
      if (range.turned && group_.is_first()) batch_.states[b].turned = 1;
      group_.warp.sync();
      problem = problem_of(b, exists);
      scan.load(Source::of(problem), left, right);
    }
    int const shift = range.usable && range.top > 0 ? warp_top + 1022 - range.top : 0;
    Start start{.cols = n,
                .rank = n,
                .shift = shift - matrix.exponent,
                .finite = range.finite,
                .works = exists && range.usable};
    WarpLift const lift(shift);
    CARROLL_UNROLL
    for (int t = 0; t < row_parts; ++t) {
      left[t] = lift(left[t]);
      right[t] = lift(right[t]);
    }
    clear_tile();
    WarpFactor const factor = factorise(group_, n, most_cols(), left, right, F_);
    start.works = start.works && factor.usable;
    start.rank = factor.rank;
    if constexpr (sizeof(Real) == sizeof(double)) {
      bool const again = start.works && !factor.separated;
      if (group_.any_in_warp(again)) {
        WarpFactor const better = factorise_in_double_words(group_, problem, WarpLift(start.shift),
                                                            Source::is_triangle ? n : m, F_, again);
        start.works = start.works && better.usable;
        if (again) start.rank = better.rank;
        if constexpr (Source::is_triangle)
          if (again) Source::take_reflectors(group_, problem, F_);
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

  /// w := the column divided by its norm, which is returned; 0 for a column outside the matrix.
  KOKKOS_FUNCTION double normalise(WorkColumn const& p, bool inside, Column& w) const {
    CARROLL_UNROLL
    for (int t = 0; t < col_parts; ++t) w[t] = p.x[t];
    double const norm = Kokkos::sqrt(group_.sum_parts(lane_dot(w, w)));
    double const length = Kokkos::sqrt(1 + double(p.excess));
    double const reciprocal = inside ? 1 / norm : 0.0;
    CARROLL_UNROLL
    for (int t = 0; t < col_parts; ++t) w[t] *= reciprocal;
    return inside ? norm / length * power_of_two<double>(p.exponent) : 0.0;
  }

  /// Is a singular value so small that its square is not known?
  KOKKOS_FUNCTION static bool vanished(double sigma) {
    return !(exponent_field(magnitude(sigma)) > 1023 - 490);
  }

  Group group_;
  SvdBatch<Real> const& batch_;
  Real tolerance_;
  int max_sweeps_;
  Tile F_;
};

/// Small matrices, as many to a warp as it has lanes for, each warp for itself.
///
/// Cost of s (about 5 to 7) sweeps: 2mn² flops for QR, 3·s·n³ for Jacobi, 2mn² + 2n³ for U and V.
/// Least traffic, which is met: A, U, S and V once.
template <class ExecSpace, class Real, class Shape, class Source>
class WarpKernel {
 public:
  using Solver = WarpSolver<DeviceWarp, Real, Shape, Source>;
  static constexpr int warps = Shape::warps_per_team;
  static constexpr int scratch_per_warp = Solver::reals_per_warp;
  using Policy = BoundedTeams<ExecSpace, 32 * warps, Shape::least_teams,
                              sizeof(double) * (warps * scratch_per_warp + 1)>;

  /// For `count` members: those in `list`, or, where that is null, the first ones.
  WarpKernel(SvdBatch<Real> const& batch, int const* list, int count, Real tolerance,
             int max_sweeps)
      : batch_(batch), list_(list), count_(count), tolerance_(tolerance), max_sweeps_(max_sweeps) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec, int) const {
    constexpr int per_team = warps * Shape::matrices;
    return team_policy<Policy>(exec, {.count = (count_ + per_team - 1) / per_team,
                                      .threads = 32 * warps,
                                      .scratch = sizeof(double) * (warps * scratch_per_warp + 1)});
  }

  /// Does one warp do for so many members? It then empties the list of those left over itself.
  KOKKOS_FUNCTION static constexpr bool is_alone(int const* list, int count) {
    return warps == 1 && count <= Shape::matrices && !list;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    auto* const scratch = static_cast<double*>(team.team_scratch(0).get_shmem_aligned(
        sizeof(double) * warps * scratch_per_warp, alignof(double)));
    int const warp = team.team_rank() / 32;
    if (is_alone(list_, count_) && team.team_rank() == 0) *batch_.fallback.count = 0;
    Solver const solver(warp_of_threads(team), batch_, tolerance_, max_sweeps_,
                        scratch + warp * scratch_per_warp);
    solver.run((team.league_rank() * warps + warp) * Shape::matrices, list_, count_);
  }

 private:
  SvdBatch<Real> batch_;
  int const* list_;
  int count_;
  Real tolerance_;
  int max_sweeps_;
};

/// For matrices as the caller has them.
template <class ExecSpace, class Real, class Shape>
using WholeWarpKernel = WarpKernel<ExecSpace, Real, Shape, WholeMatrix<Real>>;

}  // namespace carroll::detail
