// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/determinant.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/cyclic_layout.hpp>
#include <carroll/distributed/detail/determinant/problem.hpp>
#include <cstdint>
#include <optional>
#include <vector>

/// Small matrices are sent to rank 0, which tells the others what the plain solver says.
namespace carroll::distributed::detail {

/// to(i, ·) = from(place(i), ·) for rows of n entries. A team per row.
template <class ExecSpace, class T, class Place>
struct CopyRowsKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  StridedMatrix<T const> from;
  StridedMatrix<T> to;
  int n;
  Place place;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const i = team.league_rank(), source = place(i);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n),
                         [&](int j) { to(i, j) = from(source, j); });
  }
};

struct SamePlace {
  KOKKOS_FUNCTION int operator()(int i) const { return i; }
};

/// Where a row is when all ranks' rows stand one behind the other.
struct GatheredPlace {
  int n, block, ranks;

  explicit GatheredPlace(CyclicLayout const& layout)
      : n(static_cast<int>(layout.n)), block(static_cast<int>(layout.block)), ranks(layout.ranks) {}

  KOKKOS_FUNCTION int operator()(int i) const {
    int const blocks = (n + block - 1) / block, missing = blocks * block - n;
    int const b = (i + missing) / block, within = (i + missing) % block;
    int const rank = b % ranks;
    // Blocks of the ranks before. The first of all blocks is cut off.
    int const before = (blocks / ranks) * rank + (rank < blocks % ranks ? rank : blocks % ranks);
    return (before + b / ranks) * block + within - missing;
  }
};

template <class ExecSpace, class T>
class GatheredDeterminant {
 public:
  /// Allocates the plain solver's workspace on rank 0.
  void prepare(Communicator<ExecSpace> const& comm, CyclicLayout const& layout) {
    layout_ = layout;
    if (comm.rank() == 0) plain_ = carroll::determinant_workspace<T>(comm.exec(), {.n = layout.n});
  }
  void lay_out(carroll::detail::Arena& arena, int rank) {
    std::int64_t const n = layout_.n;
    packed_ = arena.take<T>(layout_.rows(rank) * n);
    if (rank != 0) return;
    gathered_ = arena.take<T>(n * n);
    whole_ = arena.take<T>(n * n);
  }

  carroll::DeterminantInfo<T> run(Communicator<ExecSpace> const& comm,
                                  StridedMatrix<T const> const& A) {
    auto const n = static_cast<int>(layout_.n);
    copy(comm.exec(), A, packed_, static_cast<int>(layout_.rows(comm.rank())), SamePlace{});
    std::vector<std::int64_t> counts;
    for (int r = 0; r < comm.size(); ++r) counts.push_back(layout_.rows(r) * n);
    comm.gather_v(packed_, gathered_, counts, 0);
    carroll::DeterminantInfo<T> info;
    if (comm.rank() == 0) {
      copy(comm.exec(), {gathered_, n, 1}, whole_, n, GatheredPlace(layout_));
      using Whole = Kokkos::View<T**, Kokkos::LayoutRight, typename ExecSpace::memory_space,
                                 Kokkos::MemoryUnmanaged>;
      info = carroll::determinant(comm.exec(), Whole(whole_, n, n), *plain_);
    }
    return comm.broadcast_value(info, 0);
  }

 private:
  template <class Place>
  void copy(ExecSpace const& exec, StridedMatrix<T const> const& from, T* to, int rows,
            Place const& place) const {
    auto const n = static_cast<int>(layout_.n);
    carroll::detail::launch_fitting_teams(
        "carroll::distributed::determinant::gather", exec,
        CopyRowsKernel<ExecSpace, T, Place>{from, {to, n, 1}, n, place},
        {rows, carroll::detail::lanes<ExecSpace> == 1 ? 1 : 8});
  }

  CyclicLayout layout_;
  std::optional<carroll::DeterminantWorkspace<ExecSpace, T>> plain_;
  T *packed_ = nullptr, *gathered_ = nullptr, *whole_ = nullptr;
};

}  // namespace carroll::distributed::detail
