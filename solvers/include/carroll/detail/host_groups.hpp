// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

/// Small matrices on a host, as many at once as a vector register holds numbers: they stand side by
/// side in its lanes. A group of them is the work of one thread and stays in its cache.
namespace carroll::detail {

/// Team k works on items [k·share, (k + 1)·share) of `count`: `work` has run<Bytes>(begin, end,
/// room) for registers of so many bytes, of which there is room for packs().
template <class ExecSpace, class Work>
class HostGroupsKernel {
 public:
  HostGroupsKernel(Work const& work, int count, int share)
      : work_(work), count_(count), share_(share) {}

  std::size_t bytes_per_team() const { return bytes() + 2 * most_alignment; }

  void operator()(TeamMember<ExecSpace> const& team) const {
    choose_host_vectors(Body{*this, team});
  }

 private:
  static constexpr std::size_t most_alignment = 64;

  /// Whatever the width of a pack is, a working set of as many lanes.
  std::size_t bytes() const {
    return work_.packs() * static_cast<std::size_t>(host_vector_bytes());
  }

  struct Body {
    HostGroupsKernel const& kernel;
    TeamMember<ExecSpace> const& team;

    template <int Bytes>
    void run() const {
      int const begin = team.league_rank() * kernel.share_;
      void* const room = team.team_scratch(1).get_shmem_aligned(kernel.bytes(), Bytes);
      kernel.work_.template run<Bytes>(begin, std::min(kernel.count_, begin + kernel.share_), room);
    }
  };

  Work work_;
  int count_, share_;
};

/// Enqueues the work on `count` items of numbers of `Number`: enough teams for the threads to share
/// the work evenly, each of at least `least_groups` and at most 64 groups.
template <class Number, class ExecSpace, class Work>
void launch_host_groups(char const* label, ExecSpace const& exec, Work const& work, int count,
                        int least_groups) {
  int const width = host_vector_bytes() / static_cast<int>(sizeof(Number));
  int const groups = (count + width - 1) / width;
  int const share = width * std::clamp(groups / (8 * exec.concurrency()), least_groups, 64);
  HostGroupsKernel<ExecSpace, Work> const kernel(work, count, share);
  launch_teams(
      label, exec, kernel,
      {.count = (count + share - 1) / share, .scratch = kernel.bytes_per_team(), .level = 1});
}

}  // namespace carroll::detail
