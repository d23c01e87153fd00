// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/row_equations/device/stage.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/row_equations/products.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// The teams of warps that have vectors of 32·N numbers in registers, N of each lane.
template <class Real, int N>
struct WarpRowTeam {
  static constexpr int words = N * int(sizeof(Real)) / 4;
  static constexpr int warps = words <= 10 ? 8 : 4, threads = 32 * warps;
  /// Ratings whose factors are on their way together.
  static constexpr int ratings = words <= 10 ? 2 : 1;
  /// Teams for which there have to be registers: a pass waits for memory most of the time, and six
  /// teams with two ratings under way at a time are a fifth faster than four with four (H200).
  static constexpr int at_once = words <= 5 ? 6 : words <= 10 ? 3 : 2;
};

/// A row's equations without their matrix, as TeamRow has them, by the warps of a device: at most
/// 32·N unknowns, of which a lane has the vectors' entries l, l + 32, … in registers during a pass.
///
/// A pass reads each rating's factors once, 4·d flops for d numbers: memory, or the cache that has
/// the other side's factors, is the limit. Warps take at most 32 neighbouring ratings in turn, so
/// that teams which go through long rows side by side want the same factors; the lanes read what
/// these count for, and inner products of some share exchanges. The sums of the warps are added in
/// ascending order.
template <class Real, class Member, int N>
class WarpRow : public RowProducts<WarpRow<Real, Member, N>, Real, Member> {
  using Base = RowProducts<WarpRow, Real, Member>;
  friend Base;
  using Base::d_, Base::partial_, Base::problem_, Base::row_, Base::team_;
  using Team = WarpRowTeam<Real, N>;

 public:
  /// `partial`: warps·d numbers of scratch.
  KOKKOS_FUNCTION WarpRow(RowEquations<Real> const& problem, Member const& team, std::int32_t row,
                          Real* partial)
      : Base(problem, team, row, partial),
        warp_(warp_of_threads(team)),
        index_(team.team_rank() / 32) {}

  /// v·w, the same for all threads.
  KOKKOS_FUNCTION Real dot(Real const* v, Real const* w) const {
    Real sum = 0;
    for (int i = warp_.lane; i < d_; i += 32) sum = Kokkos::fma(v[i], w[i], sum);
    sum = lanes_sum_down(warp_, sum);
    meet(team_);
    return sum;
  }
  /// ‖v‖ in double precision, where squares of float do not underflow; the same for all threads.
  KOKKOS_FUNCTION double norm(Real const* v) const {
    double square = 0;
    for (int i = warp_.lane; i < d_; i += 32)
      square = Kokkos::fma(static_cast<double>(v[i]), static_cast<double>(v[i]), square);
    square = lanes_sum_down(warp_, square);
    meet(team_);
    return Kokkos::sqrt(square);
  }
  /// f(i) for all unknowns, and a barrier.
  template <class F>
  KOKKOS_FUNCTION void entries(F const& f) const {
    for (int i = team_.team_rank(); i < d_; i += Team::threads) f(i);
    meet(team_);
  }
  /// f() by one thread.
  template <class F>
  KOKKOS_FUNCTION void once(F const& f) const {
    if (team_.team_rank() == 0) f();
  }

 private:
  static constexpr int some = Team::ratings;

  /// partial := the warps' sums of factor(c, y·v)·y over the ratings.
  template <class Factor>
  KOKKOS_FORCEINLINE_FUNCTION void gather(Real const* v, Factor const& factor) const {
    Real own[N], sum[N];
    CARROLL_UNROLL
    for (int n = 0; n < N; ++n) {
      int const i = warp_.lane + 32 * n;
      own[n] = v && i < d_ ? v[i] : Real(0);
      sum[n] = 0;
    }
    std::int64_t const begin = problem_.offsets[row_], end = problem_.offsets[row_ + 1];
    constexpr int together = Team::warps * some;
    std::int64_t const fair = (end - begin + together - 1) / together * some;
    int const chunk = fair < 32 ? static_cast<int>(fair) : 32;
    for (std::int64_t e = begin + index_ * chunk; e < end; e += Team::warps * chunk) {
      // Of the lane's rating; behind the last one there is nothing.
      std::int32_t column = 0;
      typename RowEquations<Real>::Coefficients c{Real(0), Real(0)};
      int const left = end - e < chunk ? static_cast<int>(end - e) : chunk;
      if (warp_.lane < left) {
        column = static_cast<std::int32_t>(problem_.column(e + warp_.lane));
        c = problem_.coefficients(row_, e + warp_.lane);
      }
      CARROLL_NO_UNROLL
      for (int first = 0; first < left; first += some) {
        Real y[some][N], scores[some];
        CARROLL_UNROLL
        for (int u = 0; u < some; ++u) read(warp_.from(column, first + u), first + u < left, y[u]);
        Real score = 0;
        if (v) {
          CARROLL_UNROLL
          for (int u = 0; u < some; ++u) {
            scores[u] = 0;
            CARROLL_UNROLL
            for (int n = 0; n < N; ++n) scores[u] = Kokkos::fma(y[u][n], own[n], scores[u]);
          }
          score = scattered_sums<some>(warp_, scores);
        }
        // The lane's own rating's factor, from the lane that has its score.
        int const mine = warp_.lane - first;
        bool const has = mine >= 0 && mine < some;
        Real const weight = factor(c, warp_.from(score, (has ? mine : 0) * (32 / some)));
        CARROLL_UNROLL
        for (int u = 0; u < some; ++u) {
          Real const w = warp_.from(weight, first + u);
          CARROLL_UNROLL
          for (int n = 0; n < N; ++n) sum[n] = Kokkos::fma(w, y[u][n], sum[n]);
        }
      }
    }
    CARROLL_UNROLL
    for (int n = 0; n < N; ++n) {
      int const i = warp_.lane + 32 * n;
      if (i < d_) partial_[index_ * d_ + i] = sum[n];
    }
    meet(team_);
  }

  /// The lane's entries of a column's factors and the 1 of its bias; zeros if it does not exist.
  KOKKOS_FORCEINLINE_FUNCTION void read(std::int32_t column, bool exists, Real (&y)[N]) const {
    Real const* const from = problem_.y + column * problem_.y_pitch + warp_.lane;
    CARROLL_UNROLL
    for (int n = 0; n < N; ++n) {
      int const i = warp_.lane + 32 * n;
      y[n] = 0;
      if (exists && i < problem_.factors)
        y[n] = from[32 * n];
      else if (exists && i < d_)
        y[n] = 1;
    }
  }

  KOKKOS_FUNCTION Real total(int i) const {
    Real sum = partial_[i];
    CARROLL_UNROLL
    for (int t = 1; t < Team::warps; ++t) sum += partial_[t * d_ + i];
    return sum;
  }

  DeviceWarp warp_;
  int index_;
};

/// Kernel of teams of warps, one for each row: `Row` says what it does with the row's equations.
template <class ExecSpace, class Real, class Row, int N>
class WarpRowKernel {
  using Team = WarpRowTeam<Real, N>;

 public:
  static constexpr int threads = Team::threads;
  static constexpr std::size_t most_scratch =
      static_cast<std::size_t>(Row::vectors + Team::warps) * 32 * N * sizeof(Real) + 16;
  using Policy = BoundedTeams<ExecSpace, threads, Team::at_once, most_scratch>;

  explicit WarpRowKernel(Row const& row) : row_(row) {}

  static std::size_t scratch_bytes(int unknowns) {
    return static_cast<std::size_t>(Row::vectors + Team::warps) *
               static_cast<std::size_t>(unknowns) * sizeof(Real) +
           16;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    std::ptrdiff_t const d = row_.problem.unknowns();
    auto* const scratch = static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(
        static_cast<std::ptrdiff_t>(sizeof(Real)) * (Row::vectors + Team::warps) * d, 16));
    auto const row = static_cast<std::int32_t>(team.league_rank());
    row_.solve(WarpRow<Real, TeamMember<ExecSpace>, N>(row_.problem, team, row,
                                                       scratch + Row::vectors * d),
               row, scratch);
  }

 private:
  Row row_;
};

/// Unknowns that warps have in registers.
inline constexpr int most_warp_unknowns = 512;

/// f(N) as a constant, 32·N unknowns being enough. 5: those of 128 factors and a bias.
template <class F>
void with_lane_entries(int unknowns, F const& f) {
  if (unknowns <= 32) return f(std::integral_constant<int, 1>());
  if (unknowns <= 64) return f(std::integral_constant<int, 2>());
  if (unknowns <= 128) return f(std::integral_constant<int, 4>());
  if (unknowns <= 160) return f(std::integral_constant<int, 5>());
  if (unknowns <= 256) return f(std::integral_constant<int, 8>());
  f(std::integral_constant<int, most_warp_unknowns / 32>());
}

/// Enqueues a team for each row of problem.rows, at most `most_warp_unknowns` unknowns.
template <class Real, class ExecSpace, class Row>
void launch_warp_rows(char const* label, ExecSpace const& exec, Row const& row) {
  with_lane_entries(row.problem.unknowns(), [&]<int N>(std::integral_constant<int, N>) {
    using Kernel = WarpRowKernel<ExecSpace, Real, Row, N>;
    launch_teams(label, exec, Kernel(row),
                 {.count = row.problem.rows,
                  .threads = Kernel::threads,
                  .scratch = Kernel::scratch_bytes(row.problem.unknowns())});
  });
}

}  // namespace carroll::detail
