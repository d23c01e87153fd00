// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/classes.hpp>
#include <carroll/detail/qr/plan.hpp>
#include <carroll/detail/qr/slim/reflect.hpp>
#include <carroll/detail/qr/slim/shape.hpp>
#include <carroll/detail/qr/warp/reflector.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// The factorisation of small matrices that are longer than wide in the registers of a warp, up to
/// two of them: a lane has rows of A, then of Q, a block of columns at a time. A step crosses lanes
/// once: the products of a reflector with all columns are summed over the lanes and dealt out to
/// them (scattered_sums), and through scratch all lanes learn of all. Columns stay where they are;
/// those that are done are multiplied by zeros, so that all steps share their code.
///
/// 4mn² flops for R, of which a half would do, with pivoting 2mn² more, and 4mn² for each n columns
/// of Q. A is read, Q and R are written once: mn + mn + n² words.
template <class ExecSpace, class Real, class Shape, bool Pivots>
class QrSlimKernel {
  static constexpr int cols = Shape::cols, width = Shape::width, matrices = Shape::matrices;
  static constexpr int each = Shape::rows_per_lane;
  using Steps = QrSlimSteps<Real, Shape, Pivots>;
  using Scratch = typename Steps::Scratch;
  using Group = typename Steps::Group;
  using Rows = typename Steps::Rows;
  using Lane = typename Steps::Lane;
  /// Of the reflectors, for Q.
  static constexpr std::size_t basis_bytes = sizeof(Real) * Shape::rows * cols;

 public:
  KOKKOS_FUNCTION static constexpr std::size_t scratch_bytes(QrMode mode) {
    return matrices * matrix_bytes(mode != QrMode::r);
  }
  static constexpr std::size_t most_scratch = matrices * (sizeof(Scratch) + basis_bytes);
  using Policy =
      BoundedTeams<ExecSpace, 32, warps_at_once(Shape::template warps<Real>, most_scratch),
                   most_scratch + 16>;

  QrSlimKernel(QrBatch<Real> const& batch, int members) : batch_(batch), members_(members) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Group const group(warp_of_threads(team));
    std::int64_t const k = std::int64_t{team.league_rank()} * matrices + group.slot;
    QrProblem<Real> const problem =
        k < members_ ? batch_(batch_.index(static_cast<int>(k))) : QrProblem<Real>{};
    bool const wants_q = batch_.mode != QrMode::r;
    auto* const bytes = static_cast<std::byte*>(
        team.team_scratch(0).get_shmem_aligned(scratch_bytes(batch_.mode), alignof(Scratch)));
    Scratch& scratch =
        *reinterpret_cast<Scratch*>(bytes + matrix_bytes(wants_q) * std::size_t(group.slot));
    int const steps = problem.reflectors(), most = Steps::most_of_warp(group, steps);
    Lane own;
    Rows x;
    Steps::load(group, problem, own, x);
    if constexpr (Pivots) Steps::make_comparable(group, problem, own, x);
    for (int step = 0; step < most; ++step)
      Steps::reflect(group, scratch, steps, step, own, x, [&](int i, Real v) {
        if (wants_q) scratch.reflector(step)[i] = v;
      });
    write_triangle(group, problem, scratch, own, x);
    if (!wants_q) return;
    int const columns = Steps::most_of_warp(group, problem.q_cols);
    for (int first = 0; first < columns; first += cols)
      write_basis(group, problem, scratch, most, first, own, x);
  }

 private:
  KOKKOS_FUNCTION static constexpr std::size_t matrix_bytes(bool wants_q) {
    return sizeof(Scratch) + (wants_q ? std::size_t{basis_bytes} : 0);
  }
  KOKKOS_FUNCTION static Real nan() { return quiet_nan<Real>(); }

  /// R, the permutation and the info.
  KOKKOS_FORCEINLINE_FUNCTION void write_triangle(Group const& group,
                                                  QrProblem<Real> const& problem, Scratch& scratch,
                                                  Lane const& own, Rows const& x) const {
    int const n = problem.n, steps = problem.reflectors(), c = Steps::column_of(group.row);
    if constexpr (Pivots) {
      if (group.row % Shape::lanes_per_column == 0) {
        scratch.places[c] = own.place;
        if (c < n) problem.p(own.place) = c;
      }
      group.warp.sync();
    }
    bool infinite = false;
    CARROLL_UNROLL
    for (int j = 0; j < cols; ++j) {
      int const place = Pivots ? scratch.places[j] : j, i = group.row;
      bool const there = i <= place && i < steps && j < n;
      Real const entry = i == place ? own.diagonal : x[0][j];
      Real const y = without_negative_zeros(scale(own.sign(i) * entry, own.exponents[j]));
      infinite = infinite || (there && Kokkos::isinf(y));
      if (j < n)
        for (int row = i; row < problem.r_rows; row += width)
          problem.r(row, place) = !own.finite ? nan() : there && row == i ? y : Real(0);
    }
    int const rank = Pivots ? qr_rank(group, group.row, own.diagonal, own.exponent, steps,
                                      batch_.tolerance(problem), own.finite)
                            : -1;
    bool const overflow = group.count(infinite) > 0;
    if (group.row == 0 && problem.info)
      *problem.info = {.status = !own.finite ? Status::non_finite
                                 : overflow  ? Status::overflow
                                             : Status::success,
                       .rank = rank};
  }

  /// Q's columns from `first` on.
  KOKKOS_FORCEINLINE_FUNCTION static void write_basis(Group const& group,
                                                      QrProblem<Real> const& problem,
                                                      Scratch& scratch, int most, int first,
                                                      Lane const& own, Rows& x) {
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) {
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j)
        x[r][j] = group.row + width * r == first + j ? Real(1) : Real(0);
    }
    group.warp.sync();  // products of the steps before have been read
    for (int k = most - 1; k >= 0; --k) {
      Real v[each];
      CARROLL_UNROLL
      for (int r = 0; r < each; ++r) v[r] = scratch.reflector(k)[group.row + width * r];
      Steps::apply(group, scratch, k, v, scratch.inverses[k], x);
    }
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) {
      int const i = group.row + width * r;
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j)
        if (i < problem.m && first + j < problem.q_cols)
          problem.q(i, first + j) =
              own.finite ? without_negative_zeros(own.sign(first + j) * x[r][j]) : nan();
    }
  }

  QrBatch<Real> batch_;
  int members_;
};

template <class ExecSpace, class Real>
void enqueue_qr_slim(ExecSpace const& exec, QrBatch<Real> const& batch, QrPlan const& plan) {
  QrClassLaunch<ExecSpace, Real, QrFamily::slim, QrSlimKernel>(exec, batch, plan)
      .enqueue(QrSlimShapes{});
}

}  // namespace carroll::detail
