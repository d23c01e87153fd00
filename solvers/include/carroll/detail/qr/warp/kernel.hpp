// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/classes.hpp>
#include <carroll/detail/qr/plan.hpp>
#include <carroll/detail/qr/warp/reflector.hpp>
#include <carroll/detail/qr/warp/reflectors.hpp>
#include <carroll/detail/qr/warp/shape.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// The factorisation of small matrices in the registers of a warp, up to eight of them: a lane has
/// a column of A, then one of Q (QrWarpReflectors). A is read, Q and R are written once, lanes side
/// by side in memory, for which columns pass through scratch where memory has them one after the
/// other.
///
/// 4mn² flops for R and as many for thin Q, of which a half would do, of complex numbers four times
/// as many; mn + mn + n² words.
template <class ExecSpace, class Value, class Shape, bool Pivots>
class QrWarpKernel {
  using Real = RealOf<Value>;
  static constexpr int order = Shape::order, matrices = Shape::matrices;
  using Reflectors = QrWarpReflectors<Value, Shape, Pivots>;
  using Scratch = typename Reflectors::Scratch;
  using Column = typename Reflectors::Column;
  using Group = typename Reflectors::Group;

 public:
  static constexpr std::size_t most_scratch = sizeof(Scratch) * matrices;
  using Policy =
      BoundedTeams<ExecSpace, 32, warps_at_once(Shape::warps, most_scratch), most_scratch + 16>;
  static constexpr std::size_t scratch_bytes(QrMode /*mode*/) { return most_scratch; }

  QrWarpKernel(QrBatch<Value> const& batch, int members) : batch_(batch), members_(members) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Group const group(warp_of_threads(team));
    std::int64_t const k = std::int64_t{team.league_rank()} * matrices + group.slot;
    QrProblem<Value> const problem =
        k < members_ ? batch_(batch_.index(static_cast<int>(k))) : QrProblem<Value>{};
    Scratch& scratch = static_cast<Scratch*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{most_scratch}, alignof(Scratch)))[group.slot];
    Column own;
    bool const finite = load(group, problem, scratch, own);
    if constexpr (Pivots) make_comparable(group, problem, own);
    int const steps = problem.reflectors();
    int most = steps;  // of the warp
    if constexpr (matrices > 1) most = group.warp.max(most);
    Reflectors reflectors(group, scratch, steps);
    reflectors.factorise(own, most);
    write_triangle(group, problem, scratch, reflectors, own, finite);
    if (batch_.mode == QrMode::r) return;
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) own.x[i] = i == group.row ? Value(1) : Value(0);
    reflectors.apply(own.x, most);
    write_q(group, problem, scratch, reflectors.sign(group.row), own, finite);
  }

 private:
  /// Are columns one after the other in memory?
  template <class T>
  KOKKOS_FUNCTION static bool by_columns(StridedMatrix<T> const& A) {
    return A.row_stride <= A.col_stride;
  }
  KOKKOS_FUNCTION static Value nan() { return quiet_nan<Value>(); }

  /// Brings a column into a lane, scaled by 2^-exponent to a largest entry near 1; all of a matrix
  /// with an entry that is not finite as zeros. Returns whether they are finite.
  KOKKOS_FORCEINLINE_FUNCTION static bool load(Group const& group, QrProblem<Value> const& problem,
                                               Scratch& scratch, Column& own) {
    int const t = group.row;
    bool const down = by_columns(problem.a);
    int const lines = down ? problem.m : problem.n, entries = down ? problem.n : problem.m;
    auto const step = down ? problem.a.col_stride : problem.a.row_stride;
    auto const* const from =
        problem.a.data + (t < lines ? t : 0) * (down ? problem.a.row_stride : problem.a.col_stride);
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) {
      own.x[i] = t < lines && i < entries ? from[i * step] : Value(0);
      if (down && t < order) scratch.column(i)[t] = own.x[i];
    }
    group.warp.sync();
    if (down && t < order) read_chunks<order>(scratch.column(t), own.x);
    group.warp.sync();
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    Real largest = 0;
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) {
      Real const size = largest_part(own.x[i]);
      largest = Kokkos::max(largest, size < infinity ? size : infinity);
    }
    bool const finite = group.max(largest) < infinity;
    own.exponent = finite && largest > Real(0) ? exponent_of(largest) : 0;
    own.place = t;
    int const half = -own.exponent / 2;
    Real const factor = power_of_two<Real>(half), rest = power_of_two<Real>(-own.exponent - half);
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i)
      own.x[i] = finite && t < order ? own.x[i] * factor * rest : Value(0);
    return finite;
  }

  /// What the first column is chosen by.
  KOKKOS_FORCEINLINE_FUNCTION static void make_comparable(Group const& group,
                                                          QrProblem<Value> const& problem,
                                                          Column& own) {
    Real square = 0;
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) square = fused_square_sum(own.x[i], square);
    own.weight = qr_column_weight(group, square, own.exponent);
    own.left = group.row < problem.n ? square * own.weight : Real(-1);
  }

  /// R, the permutation and the info.
  KOKKOS_FORCEINLINE_FUNCTION void write_triangle(Group const& group,
                                                  QrProblem<Value> const& problem, Scratch& scratch,
                                                  Reflectors const& reflectors, Column const& own,
                                                  bool finite) const {
    int const t = group.row, n = problem.n, steps = problem.reflectors();
    bool const down = by_columns(problem.r), mine = t < n;
    group.warp.sync();
    bool infinite = false;
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) {
      Value const x = i == own.place ? Value(own.diagonal) : own.x[i];
      bool const there = i <= own.place && i < steps;
      Value const y =
          finite ? without_negative_zeros(scale_parts(reflectors.sign(i) * x, own.exponent))
                 : nan();
      infinite = infinite || (there && mine && Kokkos::isinf(largest_part(y)));
      if (down) {
        if (there && mine) scratch.column(own.place)[i] = y;
      } else if (mine && i < problem.r_rows) {
        problem.r(i, own.place) = there || !finite ? y : Value(0);
      }
    }
    group.warp.sync();
    if (down && t < problem.r_rows)
      for (int j = 0; j < n; ++j) {
        Value const y = t <= j && t < steps ? scratch.column(j)[t] : Value(0);
        problem.r(t, j) = finite ? y : nan();
      }
    if (Pivots && mine) problem.p(own.place) = t;
    int const rank = Pivots ? qr_rank(group, own.place, own.diagonal, own.exponent, steps,
                                      batch_.tolerance(problem), finite)
                            : -1;
    bool const overflow = group.count(infinite) > 0;
    if (t == 0 && problem.info)
      *problem.info = {.status = !finite    ? Status::non_finite
                                 : overflow ? Status::overflow
                                            : Status::success,
                       .rank = rank};
  }

  KOKKOS_FORCEINLINE_FUNCTION static void write_q(Group const& group,
                                                  QrProblem<Value> const& problem, Scratch& scratch,
                                                  Real sign, Column& own, bool finite) {
    int const t = group.row;
    bool const down = by_columns(problem.q), mine = t < problem.q_cols;
    group.warp.sync();
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) {
      own.x[i] = finite ? without_negative_zeros(sign * own.x[i]) : nan();
      if (!down && mine && i < problem.m) problem.q(i, t) = own.x[i];
    }
    if (down && mine) write_chunks<order>(own.x, scratch.column(t));
    group.warp.sync();
    if (down && t < problem.m)
      for (int j = 0; j < problem.q_cols; ++j) problem.q(t, j) = scratch.column(j)[t];
  }

  QrBatch<Value> batch_;
  int members_;
};

template <class ExecSpace, class Value>
void enqueue_qr_warp(ExecSpace const& exec, QrBatch<Value> const& batch, QrPlan const& plan) {
  QrClassLaunch<ExecSpace, Value, QrFamily::warp, QrWarpKernel>(exec, batch, plan)
      .enqueue(QrShapes{});
}

}  // namespace carroll::detail
