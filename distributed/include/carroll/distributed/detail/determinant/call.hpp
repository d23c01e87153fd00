// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/distributed/detail/determinant/condense.hpp>
#include <carroll/distributed/detail/determinant/memory.hpp>
#include <carroll/distributed/determinant/workspace.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <memory>
#include <string>

namespace carroll::distributed::detail {

/// A number that tells calls with different layouts, scalars or options from one another.
template <class T>
std::uint64_t determinant_signature(CyclicLayout const& layout, DeterminantEngine engine) {
  std::uint64_t hash = 1469598103934665603U;
  for (std::uint64_t const word :
       {static_cast<std::uint64_t>(layout.n), static_cast<std::uint64_t>(layout.block),
        static_cast<std::uint64_t>(layout.ranks), static_cast<std::uint64_t>(engine),
        std::uint64_t{sizeof(T)}, std::uint64_t{is_complex<T>},
        // Packed panels depend on the vector registers.
        static_cast<std::uint64_t>(carroll::detail::host_vector_bytes())})
    hash = (hash ^ word) * 1099511628211U;
  return hash;
}

/// What the entry points do.
template <class ExecSpace, class T>
struct DeterminantCall {
  using Workspace = DeterminantWorkspace<ExecSpace, T>;
  using Memory = DeterminantMemory<ExecSpace, T>;
  using Info = DeterminantInfo<T>;
  using E = DeterminantEngine;

  static Workspace make(Communicator<ExecSpace> const& comm, char const* function,
                        CyclicLayout const& layout, DeterminantOptions const& options) {
    Workspace workspace;
    comm.agree(function, determinant_signature<T>(layout, options.engine), [&] {
      workspace.memory_ = std::make_shared<Memory>();
      Memory& memory = *workspace.memory_;
      memory.layout = layout;
      memory.engine = engine(function, comm, layout, options);
      memory.allocate(comm);
    });
    Memory& memory = *workspace.memory_;
    if constexpr (!Memory::on_host) {
      if (memory.engine == E::panels)
        memory.side = Communicator<ExecSpace>::duplicate_from_raw(
            comm.raw(), memory.fork.fork(comm.exec()), {comm.transport()});
    }
#ifdef CARROLL_HAVE_SCALAPACK
    if constexpr (Memory::on_host)
      if (memory.engine == E::scalapack) memory.scalapack.prepare(comm, function, layout);
#endif
    return workspace;
  }

  static Info run(Communicator<ExecSpace> const& comm, char const* function,
                  carroll::detail::StridedBatch<T> const& A, Workspace& workspace) {
    Memory const* const made = workspace.memory_.get();
    auto const signature = made ? determinant_signature<T>(made->layout, made->engine) : 0;
    comm.agree(function, signature, [&] {
      carroll::detail::require(workspace.memory_ != nullptr, function,
                               [] { return std::string("nobody has made the workspace"); });
      auto const& layout = workspace.memory_->layout;
      carroll::detail::require(layout.ranks == comm.size(), function, [] {
        return std::string("the workspace was made for another communicator");
      });
      carroll::detail::require_extents(function, "A", {A.extents[1], A.extents[2]},
                                       {layout.rows(comm.rank()), layout.n});
    });
    Memory& memory = *workspace.memory_;
    StridedMatrix<T> const rows{A.data, A.strides[1], A.strides[2]};
    Info info;
    if (memory.layout.n > 0)
      static_cast<carroll::DeterminantInfo<T>&>(info) = find(comm, memory, rows);
    info.engine = memory.engine;
    return info;
  }

 private:
  static E engine(char const* function, Communicator<ExecSpace> const& comm,
                  CyclicLayout const& layout, DeterminantOptions const& options) {
    using carroll::detail::require;
    require(E::automatic <= options.engine && options.engine <= E::scalapack, function, [&] {
      return "options.engine is " + std::to_string(static_cast<int>(options.engine)) +
             ", must be an enumerator of DeterminantEngine";
    });
    carroll::detail::require_size(function, "the order", layout.n);
    require(layout.block >= 1 && layout.ranks == comm.size(), function, [&] {
      return "the layout is for blocks of " + std::to_string(layout.block) + " rows and " +
             std::to_string(layout.ranks) + " ranks, must be for blocks of at least 1 and " +
             std::to_string(comm.size()) + " ranks";
    });
    auto const engine = determinant_engine<ExecSpace, T>(options, layout.n, layout.ranks);
    require(engine.has_value(), function, [&] {
      return "options.engine is " + std::string(to_string(options.engine)) +
             ", which there is not for " + std::to_string(layout.ranks) +
             " ranks, this scalar type and execution space, or in this build";
    });
    std::int64_t const unit = least_block<ExecSpace, T>(*engine);
    require(layout.block % unit == 0 || layout.n <= layout.block, function, [&] {
      return "the layout has blocks of " + std::to_string(layout.block) +
             " rows, which must be a multiple of " + std::to_string(unit);
    });
    return *engine;
  }

  static carroll::DeterminantInfo<T> find(Communicator<ExecSpace> const& comm, Memory& memory,
                                          StridedMatrix<T> const& rows) {
    auto const n = memory.layout.n;
    switch (memory.engine) {
      case E::one_rank: {
        using View = Kokkos::View<T**, Kokkos::LayoutStride, typename ExecSpace::memory_space,
                                  Kokkos::MemoryUnmanaged>;
        auto const extent = static_cast<std::size_t>(n);
        return carroll::determinant(
            comm.exec(),
            View(rows.data,
                 Kokkos::LayoutStride(extent, static_cast<std::size_t>(rows.row_stride), extent,
                                      static_cast<std::size_t>(rows.col_stride))),
            *memory.plain);
      }
      case E::gathered:
        return memory.gathered.run(comm, {rows.data, rows.row_stride, rows.col_stride});
#ifdef CARROLL_HAVE_SCALAPACK
      case E::scalapack:
        if constexpr (Memory::on_host) return memory.scalapack.run(comm, rows);
        break;
#endif
      case E::host_blocks:
        if constexpr (!std::is_same_v<typename Memory::HostBlocks, NoSteps>)
          return condense(comm, memory, rows, memory.host_blocks);
        break;
      default: break;
    }
    return condense(comm, memory, rows, memory.panels);
  }

  template <class Steps>
  static carroll::DeterminantInfo<T> condense(Communicator<ExecSpace> const& comm, Memory& memory,
                                              StridedMatrix<T> const& rows, Steps& steps) {
    auto const& layout = memory.layout;
    RankProblem<T> problem(layout, comm.rank(), Steps::unit(layout.block), rows,
                           Steps::turns_columns);
    problem.lines = memory.lines;
    problem.row_bounds = memory.row_bounds;
    Kokkos::deep_copy(comm.exec(),
                      Kokkos::View<RealOf<T>*, typename ExecSpace::memory_space,
                                   Kokkos::MemoryUnmanaged>(problem.row_bounds,
                                                            static_cast<std::size_t>(layout.n)),
                      RealOf<T>(1));
    DeterminantState<T> state;
    std::int64_t exponent = 0;
    Status const status = memory.scaling.run(comm, problem, exponent);
    if (status != Status::success) {
      state.finish(status);
      return state.info;
    }
    // Rows in reversed order alone are so many exchanges.
    bool const odd = !Steps::turns_columns && layout.n / 2 % 2 == 1;
    state.info.value = ScaledNumber<T>(odd ? T(-1) : T(1), exponent);
    if constexpr (Memory::on_host) {
      begin(steps, comm.exec(), problem, memory);
      return condense_over_ranks(HostChannel<ExecSpace>(comm), steps, state).info;
    } else {
      begin(steps, comm.exec(), problem, memory);
      return condense_over_ranks(DeviceChannel<ExecSpace>(comm.exec(), memory.fork, *memory.side),
                                 steps, state)
          .info;
    }
  }

  static void begin(PanelSteps<ExecSpace, T>& steps, ExecSpace const& exec,
                    RankProblem<T> const& problem, Memory const& memory) {
    steps.begin(exec, memory.fork, problem);
  }
  template <class Steps>
  static void begin(Steps& steps, ExecSpace const& exec, RankProblem<T> const& problem,
                    Memory const&) {
    steps.begin(exec, problem);
  }
};

}  // namespace carroll::distributed::detail
