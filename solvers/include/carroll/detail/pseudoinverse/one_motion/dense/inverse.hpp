// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/column_writer.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/row_writer.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/segments.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/verdict.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// A dense A⁺ of one motion column in one kernel, for GPUs with warps. The first teams are those of
/// OneMotionSegments, the others of `Writer`: these wait for the first, which never wait. So there
/// is no time between kernels, in which nothing is written, and what the writers load first is
/// there when they need it. Not by ticket (device/signals.hpp): that CUDA devices begin teams in
/// the order of their ranks is what they do, not what they promise. A ticket is 1.5 to 2.5 us: with
/// one, A⁺ of 20 000 x 128 took 1.08 to 1.12 times as long (H100, 2026-11-25).
template <class ExecSpace, class Real, class Writer>
class OneMotionInverseKernel {
 public:
  static constexpr int threads = SegmentShares::warps, teams_at_once = Writer::teams_at_once;
  using Policy = BoundedTeams<ExecSpace, 32 * threads, teams_at_once, most_lent_scratch>;

  OneMotionInverseKernel(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                         DenseFactors<Real> const& factors)
      : batch_(batch),
        factors_(factors),
        writer_(batch),
        shares_(batch.n, batch.m),
        writer_teams_(writer_teams(exec)),
        scratch_bytes_(std::max(writer_.scratch_bytes(), sizeof(Scratch))) {}

  [[nodiscard]] TeamLaunch teams(ExecSpace const& /*exec*/) const {
    std::int64_t const teams =
        batch_.frames * (static_cast<std::int64_t>(shares_.teams) + writer_teams_);
    return {.count = static_cast<int>(teams),
            .threads = threads,
            .scratch = scratch_bytes_ + 3 * sizeof(double) + 48,
            .lanes = 32};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    auto* const scratch =
        static_cast<char*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes_, 16));
    auto& word = *static_cast<std::uint64_t*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(std::uint64_t), 16));
    auto* const slots =
        static_cast<int*>(team.team_scratch(0).get_shmem_aligned(2 * sizeof(int), 16));
    DeviceWarp const warp = warp_of_lanes(team);
    int const first_writer = batch_.frames * shares_.teams;
    if (int const team_index = team.league_rank(); team_index < first_writer) {
      OneMotionSegments<Real> const segments(batch_, factors_, shares_);
      segments(team, warp, team_index / shares_.teams, team_index % shares_.teams,
               *reinterpret_cast<Scratch*>(scratch));
      return;
    }
    bool const leads = team.team_rank() == 0 && warp.lane == 0;
    int const index = team.league_rank() - first_writer;
    int const frame = index / writer_teams_;
    int readers = 0;
    // Writers have what β and 1/d give while the sums are added up.
    auto const wait_for_groups = [&] {
      if (leads) wait_for(factors_.told + frame);
      team.team_barrier();
    };
    auto const wait = [&] {
      if (leads) {
        word = wait_until_relaxed(factors_.told + frame, [](std::uint64_t told) {
          return told > OneMotionVerdict<Real>::groups_are_there;
        });
        if (!(Kokkos::bit_cast<double>(word) > 0)) word = wait_for(factors_.told + frame);
      }
      team.team_barrier();
      if (leads) readers = draw_ticket(factors_.readers + frame);
      return Kokkos::bit_cast<double>(word);
    };
    int const first = index % writer_teams_;
    OneMotionItems const items(writer_.items(), first, writer_teams_, factors_.taken + frame,
                               slots);
    writer_(team, warp, batch_, factors_, frame, items, first, scratch, wait_for_groups, wait);
    if (leads && readers == writer_teams_ - 1) {  // for the next call
      factors_.told[frame] = 0;
      factors_.readers[frame] = 0;
    }
  }

 private:
  using Scratch = typename OneMotionSegments<Real>::Scratch;

  /// Of a frame: as many as a GPU holds, shared among the frames.
  int writer_teams(ExecSpace const& exec) const {
    std::int64_t const held = std::int64_t{processors(exec)} * teams_at_once;
    return static_cast<int>(
        std::min<std::int64_t>(writer_.items(), (held + batch_.frames - 1) / batch_.frames));
  }

  ArrowBatch<Real> batch_;
  DenseFactors<Real> factors_;
  Writer writer_;
  SegmentShares shares_;
  int writer_teams_;  ///< of a frame
  std::size_t scratch_bytes_;
};

}  // namespace carroll::detail
