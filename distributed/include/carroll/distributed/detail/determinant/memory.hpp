// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/stream_fork.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/determinant.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/cyclic_layout.hpp>
#include <carroll/distributed/detail/determinant/dispatch.hpp>
#include <carroll/distributed/detail/determinant/gathered.hpp>
#include <carroll/distributed/detail/determinant/host_blocks.hpp>
#include <carroll/distributed/detail/determinant/panel/steps.hpp>
#include <carroll/distributed/detail/determinant/scaling.hpp>
#include <cstddef>
#include <optional>
#include <type_traits>

#ifdef CARROLL_HAVE_SCALAPACK
#include <carroll/distributed/detail/scalapack/determinant.hpp>
#endif

/// What a workspace holds, for the engine that it is made for.
namespace carroll::distributed::detail {

struct NoSteps {};

template <class ExecSpace, class T>
struct DeterminantMemory {
  static constexpr bool on_host = lanes<ExecSpace> == 1;
  using HostBlocks =
      std::conditional_t<on_host && !is_complex<T>, HostBlockSteps<ExecSpace, T>, NoSteps>;

  using OuterBlocks =
      std::conditional_t<has_outer_blocks<ExecSpace, T>, OuterBlockSteps<ExecSpace, T>, NoSteps>;

  CyclicLayout layout;
  DeterminantEngine engine = DeterminantEngine::automatic;
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> bytes;

  DeterminantRows<T> lines;
  RealOf<T>* row_bounds = nullptr;
  RankScaling<ExecSpace, T> scaling;
  HostBlocks host_blocks;
  OuterBlocks outer_blocks;
  PanelSteps<ExecSpace, T> panels;
  GatheredDeterminant<ExecSpace, T> gathered;
  std::optional<carroll::DeterminantWorkspace<ExecSpace, T>> plain;
#ifdef CARROLL_HAVE_SCALAPACK
  std::conditional_t<on_host, ScalapackDeterminant<T>, NoSteps> scalapack;
#endif
  /// Of devices: an instance for what all wait for, and the ranks on it.
  carroll::detail::StreamFork<ExecSpace> fork;
  std::optional<Communicator<ExecSpace>> side;

  /// A problem without a matrix, to count with.
  template <class Steps>
  [[nodiscard]] RankProblem<T> shape(int rank) const {
    return RankProblem<T>(layout, rank, Steps::unit(layout.block), {nullptr, 1, 1}, false);
  }

  /// Allocates.
  void allocate(Communicator<ExecSpace> const& comm) {
    if (engine == DeterminantEngine::one_rank)
      plain = carroll::determinant_workspace<T>(comm.exec(), {.n = layout.n});
    if (engine == DeterminantEngine::gathered) gathered.prepare(comm, layout);
    if (engine == DeterminantEngine::outer_blocks) carroll::detail::prepare_subtract_product();
    if constexpr (!on_host)
      if (engine == DeterminantEngine::panels || engine == DeterminantEngine::outer_blocks)
        fork = carroll::detail::StreamFork<ExecSpace>::of(comm.exec(), true);
    bytes = carroll::detail::allocate_arena(
        comm.exec(), "carroll::distributed::determinant::workspace",
        [&](carroll::detail::Arena& arena) { lay_out(arena, comm); });
  }

 private:
  void lay_out(carroll::detail::Arena& arena, Communicator<ExecSpace> const& comm) {
    if (engine == DeterminantEngine::gathered) return gathered.lay_out(arena, comm.rank());
    if (engine == DeterminantEngine::one_rank) return;
    auto const n = layout.n;
    lines.row_exponent = arena.take<int>(n);
    lines.col_exponent = arena.take<int>(n);
    lines.row_top = arena.take<RealOf<T>>(n);
    row_bounds = arena.take<RealOf<T>>(n);
    scaling.lay_out(arena, comm.size());
    if constexpr (!std::is_same_v<HostBlocks, NoSteps>)
      if (engine == DeterminantEngine::host_blocks)
        host_blocks.lay_out(arena, shape<HostBlocks>(comm.rank()));
    if constexpr (!std::is_same_v<OuterBlocks, NoSteps>)
      if (engine == DeterminantEngine::outer_blocks)
        outer_blocks.lay_out(arena, shape<OuterBlocks>(comm.rank()), comm.exec());
    if (engine == DeterminantEngine::panels)
      panels.lay_out(arena, shape<PanelSteps<ExecSpace, T>>(comm.rank()));
  }
};

}  // namespace carroll::distributed::detail
