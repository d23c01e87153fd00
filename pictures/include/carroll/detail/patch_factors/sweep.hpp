// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/patch_factors/choose.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/workspace.hpp>
#include <cstdint>

/// How kernels go through the patches of a plane: hosts by runs of patches, compiled for their
/// registers; devices by patches or, where components are independent, by components. Counts are
/// integers and sums are exact: no order leaves a trace.
namespace carroll::detail {

/// body(patch) for all patches, a run of them to a work item, with a host's registers.
template <class Body>
struct HostPatchRuns {
  static constexpr std::int64_t length = 128;
  Body body;
  std::int64_t patches;

  struct Run {
    Body const& body;
    std::int64_t first, end;
    template <int Bytes>
    void run() const {
      Body const own = body;  // whose tables nobody else writes
      for (std::int64_t patch = first; patch < end; ++patch) own(patch);
    }
  };
  void operator()(std::int64_t run) const {
    with_host_vectors(Run{body, run * length, std::min((run + 1) * length, patches)});
  }
};

/// Enqueues body(patch) for all patches.
template <class ExecSpace, class Body>
void for_patches(char const* label, ExecSpace const& exec, std::int64_t patches, Body const& body) {
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  if constexpr (lanes<ExecSpace> == 1) {
    using Runs = HostPatchRuns<Body>;
    Kokkos::parallel_for(label, Range(exec, 0, (patches + Runs::length - 1) / Runs::length),
                         Runs{body, patches});
  } else {
    Kokkos::parallel_for(label, Range(exec, 0, patches), body);
  }
}

/// Counts a factor that is not 0.
struct CountOwn {
  std::int32_t* counts;
  KOKKOS_INLINE_FUNCTION void operator()(int r) const { ++counts[r]; }
};
template <class Counts>
struct CountForAll {
  Counts counts;
  KOKKOS_INLINE_FUNCTION void operator()(int r) const { Kokkos::atomic_add(&counts(r), 1); }
};

/// A sweep by runs of patches, each with counts of its own until its end.
template <class Choose, class Counts>
struct SweepRuns {
  Choose choose;
  Counts counts;
  std::int64_t patches;
  std::int64_t first = 0, end = 0;

  void operator()(std::int64_t run) const {
    constexpr std::int64_t length = 256;
    SweepRuns one = *this;
    one.first = run * length;
    one.end = std::min(one.first + length, patches);
    with_host_vectors(one);
  }
  [[nodiscard]] std::int64_t runs() const { return (patches + 255) / 256; }

  template <int Bytes>
  void run() const {
    std::int32_t own[64] = {};
    for (std::int64_t patch = first; patch < end; ++patch) {
      choose.mean(patch);
      if (choose.vectors == 0)
        for (int r = 1; r < 64; ++r) own[r] += choose.cosine(patch, r) ? 1 : 0;
      else
        choose.vector_patch(patch, CountOwn{own});
    }
    for (int r = 1; r < 64; ++r)
      if (own[r] != 0) Kokkos::atomic_add(&counts(r), own[r]);
  }
};

/// A sweep in the basis of the cosines on a device: a piece of a component's factors, which lie
/// side by side there, to a team.
template <class ExecSpace, class Choose, class Counts>
struct SweepComponents {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  static constexpr std::int64_t piece = 4096;
  Choose choose;
  Counts counts;
  std::int64_t patches;

  void run(char const* label, ExecSpace const& exec) const {
    auto const teams = 64 * pieces();
    Kokkos::parallel_for(
        label,
        Policy(exec, static_cast<int>(teams), lanes<ExecSpace> == 1 ? 1 : 8, lanes<ExecSpace>),
        *this);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t pieces() const {
    return (patches + piece - 1) / piece;
  }
  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    auto const r = static_cast<int>(team.league_rank() / pieces());
    std::int64_t const first = team.league_rank() % pieces() * piece;
    auto const some = static_cast<int>(patches - first < piece ? patches - first : piece);
    int found = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, some),
        [&](int i, int& sum) {
          if (r == 0)
            choose.mean(first + i);
          else
            sum += choose.cosine(first + i, r) ? 1 : 0;
        },
        found);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (found != 0) Kokkos::atomic_add(&counts(r), found);
    });
  }
};

/// A sweep in a basis of singular vectors on a device, a patch to a work item.
template <class Choose, class Counts>
struct SweepPatches {
  Choose choose;
  Counts counts;
  KOKKOS_FUNCTION void operator()(std::int64_t patch) const {
    choose.mean(patch);
    choose.vector_patch(patch, CountForAll<Counts>{counts});
  }
};

/// Enqueues a sweep over all patches; counts := factors that are not 0, by component. `OnHost`: as
/// hosts do it; else as devices do.
template <bool OnHost, class ExecSpace, class Choose, class Counts>
void sweep_factors(ExecSpace const& exec, Choose const& choose, Counts const& counts,
                   std::int64_t patches) {
  constexpr char const* label = "carroll::factorise_patches::choose";
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  set_to_zero(exec, counts.data(), 64);
  if constexpr (OnHost) {
    SweepRuns<Choose, Counts> const runs{choose, counts, patches};
    Kokkos::parallel_for(label, Range(exec, 0, runs.runs()), runs);
  } else if (choose.vectors == 0) {
    SweepComponents<ExecSpace, Choose, Counts>{choose, counts, patches}.run(label, exec);
  } else {
    Kokkos::parallel_for(label, Range(exec, 0, patches),
                         SweepPatches<Choose, Counts>{choose, counts});
  }
}

}  // namespace carroll::detail
