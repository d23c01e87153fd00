// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/warp/condition.hpp>
#include <carroll/detail/solve/warp/eliminate.hpp>
#include <carroll/detail/solve/warp/load.hpp>
#include <carroll/detail/solve/warp/shape.hpp>
#include <carroll/detail/solve/warp/sides.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Small systems in the registers of a warp, up to eight of them, all of it in one kernel: a lane
/// has a row of A, then of L and U, and last, for many right-hand sides, a column of X. A and B are
/// read once, X is written once, lanes side by side in memory.
///
/// 2n³ flops to eliminate, as lanes that are done wait for the others, where 2n³/3 would do; 2n²
/// for each right-hand side, and as many lanes wait where it has a lane of its own; n² + 2nk words.
/// Complex numbers are two words and four times the flops.
template <class ExecSpace, class Value, class Shape, bool Inverts>
class SolveWarpKernel {
  static constexpr int matrices = Shape::matrices;
  using Real = RealOf<Value>;
  using Group = LaneGroup<Shape>;
  using Matrix = SolveWarpMatrix<Value, Shape>;
  using Sides = SolveWarpSides<Value, Shape>;

 public:
  static constexpr std::size_t matrix_bytes = sizeof(Matrix) * matrices;
  using Policy = BoundedPolicy<ExecSpace, typename SolveWarpBounds<Value, Shape>::type>;

  SolveWarpKernel(SolveBatch<Value> const& batch, int members) : batch_(batch), members_(members) {}

  /// Of a team; columns that have lanes of their own want room to change places.
  static std::size_t scratch_bytes(std::int64_t columns) {
    return (!Inverts && columns >= Shape::least_sides ? 2 : 1) * (matrix_bytes + alignof(Matrix));
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Group const group(warp_of_threads(team));
    std::int64_t const k = std::int64_t{team.league_rank()} * matrices + group.slot;
    bool const exists = k < members_;  // lanes without a system repeat the first, and write nothing
    int const member = exists ? static_cast<int>(k) : 0;
    SolveProblem<Value> problem = batch_(member);
    Matrix& scratch = matrix_of(team, group);
    int const n = problem.n;
    SolveWarpRow<Value, Shape> own;
    read_matrix(group, problem.a, n, n, scratch, own.a);
    auto const sizes = equilibrate(group, n, Inverts || batch_.condition, scratch, own);
    SolveVerdict<Real> verdict;
    Real largest = 0;
    verdict.singular =
        !SolveWarpElimination<Value, Shape>(group, scratch, n).factorise(own, largest);
    if (sizes.largest > Real(0))
      verdict.growth = Kokkos::max(sizes.largest, largest) / sizes.largest;
    verdict.broken = !(verdict.growth < Kokkos::Experimental::infinity_v<Real>);
    verdict.rcond = n > 0 ? -1 : 1;
    if constexpr (!Inverts)
      if (batch_.condition && n > 0)
        verdict.rcond =
            reciprocal_condition(sizes.norm, estimate_inverse_norm(group, n, scratch, own));
    // Complex ones have no registers left: formed anew.
    if constexpr (is_complex<Value>) problem = batch_(opaque_register(member));
    Sides sides(group, problem, exists, sizes.even);
    if constexpr (Inverts)
      verdict.rcond = reciprocal_condition(sizes.norm, sides.invert(own, scratch));
    else
      solve_sides(team, group, own, scratch, sides);
    // All lanes ask, whatever is known of their matrices.
    bool const finite = group.ballot(!sides.finite) == 0;
    bool const broken = group.ballot(sides.broken) != 0;
    verdict.overflow = group.ballot(sides.overflow) != 0;
    verdict.finite = sizes.finite && finite;
    verdict.broken = verdict.broken || broken;
    group.warp.sync();  // X is written again
    if (verdict.refuses()) sides.refuse();
    if (group.row == 0 && exists) *problem.info = verdict.info();
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static Matrix& matrix_of(TeamMember<ExecSpace> const& team,
                                                       Group const& group) {
    return static_cast<Matrix*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{matrix_bytes}, alignof(Matrix)))[group.slot];
  }

  /// Whole strips of columns, and what is left of them, if that is worth it, by lanes of their own;
  /// before that, while rows are in registers, what is not.
  KOKKOS_FORCEINLINE_FUNCTION void solve_sides(TeamMember<ExecSpace> const& team,
                                               Group const& group,
                                               SolveWarpRow<Value, Shape> const& own,
                                               Matrix const& factors, Sides& sides) const {
    int const columns = static_cast<int>(batch_.x.extents[2]), rest = columns % Shape::order;
    int const strips = rest < Shape::least_sides ? columns - rest : columns;
    int j = strips;
    CARROLL_NO_UNROLL
    for (; j + 1 < columns; j += 2) sides.template solve_spread<2>(own, j);
    if (j < columns) sides.template solve_spread<1>(own, j);
    if (strips == 0) return;
    Matrix& room = matrix_of(team, group);
    CARROLL_NO_UNROLL
    for (j = 0; j < strips; j += Shape::order) sides.solve_columns(own, factors, room, j);
  }

  SolveBatch<Value> batch_;
  int members_;
};

/// Kernels for the order of the systems.
template <class Value>
class SolveWarpLaunch {
 public:
  explicit SolveWarpLaunch(SolveBatch<Value> const& batch) : batch_(batch) {}

  template <class ExecSpace, class... Shapes>
  void enqueue(ExecSpace const& exec, LaneShapeList<Shapes...> list) const {
    int const wanted = list.class_of(batch_.x.extents[1]);
    int shape = 0;
    ((shape++ == wanted ? enqueue_shape<Shapes>(exec) : void()), ...);
  }

 private:
  template <class Shape, class ExecSpace>
  void enqueue_shape(ExecSpace const& exec) const {
    if (batch_.inverse)
      enqueue_kernel<Shape, SolveWarpKernel<ExecSpace, Value, Shape, true>>(exec);
    else
      enqueue_kernel<Shape, SolveWarpKernel<ExecSpace, Value, Shape, false>>(exec);
  }

  template <class Shape, class Kernel, class ExecSpace>
  void enqueue_kernel(ExecSpace const& exec) const {
    int const members = static_cast<int>(batch_.x.extents[0]);
    launch_teams("carroll::solve::warp", exec, Kernel(batch_, members),
                 {.count = members / Shape::matrices + (members % Shape::matrices != 0 ? 1 : 0),
                  .threads = 32,
                  .scratch = Kernel::scratch_bytes(batch_.x.extents[2])});
  }

  SolveBatch<Value> batch_;
};

template <class ExecSpace, class Value>
void enqueue_solve_warp(ExecSpace const& exec, SolveBatch<Value> const& batch) {
  SolveWarpLaunch<Value>(batch).enqueue(exec, SolveShapes{});
}

}  // namespace carroll::detail
