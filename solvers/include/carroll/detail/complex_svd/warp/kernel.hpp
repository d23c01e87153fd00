// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/complex_svd/range.hpp>
#include <carroll/detail/complex_svd/warp/factorise.hpp>
#include <carroll/detail/complex_svd/warp/shape.hpp>
#include <carroll/detail/complex_svd/warp/sweeps.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// The decomposition of complex matrices of up to 32 rows and columns by the lanes of a warp, up to
/// eight matrices to one:
///
///   B·P = Q·R,  Rᴴ·J = W·Σ   so that   B = (Q·J)·Σ·(P·W)ᴴ
///
/// Reflectors, R and J are in scratch, columns of X = Rᴴ in registers while they are swept. A is
/// read once (twice where it is turned), U, S and V are written once, lanes side by side in memory.
/// What does not suit it (not finite; columns of zeros or of very different sizes; columns of which
/// less is left than range; sweeps that do not converge), whatever vectors are wanted, goes onto
/// the fallback list.
template <class ExecSpace, class Real, class Shape>
class ComplexSvdWarpKernel {
  static constexpr int order = Shape::order, matrices = Shape::matrices;
  using Value = Kokkos::complex<Real>;
  using Group = LaneGroup<Shape>;
  using Scratch = ComplexWarpScratch<Real, Shape>;
  using Factor = ComplexWarpFactor<Real, Shape>;
  using Sweeps = ComplexWarpSweeps<Real, Shape>;

  /// Registers that a lane wants. A first choice, not tuned.
  static constexpr int registers = order * int{sizeof(Real)} / 2 * Sweeps::columns_held + 60;

 public:
  static constexpr std::size_t scratch_bytes = sizeof(Scratch) * matrices;
  static constexpr int wanted = 2048 / (registers < 255 ? registers : 255);
  using Policy =
      BoundedTeams<ExecSpace, 32, warps_at_once(wanted, scratch_bytes), scratch_bytes + 16>;

  ComplexSvdWarpKernel(ComplexSvdBatch<Real> const& batch, SvdOptions const& options)
      : batch_(batch),
        tolerance_(static_cast<Real>(options.tolerance)),
        max_sweeps_(options.max_sweeps) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Group const group(warp_of_threads(team));
    std::int64_t const k = std::int64_t{team.league_rank()} * matrices + group.slot;
    bool const exists = k < batch_.members();
    // The last one stands in for those that there are not, so that all have the same extents.
    int const b = exists ? static_cast<int>(k) : batch_.members() - 1;
    Scratch& scratch = static_cast<Scratch*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{scratch_bytes}, alignof(Scratch)))[group.slot];
    solve(group, scratch, b, exists);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void solve(Group const& group, Scratch& scratch, int b,
                                         bool exists) const {
    bool turned = batch_.rows() < batch_.cols();
    ComplexSvdProblem<Real> problem = batch_(b, turned);
    int const m = problem.rows, n = problem.cols;
    Factor const factor(group, scratch);
    factor.load(problem);
    auto range = factor.look(m, n);
    if (group.warp.ballot(range.turns) != 0) {
      turned = turned != range.turns;
      problem = batch_(b, turned);
      group.warp.sync();
      factor.load(problem);
      auto const again = factor.look(m, n);
      if (range.turns) range = again;
    }
    factor.scale_down(m, n, range.usable ? range.top : 0);
    bool works = factor.factorise(m, n) && range.usable;

    Sweeps sweeps(group, factor);
    sweeps.load_triangle(n);
    bool const accumulates = group.warp.ballot(problem.left_cols > 0) != 0;
    if (accumulates) sweeps.start_rotations();
    Real const tolerance = PairRule<Real>::of(tolerance_, 2 * n).tolerance;
    SvdInfo<Real> info = sweeps.sweep_all(n, tolerance, max_sweeps_, works, accumulates);
    if (accumulates) sweeps.finish_rotations();
    // Formed anew, so that it does not occupy registers meanwhile.
    problem = batch_(opaque_register(b), opaque_register(int{turned}) != 0);
    Real const squares = sweeps.squares();
    Real const sigma = group.row < n ? sweeps.length(squares) : Real(0);
    bool const vanished = group.row < n && !(sigma > power_of_two<Real>(-complex_svd_range<Real>));
    bool const any_vanished = group.ballot(vanished) != 0;  // by all lanes of the warp
    works = works && info.status == Status::success && !any_vanished;
    if (exists && !works && group.row == 0) batch_.fallback.add(b);
    bool const writes = exists && works;
    write_values(group, scratch, problem, info, sigma, range.top, writes);
    if (problem.left_cols > 0 && writes) turn_left(group, factor, problem);
    group.warp.sync();
    if (problem.left_cols > 0 && writes) write_left(group, scratch, factor, problem);
    if (group.row < n && writes) {
      auto const w = factor.F(group.row);
      Real const norm = Kokkos::sqrt(squares);
      CARROLL_UNROLL
      for (int i = 0; i < order; ++i) w.set(i, {sweeps.re[i] / norm, sweeps.im[i] / norm});
    }
    group.warp.sync();
    if (problem.right_cols > 0 && writes) write_right(group, scratch, factor, problem);
  }

  /// S, the order, and the info.
  KOKKOS_FORCEINLINE_FUNCTION static void write_values(Group const& group, Scratch& scratch,
                                                       ComplexSvdProblem<Real> const& problem,
                                                       SvdInfo<Real>& info, Real sigma, int top,
                                                       bool writes) {
    int const t = group.row, n = problem.cols;
    int place = 0;
    for (int k = 0; k < n; ++k) {
      Real const other = group.from(sigma, k);
      place += other > sigma || (other == sigma && k < t) ? 1 : 0;
    }
    Real const largest = group.max(sigma);
    bool const counts =
        t < n && sigma > largest * problem.rows * Kokkos::Experimental::epsilon_v<Real>;
    info.rank = group.count(counts);
    if (!writes) return;
    if (Kokkos::isinf(scale(largest, top))) info.status = Status::overflow;
    if (t < n) {
      problem.s(place) = scale(sigma, top);
      scratch.columns[place] = t;
    }
    if (t == 0) *problem.info = info;
  }

  /// J := Q·[J 0; 0 I], a column to a lane.
  KOKKOS_FORCEINLINE_FUNCTION static void turn_left(Group const& group, Factor const& factor,
                                                    ComplexSvdProblem<Real> const& problem) {
    if (group.row < problem.left_cols)
      factor.apply(problem.rows, problem.cols, factor.J(group.row));
  }

  /// The sign of a zero says whether other matrices of the warp have turned.
  KOKKOS_FORCEINLINE_FUNCTION static Value unsigned_zeros(Value const& z) {
    return {z.real() + Real(0), z.imag() + Real(0)};
  }

  /// f(i, k) for entries of a matrix in the caller's memory, lanes side by side there.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION static void for_entries(Group const& group,
                                                      StridedMatrix<Value> const& to, int rows,
                                                      int cols, F const& f) {
    bool const down = to.row_stride <= to.col_stride;
    int const lines = down ? cols : rows, entries = down ? rows : cols;
    if (group.row >= entries) return;
    for (int line = 0; line < lines; ++line) down ? f(group.row, line) : f(line, group.row);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void write_left(Group const& group, Scratch const& scratch,
                                                     Factor const& factor,
                                                     ComplexSvdProblem<Real> const& problem) {
    for_entries(group, problem.left, problem.rows, problem.left_cols, [&](int i, int k) {
      problem.left(i, k) = unsigned_zeros(factor.J(k < problem.cols ? scratch.columns[k] : k)(i));
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION static void write_right(Group const& group, Scratch const& scratch,
                                                      Factor const& factor,
                                                      ComplexSvdProblem<Real> const& problem) {
    for_entries(group, problem.right, problem.cols, problem.right_cols, [&](int i, int k) {
      problem.right(scratch.permutation[i], k) = unsigned_zeros(factor.F(scratch.columns[k])(i));
    });
  }

  ComplexSvdBatch<Real> batch_;
  Real tolerance_;
  int max_sweeps_;
};

/// The kernel of the smallest shape that the matrices fit: rows() and cols() from 1 to
/// 32.
template <class ExecSpace, class Real>
class ComplexSvdWarpLaunch {
 public:
  ComplexSvdWarpLaunch(ExecSpace const& exec, ComplexSvdBatch<Real> const& batch,
                       SvdOptions const& options)
      : exec_(exec), batch_(batch), options_(options) {}

  template <class... Shapes>
  void enqueue(LaneShapeList<Shapes...> list) {
    int const own = list.class_of(batch_.rows() > batch_.cols() ? batch_.rows() : batch_.cols());
    int shape = 0;
    ((shape++ == own ? enqueue_shape<Shapes>() : void()), ...);
  }

 private:
  template <class Shape>
  void enqueue_shape() {
    using Kernel = ComplexSvdWarpKernel<ExecSpace, Real, Shape>;
    constexpr std::size_t alignment = 16;
    launch_teams("carroll::svd::complex_warp", exec_, Kernel(batch_, options_),
                 {.count = (batch_.members() - 1) / Shape::matrices + 1,
                  .threads = 32,
                  .scratch = Kernel::scratch_bytes + alignment});
  }

  ExecSpace exec_;
  ComplexSvdBatch<Real> batch_;
  SvdOptions options_;
};

template <class ExecSpace, class Real>
void enqueue_complex_svd_warp(ExecSpace const& exec, ComplexSvdBatch<Real> const& batch,
                              SvdOptions const& options) {
  ComplexSvdWarpLaunch<ExecSpace, Real>(exec, batch, options).enqueue(ComplexWarpShapes{});
}

}  // namespace carroll::detail
