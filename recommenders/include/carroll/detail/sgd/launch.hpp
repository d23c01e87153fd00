// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/sgd/host.hpp>
#include <carroll/detail/sgd/plain.hpp>
#include <carroll/detail/sgd/problem.hpp>
#include <carroll/detail/sgd/warp_measures.hpp>
#include <carroll/detail/sgd/warps.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/workspace.hpp>
#include <cstdint>
#include <type_traits>

/// Which kernel goes through a block's ratings: registers of hosts, warps, or one thread of a
/// device without these. All give the same bits.
namespace carroll::detail {

enum class SgdPath { automatic, plain };

/// So many chunks, of which the last may be zeros, that a device has a kernel with rows in
/// registers; beyond them as many as there are.
inline int chunks_of_kernel(int chunks) {
  if (chunks == 0 || chunks > 8) return chunks;
  int filled = 1;
  while (filled < chunks) filled *= 2;
  return filled;
}

/// f(chunks), a constant where there are kernels with factors in registers, else 0.
template <class F>
void with_chunks(int chunks, F const& f) {
  if (chunks == 1)
    f(std::integral_constant<int, 1>{});
  else if (chunks == 2)
    f(std::integral_constant<int, 2>{});
  else if (chunks == 4)
    f(std::integral_constant<int, 4>{});
  else if (chunks == 8)
    f(std::integral_constant<int, 8>{});
  else
    f(std::integral_constant<int, 0>{});
}

/// One epoch. `turns`, p + 1 zeros, say whose turn it is where warps or threads draw blocks.
template <class ExecSpace, class Real>
void enqueue_sgd_epoch(ExecSpace const& exec, SgdProblem<Real> const& p,
                       [[maybe_unused]] std::uint64_t* turns, SgdPath path = SgdPath::automatic) {
  if constexpr (has_warps<ExecSpace>) {
    if (path == SgdPath::automatic) {
      auto const launch = [&]<class Kernel>(Kernel const& kernel) {
        // Some more than a step has blocks, so that the next ones are there when it is their turn.
        launch_teams("carroll::sgd::epoch", exec, kernel,
                     {.count = p.blocks + p.blocks / 8 + 1,
                      .threads = 32,
                      .scratch = Kernel::Scratch::bytes()});
      };
      return with_chunks(p.chunks, [&]<int Chunks>(std::integral_constant<int, Chunks>) {
        if (p.with_biases)
          launch(SgdWarpEpoch<ExecSpace, Real, Chunks, true>{p, turns});
        else
          launch(SgdWarpEpoch<ExecSpace, Real, Chunks, false>{p, turns});
      });
    }
  } else if constexpr (lanes<ExecSpace> == 1) {
    if (path == SgdPath::automatic) {
      return with_chunks(p.chunks, [&]<int Chunks>(std::integral_constant<int, Chunks>) {
        using Kernel = SgdHostEpoch<ExecSpace, Real, Chunks>;
        Kokkos::parallel_for("carroll::sgd::epoch",
                             typename Kernel::Policy(exec, 0, exec.concurrency()),
                             Kernel{p, turns});
      });
    }
  }
  using Kernel = SgdPlainKernel<ExecSpace, Real, false>;
  for (int step = 0; step < p.blocks; ++step)
    Kokkos::parallel_for("carroll::sgd::step", typename Kernel::Policy(exec, 0, p.blocks),
                         Kernel{p, step});
}

/// All blocks measured.
template <class ExecSpace, class Real>
void enqueue_sgd_measures(ExecSpace const& exec, SgdProblem<Real> const& p,
                          SgdPath path = SgdPath::automatic) {
  constexpr char const* label = "carroll::sgd::measure";
  std::int64_t const count = std::int64_t{p.blocks} * p.blocks;
  if constexpr (has_warps<ExecSpace>) {
    using Kernel = SgdWarpMeasures<ExecSpace, Real>;
    if (path == SgdPath::automatic)
      return launch_teams(label, exec, Kernel{p},
                          {.count = static_cast<int>(count), .threads = 32});
  } else if constexpr (lanes<ExecSpace> == 1) {
    if (path == SgdPath::automatic)
      return with_chunks(p.chunks, [&]<int Chunks>(std::integral_constant<int, Chunks>) {
        using Kernel = SgdHostMeasures<ExecSpace, Real, Chunks>;
        Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, count), Kernel{p});
      });
  }
  using Kernel = SgdPlainKernel<ExecSpace, Real, true>;
  Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, count), Kernel{p, 0});
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
