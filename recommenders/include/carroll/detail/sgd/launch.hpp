// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/sgd/host.hpp>
#include <carroll/detail/sgd/plain.hpp>
#include <carroll/detail/sgd/problem.hpp>
#include <carroll/detail/sgd/warps.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>
#include <type_traits>

/// Which kernel goes through a block's ratings: registers of hosts, warps, or one thread of a
/// device without these. All give the same bits.
namespace carroll::detail {

enum class SgdPath { automatic, plain };

/// A step of an epoch, or all blocks measured, with factors in registers where these are 32, 64 or
/// 128.
template <bool Measure, class ExecSpace, class Real>
void enqueue_sgd(ExecSpace const& exec, SgdProblem<Real> const& p, int step,
                 SgdPath path = SgdPath::automatic) {
  constexpr char const* label = Measure ? "carroll::sgd::measure" : "carroll::sgd::step";
  std::int64_t const count = Measure ? std::int64_t{p.blocks} * p.blocks : p.blocks;
  [[maybe_unused]] auto const enqueue = [&]<int Chunks>(std::integral_constant<int, Chunks>) {
    if constexpr (has_warps<ExecSpace>) {
      // Waves of some 40 ratings have no more than a few of them.
      int const threads = Measure ? 32 : 128;
      using Kernel = SgdWarpKernel<ExecSpace, Real, Chunks, Measure>;
      launch_teams(label, exec, Kernel{p, step},
                   {.count = static_cast<int>(count),
                    .threads = threads,
                    .scratch = Kernel::scratch_bytes()});
    } else if constexpr (lanes<ExecSpace> == 1) {
      using Kernel = SgdHostKernel<ExecSpace, Real, Chunks, Measure>;
      Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, count), Kernel{p, step});
    }
  };
  bool const plain = path == SgdPath::plain || (!has_warps<ExecSpace> && lanes<ExecSpace> != 1);
  if (plain) {
    using Kernel = SgdPlainKernel<ExecSpace, Real, Measure>;
    Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, count), Kernel{p, step});
  } else if (p.chunks == 1) {
    enqueue(std::integral_constant<int, 1>{});
  } else if (p.chunks == 2) {
    enqueue(std::integral_constant<int, 2>{});
  } else if (p.chunks == 4) {
    enqueue(std::integral_constant<int, 4>{});
  } else {
    enqueue(std::integral_constant<int, 0>{});
  }
}

/// sums(0), sums(1) := Σ over blocks of measures, in the order of blocks. A thread for each.
template <class ExecSpace>
struct SgdMeasureSums {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  static constexpr std::int64_t length = 256;

  double const* from;
  std::int64_t count;  ///< pairs
  double* to;

  KOKKOS_FUNCTION void operator()(std::int64_t part) const {
    std::int64_t const begin = part / 2 * length, kind = part % 2;
    std::int64_t const end = begin + length < count ? begin + length : count;
    double sum = 0;
    for (std::int64_t k = begin; k < end; ++k) sum += from[2 * k + kind];
    to[part] = sum;
  }
};

}  // namespace carroll::detail
