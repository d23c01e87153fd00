// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/rank_cutoff.hpp>
#include <carroll/detail/pseudoinverse/core/by_warp.hpp>
#include <carroll/detail/pseudoinverse/core/inverse.hpp>
#include <carroll/detail/pseudoinverse/core/null.hpp>
#include <carroll/detail/pseudoinverse/core/outputs.hpp>
#include <carroll/detail/pseudoinverse/core/solve.hpp>
#include <carroll/detail/pseudoinverse/windows/segment_merge.hpp>
#include <carroll/detail/pseudoinverse/windows/window_sums.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstdint>

namespace carroll::detail {

/// What follows the windows of a problem, by one team: merges the pieces of segments that cross
/// windows, sums or factorises what the windows have left, solves the k×k core, and puts y back
/// into the depth columns, ξᵢ = γᵢ - βᵢy. What is merged, and in which order, depends on the number
/// of windows alone: the same bits for every team size. Reads (k+2)² doubles a window and k+2 a
/// segment. `Known`, `Wide`: see SegmentMerge. `Checked`: windows of sums have checked the offsets
/// and counted depths.
template <class Real, int Known = 0, bool Wide = false, bool Checked = false>
class ArrowCore {
 public:
  /// `data`, `pivots`: memory for Core. `scratch`: for WindowSums::sum_by_team or sum_systems,
  /// after windows that have checked the offsets and counted depths; null: neither is so, unless
  /// `Checked`. `independent`: OneMotionCore has found the motion column to be so, by sums in
  /// another order, and this takes its word.
  KOKKOS_FUNCTION ArrowCore(ArrowBatch<Real> const& batch, double* data, int* pivots,
                            double* scratch = nullptr, bool independent = false)
      : batch_(batch),
        core_(batch.k, data, pivots),
        data_(data),
        scratch_(scratch),
        independent_(independent) {}

  /// `tile` has no rows where the windows hold S and Eᵀf, not triangles.
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team, int problem, RowTile const& tile) const {
    int const k = batch_.k;
    bool const sums = Checked || tile.capacity == 0;
    SegmentMerge<Real, Known> const segments(batch_, sums);
    WindowSums<Real> const windows(batch_);
    CoreOutputs<Real, Known> const outputs(batch_);
    auto found = segments.merge(team, problem);
    if (!Checked && !scratch_) found.invalid += segments.check_offsets(team, problem);
    team.team_barrier();
    if (!Checked && !scratch_) found.depths = segments.count_depths(team, problem);
    if constexpr (Known > 1) {
      windows.template sum_systems<Known, Wide>(team, problem, core_, scratch_);
    } else if (scratch_) {
      windows.sum_by_team(team, problem, core_, scratch_);
    } else {
      if (sums)
        windows.sum(team, problem, core_);
      else
        windows.factorise(team, problem, tile, core_);
      windows.sum_squares(team, problem, core_);
    }
    team.team_barrier();

    PseudoinverseInfo<Real>& info = batch_.info_of(problem);
    // Sums do not tell what is below: of products, about √(32·7·ε); in twice the digits see
    // WindowSums::factorise_sums.
    constexpr double least = Wide ? 0x1p-46 : Known > 1 ? 0x1p-22 : 0.0;
    double const cutoff = independent_ ? 0 : Kokkos::max(rank_cutoff(batch_), least);
    if constexpr (Known > 1) {
      solve_by_warp(team, problem, found.invalid != 0, cutoff, info);
    } else {
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        Status const status = found.invalid != 0 ? Status::breakdown
                              : core_.finite()   ? Status::success
                                                 : Status::non_finite;
        double smallest = 1;
        int const rank = status == Status::success ? core_.solve(sums, cutoff, smallest) : 0;
        info = {status, rank, static_cast<Real>(cutoff), static_cast<Real>(smallest)};
      });
    }
    team.team_barrier();
    Status const status = info.status;
    int const rank = info.rank;
    team.team_barrier();
    if (status != Status::success) {
      if (batch_.inverse.data)
        Kokkos::single(Kokkos::PerTeam(team),
                       [&] { tell_inverse_kind(batch_, data_, InverseKind::none); });
      outputs.fill_with_nan(team, problem);
      return;
    }
    ShortestSolution<Real> const shortest(batch_, core_, problem, rank);
    if (rank < k) {
      shortest(team);
      team.team_barrier();
    }
    bool const wants_covariance = batch_.covariance.data || batch_.variances.data;
    if (wants_covariance) {
      if (rank < k) shortest.weigh(team);
      team.team_barrier();
      Kokkos::single(Kokkos::PerTeam(team), [&] { core_.covariance(rank); });
      team.team_barrier();
    }
    if (batch_.inverse.data) {
      InverseFactors<Real>(batch_, core_).prepare(team, problem, rank, data_);
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { info.rank = rank + found.depths; });
    outputs.write(team, problem, core_, shortest, rank < k);
  }

 private:
  /// The same after sums of a known number of columns: by a warp, unless columns are dependent.
  template <class Member>
  KOKKOS_FUNCTION void solve_by_warp(Member const& team, int problem, bool invalid, double cutoff,
                                     PseudoinverseInfo<Real>& info) const {
    if (team.team_rank() == 0) {
      DeviceWarp const warp = warp_of_lanes(team);
      CoreByWarp<Known, Wide> const by_warp(warp, core_, scratch_);
      Status const status = invalid            ? Status::breakdown
                            : by_warp.finite() ? Status::success
                                               : Status::non_finite;
      double smallest = 1;
      int rank = 0;
      if (status == Status::success) rank = by_warp.solve(cutoff, smallest) ? Known : -1;
      if (warp.lane == 0)
        info = {status, rank, static_cast<Real>(cutoff), static_cast<Real>(smallest)};
    } else if (team.team_size() >= 8) {
      bring_groups(team, problem);
    }
    team.team_barrier();
    bool const solved = info.rank >= 0;
    team.team_barrier();
    if (solved) return;
    // Differences of sums have errors of double precision, however many digits the sums have: R of
    // them, without pivots, has what is left of dependent columns multiplied.
    bool const gram = !Wide || batch_.options.method == PseudoinverseMethod::normal_equations;
    if constexpr (Wide) {
      if (!gram) WindowSums<Real>::template factorise_sums<Known>(team, core_, scratch_);
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      double smallest = 1;
      info.rank = core_.solve(gram, cutoff, smallest);
      info.smallest_pivot = static_cast<Real>(smallest);
    });
  }

  /// By all warps but the first one: groups, some 50 KB of them, into the processor's cache, which
  /// teams of a few warps would take from each other. With the pivots found by every lane a step
  /// of 256 frames of 20 000 rows and six columns of float takes 2 % less (H200, 2026-11-23).
  template <class Member>
  KOKKOS_FUNCTION void bring_groups(Member const& team, int problem) const {
    constexpr int step = 32 / sizeof(double), ahead = 8;
    std::int64_t const count = static_cast<std::int64_t>(Known + 1) * batch_.m / step;
    if (count == 0) return;
    double const* const groups = &batch_.group(problem, 1, 0);
    int const apart = 32 * (team.team_size() - 1);
    lane_for(team, 32, [&](int lane) {
      std::int64_t words[ahead];
      CARROLL_UNROLL
      for (int a = 0; a < ahead; ++a) {
        int const i = 32 * (team.team_rank() - 1) + lane + a * apart;
        words[a] =
            Kokkos::bit_cast<std::int64_t>(groups[Kokkos::min<std::int64_t>(i, count - 1) * step]);
      }
      CARROLL_UNROLL
      for (int a = 0; a < ahead; ++a) opaque_register(words[a]);
    });
  }

  ArrowBatch<Real> const& batch_;
  Core core_;
  double* data_;
  double* scratch_;
  bool independent_;
};

/// The second and last kernel of a step whose windows do not end with the core themselves: a team
/// per problem.
template <class ExecSpace, class Real>
class ArrowCoreKernel {
 public:
  /// `tile_rows`: 0 where the system is a sum, S; see Core.
  ArrowCoreKernel(ArrowBatch<Real> const& batch, int tile_rows, int level)
      : batch_(batch), tile_rows_(tile_rows), level_(level) {}

  static std::size_t bytes_per_thread(int tile_rows, int k) {
    return tile_rows == 0 ? 0 : static_cast<std::size_t>(tile_rows) * (k + 1) * sizeof(double) + 64;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const problem = team.league_rank();
    RowTile tile;
    if (tile_rows_ > 0)
      tile = {static_cast<double*>(team.thread_scratch(level_).get_shmem_aligned(
                  static_cast<std::size_t>(tile_rows_) * (batch_.k + 1) * sizeof(double), 16)),
              tile_rows_};
    ArrowCore<Real> const core(batch_, batch_.core(problem), batch_.pivots_of(problem));
    core(team, problem, tile);
  }

 private:
  ArrowBatch<Real> batch_;
  int tile_rows_;
  int level_;
};

/// The same after SegmentTilesKernel or GramWindowsKernel, for K > 1 motion columns: the sums of
/// all windows and the depths are read by many warps, which as many teams of that kernel do not
/// have.
template <class ExecSpace, class Real, int K>
class TilesCoreKernel {
 public:
  /// Of a team; fewer where problems fill the device, so that a processor has several of them at a
  /// time: 1024 problems with six columns of float take 33, 36 and 47 us with 2, 4 and 8 warps
  /// where they have 20 000 rows, 96, 90 and 98 us where they have 120 000 (H200, 2026-11-23). Wide
  /// sums have several times the work.
  static constexpr int most_warps = 8, few_warps = 4, least_warps = 2;

 private:
  static constexpr std::size_t doubles =
      core_size(K) + K + WindowSums<Real>::template systems_scratch<K, has_wide_sums<Real, K>>();

 public:
  using Policy = BoundedTeams<ExecSpace, 32 * most_warps, 2, doubles * sizeof(double) + 32>;

  explicit TilesCoreKernel(ArrowBatch<Real> const& batch) : batch_(batch) {}

  [[nodiscard]] TeamLaunch teams(ExecSpace const& exec) const {
    int const all = processors(exec), each = (batch_.problems() + all - 1) / all;
    bool const little = batch_.windows <= 32 && !has_wide_sums<Real, K>;
    int const warps = each > 4 && little ? least_warps : each > 2 ? few_warps : most_warps;
    return {.count = batch_.problems(),
            .threads = warps,
            .scratch = doubles * sizeof(double) + 32,
            .lanes = 32};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (batch_.k != K) return;  // the compiler knows k from here on
    int const problem = team.league_rank();
    auto* const data = static_cast<double*>(
        team.team_scratch(0).get_shmem_aligned(std::size_t{doubles} * sizeof(double), 16));
    double* const scratch = data + core_size(K);
    ArrowCore<Real, K, has_wide_sums<Real, K>> const core(
        batch_, data, reinterpret_cast<int*>(scratch), scratch + K);
    core(team, problem, {});
    if (!batch_.inverse.data) return;
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<int>(core_size(K))),
                         [&](int i) { batch_.core(problem)[i] = data[i]; });  // for its factors
  }

 private:
  ArrowBatch<Real> batch_;
};

}  // namespace carroll::detail
