// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/distributed/detail/determinant/condense.hpp>
#include <carroll/distributed/detail/determinant/memory.hpp>
#include <carroll/distributed/detail/signature.hpp>
#include <carroll/distributed/determinant/workspace.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace carroll::distributed::detail {

/// A number that tells calls with different layouts, scalars or options from one another.
template <class T>
std::uint64_t determinant_signature(CyclicLayout const& layout, DeterminantEngine engine) {
  return Signature()
      .with(layout.n)
      .with(layout.block)
      .with(layout.ranks)
      .with(engine)
      .with(int{sizeof(T)})
      .with(bool{is_complex<T>})
      // The order of packed panels depends on it.
      .with(carroll::detail::host_vector_bytes())
      .value();
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
      if (memory.engine == E::panels || memory.engine == E::outer_blocks)
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
    auto const engine = determinant_engine<ExecSpace, T>(
        options, layout.n, layout.ranks, most_outer_block_order<ExecSpace, T>(comm.exec()));
    require(engine.has_value(), function, [&] {
      return "options.engine is " + std::string(to_string(options.engine)) +
             ", which there is not for " + std::to_string(layout.ranks) +
             " ranks, this order, scalar type and execution space, or in this build";
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
        if constexpr (Memory::on_host) return by_scalapack(comm, memory, rows);
        break;
#endif
      case E::host_blocks:
        if constexpr (!std::is_same_v<typename Memory::HostBlocks, NoSteps>)
          return condense(comm, memory, rows, memory.host_blocks);
        break;
      case E::outer_blocks:
        if constexpr (!std::is_same_v<typename Memory::OuterBlocks, NoSteps>)
          return condense(comm, memory, rows, memory.outer_blocks);
        break;
      default: break;
    }
    return condense(comm, memory, rows, memory.panels);
  }

  /// A scaled matrix, and what is known of its determinant.
  struct Start {
    RankProblem<T> problem;
    DeterminantState<T> state;
  };
  static Start start(Communicator<ExecSpace> const& comm, Memory& memory,
                     StridedMatrix<T> const& rows, int unit, bool turns_columns) {
    auto const& layout = memory.layout;
    Start result{RankProblem<T>(layout, comm.rank(), unit, rows, turns_columns), {}};
    RankProblem<T>& problem = result.problem;
    problem.lines = memory.lines;
    problem.row_bounds = memory.row_bounds;
    using Reals =
        Kokkos::View<RealOf<T>*, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(comm.exec(), Reals(problem.row_bounds, static_cast<std::size_t>(layout.n)),
                      RealOf<T>(1));
    std::int64_t exponent = 0;
    Status const status = memory.scaling.run(comm, problem, exponent);
    if (status != Status::success) result.state.finish(status);
    // Rows in reversed order alone are so many exchanges.
    bool const odd = !turns_columns && layout.n / 2 % 2 == 1;
    if (status == Status::success)
      result.state.info.value = ScaledNumber<T>(odd ? T(-1) : T(1), exponent);
    return result;
  }

  template <class Steps>
  static carroll::DeterminantInfo<T> condense(Communicator<ExecSpace> const& comm, Memory& memory,
                                              StridedMatrix<T> const& rows, Steps& steps) {
    auto const [problem, state] =
        start(comm, memory, rows, Steps::unit(memory.layout.block), Steps::turns_columns);
    if (state.done) return state.info;
    steps.begin(comm, memory.fork, problem);
    if constexpr (Memory::on_host)
      return condense_over_ranks(HostChannel<ExecSpace>(comm), steps, state).info;
    else
      return condense_over_ranks(DeviceChannel<ExecSpace>(comm.exec(), memory.fork, *memory.side),
                                 steps, state)
          .info;
  }

#ifdef CARROLL_HAVE_SCALAPACK
  static carroll::DeterminantInfo<T> by_scalapack(Communicator<ExecSpace> const& comm,
                                                  Memory& memory, StridedMatrix<T> const& rows) {
    auto const& layout = memory.layout;
    auto [problem, state] = start(comm, memory, rows, 1, true);
    if (state.done) return state.info;
    // Of all rows, in the order of the matrix: largest entries and what has been taken out.
    struct Line {
      RealOf<T> top;
      int exponent;
    };
    std::vector<Line> mine, all(static_cast<std::size_t>(layout.n));
    std::vector<std::int64_t> lengths;
    for (int place = problem.count - 1; place >= 0; --place) {
      int const i = place + problem.shift_of(place);
      mine.push_back({memory.lines.row_top[i], memory.lines.row_exponent[i]});
    }
    for (int rank = 0; rank < comm.size(); ++rank)
      lengths.push_back(layout.rows(rank) * std::int64_t{sizeof(Line)});
    all_gather_bytes(comm.raw(), comm.rank(), reinterpret_cast<std::byte const*>(mine.data()),
                     reinterpret_cast<std::byte*>(all.data()), lengths);
    std::vector<RealOf<T>> tops(all.size());
    std::int64_t exponent = 0;
    auto line = all.begin();
    for (int rank = 0; rank < comm.size(); ++rank)
      for (std::int64_t i = 0; i < layout.rows(rank); ++i, ++line) {
        tops[static_cast<std::size_t>(layout.global_row(rank, i))] = line->top;
        exponent += line->exponent;
      }
    state.info.value *= ScaledNumber<T>(T(1), exponent);
    return memory.scalapack.run(comm, "carroll::distributed::determinant", rows, tops, state).info;
  }
#endif
};

}  // namespace carroll::distributed::detail
