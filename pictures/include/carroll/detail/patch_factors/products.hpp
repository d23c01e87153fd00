// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/patch_factors/cosine.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/workspace.hpp>
#include <cstdint>

/// CᵀC of the patches' coefficients without their means, in units of 16 of a coefficient's: row r
/// of its lower triangle from r(r−1)/2 on, r from 1. Sums of integers below 2^53, the same in every
/// order. 63·64 operations on the 256 bytes of a patch.
namespace carroll::detail {

inline constexpr int patch_products = 63 * 64 / 2;

/// Some patches to a work item of a host, with sums of their own until its end.
template <class Coefficients, class Sums>
struct HostPatchProducts {
  static constexpr std::int64_t length = 1024;
  Coefficients coefficients;
  Sums sums;
  std::int64_t patches;
  std::int64_t first = 0, end = 0;

  void operator()(std::int64_t run) const {
    HostPatchProducts one = *this;
    one.first = run * length;
    one.end = std::min(one.first + length, patches);
    with_host_vectors(one);
  }
  [[nodiscard]] std::int64_t runs() const { return (patches + length - 1) / length; }

  template <int Bytes>
  void run() const {
    double own[patch_products] = {};
    for (std::int64_t patch = first; patch < end; ++patch) {
      double c[64];
      for (int r = 0; r < 64; ++r) c[r] = nearest(coefficients(patch, r) * 0x1p-4);
      double* row = own;
      for (int r = 1; r < 64; row += r++)
        for (int s = 0; s < r; ++s) row[s] += c[r] * c[s + 1];
    }
    for (int e = 0; e < patch_products; ++e)
      if (own[e] != 0) Kokkos::atomic_add(&sums(e), own[e]);
  }
};

/// A team of a device takes every so many blocks of patches, in scratch by patch; each of its
/// threads has some of the products in registers.
template <class ExecSpace, class Coefficients, class Sums>
struct TeamPatchProducts {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Block =
      Kokkos::View<double* [64], Kokkos::LayoutRight, typename ExecSpace::scratch_memory_space,
                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  static constexpr int block = 32, most_teams = 1024;
  static constexpr int threads = lanes<ExecSpace> == 1 ? 1 : 256;
  static constexpr int own = (patch_products + threads - 1) / threads;
  Coefficients coefficients;
  Sums sums;
  std::int64_t patches;

  void run(char const* label, ExecSpace const& exec) const {
    std::int64_t const teams = std::min<std::int64_t>((patches + block - 1) / block, most_teams);
    Kokkos::parallel_for(label,
                         Policy(exec, static_cast<int>(teams), threads)
                             .set_scratch_size(0, Kokkos::PerTeam(Block::shmem_size(block))),
                         *this);
  }
  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Block const c(team.team_scratch(0), block);
    int const thread = team.team_rank();
    double sum[own];
    std::int16_t row[own], column[own];
    for (int i = 0; i < own; ++i) {
      int const e = thread + i * threads < patch_products ? thread + i * threads : 0;
      int r = 1;
      while (r * (r + 1) / 2 <= e) ++r;
      row[i] = static_cast<std::int16_t>(r);
      column[i] = static_cast<std::int16_t>(e - r * (r - 1) / 2 + 1);
      sum[i] = 0;
    }
    std::int64_t const every = std::int64_t{team.league_size()} * block;
    for (std::int64_t first = std::int64_t{team.league_rank()} * block; first < patches;
         first += every) {
      for (int e = thread; e < 64 * block; e += threads) {
        int const p = e % block, r = e / block;  // coefficients lie by component
        c(p, r) = first + p < patches ? nearest(coefficients(first + p, r) * 0x1p-4) : 0;
      }
      team.team_barrier();  // the block is there
      for (int p = 0; p < block; ++p)
        for (int i = 0; i < own; ++i) sum[i] += c(p, row[i]) * c(p, column[i]);
      team.team_barrier();  // all have read it
    }
    for (int i = 0; i < own; ++i)
      if (thread + i * threads < patch_products && sum[i] != 0)
        Kokkos::atomic_add(&sums(thread + i * threads), sum[i]);
  }
};

/// Enqueues sums := the products. `OnHost`: as hosts do it; else as devices do.
template <bool OnHost, class ExecSpace, class Coefficients, class Sums>
void sum_patch_products(ExecSpace const& exec, Coefficients const& coefficients, Sums const& sums,
                        std::int64_t patches) {
  constexpr char const* label = "carroll::factorise_patches::gram";
  set_to_zero(exec, sums.data(), patch_products);
  if constexpr (OnHost) {
    HostPatchProducts<Coefficients, Sums> const runs{coefficients, sums, patches};
    using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(label, Range(exec, 0, runs.runs()), runs);
  } else {
    TeamPatchProducts<ExecSpace, Coefficients, Sums>{coefficients, sums, patches}.run(label, exec);
  }
}

}  // namespace carroll::detail
