// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/tiled/scan.hpp>
#include <carroll/detail/solve/tiled/storage.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// The caller's matrices and right-hand sides near 1, by columns; ‖A‖₁ and the largest entry. A
/// team has 32 columns. n² + nk words read and written.
template <class ExecSpace, class Value>
class SolveTileLoadKernel {
 public:
  static constexpr int cols = 32, warps = solve_scan_threads / 32;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<solve_scan_threads>>;
  using Real = RealOf<Value>;
  using Storage = SolveTileStorage<Value>;
  struct Scratch {
    Value tile[32][cols + 1];
  };

  SolveTileLoadKernel(SolveBatch<Value> const& batch, int n, int columns)
      : batch_(batch),
        matrix_teams_((n + cols - 1) / cols),
        side_teams_((columns + cols - 1) / cols) {}

  [[nodiscard]] int teams_per_system() const { return matrix_teams_ + side_teams_; }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const each = matrix_teams_ + side_teams_, part = team.league_rank() % each;
    SolveProblem<Value> const problem = batch_(team.league_rank() / each);
    Storage const at(problem);
    DeviceWarp const warp = warp_of_threads(team);
    int const first_warp = team.team_rank() / 32;
    if (part >= matrix_teams_) {
      int const first = (part - matrix_teams_) * cols;
      for (int j = first + first_warp; j < Kokkos::min(first + cols, at.columns); j += warps)
        load_side(warp, problem, at, j);
      return;
    }
    ColumnSums sums;
    if (problem.a.row_stride <= problem.a.col_stride)
      copy_columns(warp, first_warp, problem, at, part * cols, sums);
    else
      turn_rows(team, warp, first_warp, problem, at, part * cols, sums);
    CARROLL_UNROLL
    for (int q = 0; q < cols / warps; ++q) {
      Real const sum = lanes_sum_down(warp, sums.sum[q]), top = lanes_max(warp, sums.top[q]);
      if (warp.lane > 0 || part * cols + first_warp + warps * q >= at.n) continue;
      raise(&at.state->norm, sum);
      raise(&at.state->before, top);
    }
  }

 private:
  /// Of a warp's columns, what a lane has seen of each.
  struct ColumnSums {
    Real sum[cols / warps] = {}, top[cols / warps] = {};

    KOKKOS_FUNCTION void add(int q, Value const& x) {
      sum[q] += modulus_near_one(x);
      top[q] = Kokkos::max(top[q], size_or_infinity(x));
    }
  };

  KOKKOS_FUNCTION static void copy_columns(DeviceWarp const& warp, int first_warp,
                                           SolveProblem<Value> const& problem, Storage const& at,
                                           int first, ColumnSums& sums) {
    constexpr int wide = 2, deep = cols / warps;
    SolveTileScaling<Value> const exponents(at);
    int e[deep];
    CARROLL_UNROLL
    for (int q = 0; q < deep; ++q) {
      int const j = first + first_warp + warps * q;
      e[q] = j < at.n ? exponents.col(j) : 0;
    }
    CARROLL_NO_UNROLL
    for (int begin = warp.lane; begin < at.n; begin += 32 * wide) {
      Value x[wide][deep];
      CARROLL_UNROLL
      for (int r = 0; r < wide; ++r) CARROLL_UNROLL
      for (int q = 0; q < deep; ++q) {
        int const i = begin + 32 * r, j = first + first_warp + warps * q;
        x[r][q] = i < at.n && j < at.n ? problem.a(i, j) : Value(0);
      }
      CARROLL_UNROLL
      for (int r = 0; r < wide; ++r) {
        int const i = begin + 32 * r;
        if (i >= at.n) continue;
        int const row = exponents.row(i);
        CARROLL_UNROLL
        for (int q = 0; q < deep; ++q) {
          int const j = first + first_warp + warps * q;
          if (j >= at.n) continue;
          Value const y = scale_parts_within_one(x[r][q], e[q] + row);
          at.A(i, j) = y;
          sums.add(q, y);
        }
      }
    }
  }

  /// The same where columns are neighbours in memory: by way of scratch.
  KOKKOS_FUNCTION static void turn_rows(TeamMember<ExecSpace> const& team, DeviceWarp const& warp,
                                        int first_warp, SolveProblem<Value> const& problem,
                                        Storage const& at, int first, ColumnSums& sums) {
    auto& scratch = *static_cast<Scratch*>(
        team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), alignof(Value)));
    SolveTileScaling<Value> const exponents(at);
    for (int begin = 0; begin < at.n; begin += 32) {
      CARROLL_UNROLL
      for (int r = first_warp; r < 32; r += warps)
        scratch.tile[r][warp.lane] = begin + r < at.n && first + warp.lane < at.n
                                         ? problem.a(begin + r, first + warp.lane)
                                         : Value(0);
      fast_team_barrier(team);
      int const i = begin + warp.lane;
      CARROLL_UNROLL
      for (int q = 0; q < cols / warps; ++q) {
        int const c = first_warp + warps * q, j = first + c;
        if (j >= at.n || i >= at.n) continue;
        Value const x =
            scale_parts_within_one(scratch.tile[warp.lane][c], exponents.col(j) + exponents.row(i));
        at.A(i, j) = x;
        sums.add(q, x);
      }
      fast_team_barrier(team);
    }
  }

  /// Column j of Y := that of B, times the powers of two of the rows and one of its own, which
  /// brings it near 1.
  KOKKOS_FUNCTION static void load_side(DeviceWarp const& warp, SolveProblem<Value> const& problem,
                                        Storage const& at, int j) {
    Value* const y = at.A.col(at.n + j);
    SolveTileScaling<Value> const exponents(at);
    auto const b = problem.b.col(j);
    // Entries of eight rows a lane at a time.
    auto const with_rows = [&](auto const& f) {
      constexpr int deep = 8;
      CARROLL_NO_UNROLL
      for (int begin = warp.lane; begin < at.n; begin += 32 * deep) {
        Value x[deep];
        CARROLL_UNROLL
        for (int r = 0; r < deep; ++r) x[r] = begin + 32 * r < at.n ? b(begin + 32 * r) : Value(0);
        CARROLL_UNROLL
        for (int r = 0; r < deep; ++r)
          if (begin + 32 * r < at.n) f(begin + 32 * r, x[r]);
      }
    };
    int top = least_exponent;
    bool finite = true;
    with_rows([&](int i, Value const& x) {
      Real const size = size_or_infinity(x);
      finite = finite && size < Kokkos::Experimental::infinity_v<Real>;
      if (size > Real(0)) top = Kokkos::max(top, exponent_or_one(size) + exponents.row(i));
    });
    top = lanes_max(warp, top);
    int const e = top == least_exponent ? 0 : top;
    bool const all_finite = warp.ballot(!finite) == 0;
    if (warp.lane == 0) {
      at.sides[j] = e;
      if (!all_finite) Kokkos::atomic_or(&at.state->flags, int{side_not_finite});
    }
    with_rows(
        [&](int i, Value const& x) { y[i] = scale_parts_within_one(x, exponents.row(i) - e); });
  }

  SolveBatch<Value> batch_;
  int matrix_teams_, side_teams_;
};

}  // namespace carroll::detail
