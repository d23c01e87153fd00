// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/slim/reflect.hpp>
#include <carroll/detail/qr/slim/shape.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/slim/memory.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A warp's matrices, their reflectors in double precision: A = Q·R with rows in lanes, as
/// QrSlimKernel does it, and Q's product with vectors.
template <class ExecSpace, class Real, class Shape>
class SlimKernel {
 protected:
  using Steps = QrSlimSteps<double, Shape, false>;
  using Scratch = typename Steps::Scratch;
  using Group = typename Steps::Group;
  using Rows = typename Steps::Rows;
  static constexpr int cols = Shape::cols, width = Shape::width, matrices = Shape::matrices;
  static constexpr int each = Shape::rows_per_lane;
  static constexpr std::size_t scratch_bytes = matrices * sizeof(Scratch);

 public:
  using Policy =
      BoundedTeams<ExecSpace, 32, warps_at_once(Shape::template warps<double>, scratch_bytes),
                   scratch_bytes + alignof(Scratch)>;

  /// Of the batch's selection the first `members`.
  SlimKernel(SvdBatch<Real> const& batch, int members) : batch_(batch), members_(members) {}

  [[nodiscard]] TeamLaunch teams() const {
    return {.count = members_ / matrices + (members_ % matrices != 0 ? 1 : 0),
            .threads = 32,
            .scratch = scratch_bytes + alignof(Scratch)};
  }

 protected:
  /// Without columns where there is no matrix for the lanes.
  KOKKOS_FUNCTION SvdProblem<Real> problem_of(int team, Group const& group) const {
    std::int64_t const k = std::int64_t{team} * matrices + group.slot;
    return k < members_ ? batch_(batch_.index(static_cast<int>(k))) : SvdProblem<Real>{};
  }
  KOKKOS_FUNCTION static Scratch& scratch_of(TeamMember<ExecSpace> const& team,
                                             Group const& group) {
    constexpr std::size_t bytes = scratch_bytes;
    void* const memory = team.team_scratch(0).get_shmem_aligned(bytes, alignof(Scratch));
    return static_cast<Scratch*>(memory)[group.slot];
  }

 private:
  SvdBatch<Real> batch_;
  int members_;
};

/// A = Q·R·2^exponent. R's columns feel errors of rounding as small beside them as A's are, so that
/// nothing of the accuracy of small singular values is lost where D in A = B·D is what makes them
/// small. No pivoting: R is factorised again, with.
///
/// 4mn² flops; A is read, R and, for left vectors, Q's reflectors are written once.
template <class ExecSpace, class Real, class Shape>
class SlimFactorKernel : public SlimKernel<ExecSpace, Real, Shape> {
  using Base = SlimKernel<ExecSpace, Real, Shape>;
  using typename Base::Group, typename Base::Rows, typename Base::Scratch, typename Base::Steps;
  using Lane = typename Steps::Lane;
  using Base::cols, Base::each;

 public:
  using Base::Base;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Group const group(warp_of_threads(team));
    SvdProblem<Real> const problem = this->problem_of(team.league_rank(), group);
    Scratch& scratch = Base::scratch_of(team, group);
    SlimMemory<Real> const memory(problem);
    int const m = problem.rows, n = problem.cols;
    bool const keeps = problem.left_cols > 0;
    Lane own;
    Rows x;
    Steps::load(group, Matrix{m, n, problem.a}, own, x);
    int const exponent = largest_exponent(group, own, x);
    int const most = Steps::most_of_warp(group, n);
    CARROLL_NO_UNROLL
    for (int k = 0; k < most; ++k)
      Steps::reflect(group, scratch, n, k, own, x, [&](int i, double v) {
        if (keeps && i < m && k < n) memory.reflectors()(i, k) = v;
      });
    int const i = group.row;
    if (i >= n) return;
    if (keeps) memory.inverses()[i] = scratch.inverses[i];  // which the lane itself has put there
    if (i == 0) memory.exponent() = exponent;
    double const nan = Kokkos::Experimental::quiet_NaN_v<double>;
    CARROLL_UNROLL
    for (int j = 0; j < cols; ++j) {
      double const entry = j < i ? 0.0 : i == j ? own.diagonal : x[0][j];
      if (j < n)
        memory.triangle()(i, j) = own.finite ? lower(entry, own.exponents[j] - exponent) : nan;
    }
  }

 private:
  /// What QrSlimSteps loads.
  struct Matrix {
    int m, n;
    StridedMatrix<Real const> a;
  };

  /// Of the columns that are not zero; 0 where all are.
  KOKKOS_FUNCTION static int largest_exponent(Group const& group, Lane const& own, Rows const& x) {
    constexpr int none = -(1 << 20);
    int largest = none;
    CARROLL_UNROLL
    for (int j = 0; j < cols; ++j) {
      bool nonzero = false;
      CARROLL_UNROLL
      for (int r = 0; r < each; ++r) nonzero = nonzero || x[r][j] != 0;
      if (group.ballot(nonzero) != 0) largest = Kokkos::max(largest, own.exponents[j]);
    }
    return largest == none ? 0 : largest;
  }

  /// x·2^down, down <= 0. Columns as small as 2^-900 are beyond the range of the kernel that comes
  /// next, which is to see that they are not zero.
  KOKKOS_FUNCTION static double lower(double x, int down) {
    return x * power_of_two<double>(Kokkos::max(down, -900));
  }
};

/// U = Q·W, W the left singular vectors of R, and, of a square matrix of vectors, the rest of Q.
/// Only of members that have come so far.
///
/// 4mn flops a column of U.
template <class ExecSpace, class Real, class Shape>
class SlimLeftKernel : public SlimKernel<ExecSpace, Real, Shape> {
  using Base = SlimKernel<ExecSpace, Real, Shape>;
  using Base::cols, Base::each, Base::width;
  using typename Base::Group, typename Base::Rows, typename Base::Scratch, typename Base::Steps;

 public:
  using Base::Base;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Group const group(warp_of_threads(team));
    SvdProblem<Real> const problem = this->problem_of(team.league_rank(), group);
    Scratch& scratch = Base::scratch_of(team, group);
    bool const works = problem.left_cols > 0 && problem.state->converged != 0;
    int const columns = works ? problem.left_cols : 0, n = works ? problem.cols : 0;
    int const most_columns = Steps::most_of_warp(group, columns);
    int const most = Steps::most_of_warp(group, n);
    CARROLL_NO_UNROLL
    for (int first = 0; first < most_columns; first += cols)
      write(group, problem, scratch, n, most, first, columns);
  }

 private:
  /// The columns of U from `first` on.
  KOKKOS_FORCEINLINE_FUNCTION static void write(Group const& group, SvdProblem<Real> const& problem,
                                                Scratch& scratch, int n, int most, int first,
                                                int columns) {
    SlimMemory<Real> const memory(problem);
    Rows x;
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) {
      int const i = group.row + width * r;
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j) {
        int const column = first + j;
        bool const of_triangle = r == 0 && i < n && column < n;
        x[r][j] = of_triangle ? memory.left()(i, column) : column >= n && i == column ? 1.0 : 0.0;
      }
    }
    group.warp.sync();  // products of the columns before have been read
    CARROLL_NO_UNROLL
    for (int k = most - 1; k >= 0; --k) {
      double v[each];
      CARROLL_UNROLL
      for (int r = 0; r < each; ++r) {
        int const i = group.row + width * r;
        v[r] = k < n && i < problem.rows ? memory.reflectors()(i, k) : 0.0;
      }
      Steps::apply(group, scratch, k, v, k < n ? memory.inverses()[k] : 0.0, x);
    }
    CARROLL_UNROLL
    for (int r = 0; r < each; ++r) {
      int const i = group.row + width * r;
      CARROLL_UNROLL
      for (int j = 0; j < cols; ++j)
        if (i < problem.rows && first + j < columns)
          problem.left(i, first + j) = unsigned_zero(static_cast<Real>(x[r][j]));
    }
  }
};

}  // namespace carroll::detail
