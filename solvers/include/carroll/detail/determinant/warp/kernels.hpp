// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/closed_form/kernel.hpp>
#include <carroll/detail/determinant/common/store_infos.hpp>
#include <carroll/detail/determinant/dispatch.hpp>
#include <carroll/detail/determinant/warp/load.hpp>
#include <carroll/detail/determinant/warp/solver.hpp>
#include <carroll/detail/determinant/warp/stream.hpp>
#include <carroll/detail/determinant/warp/thread.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <utility>

/// `blocked` for matrices that fit the registers of a part of a warp, on devices with warps: read
/// once, nothing written but the result. A team is one warp.
namespace carroll::detail {

/// Groups of lanes per matrix, in stages (warp/solver.hpp), registers for `Teams` teams on a
/// multiprocessor.
template <class ExecSpace, class T, int Teams, class... Shapes>
class DeterminantGroupKernel {
 public:
  using Solver = RegisterSolver<DeviceWarp, Shapes...>;
  using Policy =
      BoundedTeams<ExecSpace, 32, Teams, Solver::scratch_bytes() + sizeof(RegisterChunk<T>)>;

  DeterminantGroupKernel(ExecSpace const& exec, DeterminantBatch<T> const& batch)
      : batch_(batch), access_(entry_access(batch)) {
    int const at_once = processors(exec) * Teams;
    members_ = members_of_team(at_once);
    if (packed_access(batch) != EntryAccess::single) ahead_ = -members_ * at_once;
  }

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    constexpr std::size_t bytes = scratch_bytes + sizeof(RegisterChunk<T>);
    return team_policy<Policy>(
        exec,
        {.count = (batch_.members + members_ - 1) / members_, .threads = 32, .scratch = bytes});
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    void* const scratch = team.team_scratch(0).get_shmem_aligned(std::size_t{scratch_bytes},
                                                                 sizeof(RegisterChunk<T>));
    DeviceWarp const warp{opaque_register(team.team_rank())};
    // The last members first: if the batch has just been written, those are in caches still.
    int const first = (team.league_size() - 1 - team.league_rank()) * members_;
    Solver(warp, batch_, access_, scratch, ahead_)
        .solve(first, Kokkos::min(first + members_, batch_.members));
  }

 private:
  /// As many as the last stage takes, or of a batch for which `at_once` teams take few turns, fewer
  /// if that makes the turns end sooner. The last stage counts as another round; of 28 batches from
  /// 5000 to 500 000 of order 16, in both precisions, this finds the fastest number or one at most
  /// 5 % slower (H200, 2026-11-23).
  [[nodiscard]] int members_of_team(int at_once) const {
    constexpr int few = 4, most = Solver::matrices, step = Solver::least_matrices;
    static_assert(most % step == 0);
    auto const turns = [&](int members) {
      return (batch_.members - 1) / (std::int64_t{members} * at_once) + 1;
    };
    int best = most;
    if (turns(most) > few) return best;
    for (int members = most - step; members > 0; members -= step)
      if (turns(members) * (members / step + 1) < turns(best) * (best / step + 1)) best = members;
    return best;
  }

  static constexpr std::size_t scratch_bytes = Solver::scratch_bytes();

  DeterminantBatch<T> batch_;
  EntryAccess access_;
  int members_ = 0;  ///< of a team
  int ahead_ = 0;    ///< members from a team's to those of the one that likely follows it
};

/// A thread per matrix. Where members lie one after the other, and lines are not made of whole
/// chunks, the warp reads its members through scratch; of order 3, which are that small, through
/// the cache. Order 8 comes here only where members are apart (warp/stream.hpp).
template <class ExecSpace, class T, int N>
class DeterminantThreadKernel {
 public:
  static constexpr int warps = N > 3 ? 1 : 4;  ///< of a team
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32 * warps, 0>>;
  static constexpr int size = N * N;
  static constexpr bool in_chunks = N != 8 && size % RegisterChunk<T>::size == 0;
  static constexpr bool in_scratch = !in_chunks && N > 3 && N != 8;

  explicit DeterminantThreadKernel(DeterminantBatch<T> const& batch)
      : batch_(batch), access_(packed_access(batch)) {}

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    constexpr std::size_t bytes = in_scratch ? (32 * size + RegisterChunk<T>::size) * sizeof(T) : 0;
    return team_policy<Policy>(exec, {.count = (batch_.members + 32 * warps - 1) / (32 * warps),
                                      .threads = 32 * warps,
                                      .scratch = bytes});
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DeviceWarp const warp = warp_of_threads(team);
    int const first = team.league_rank() * 32 * warps + team.team_rank() / 32 * 32;
    bool const exists = first + warp.lane < batch_.members;
    int const member = exists ? first + warp.lane : batch_.members - 1;
    T a[N][N];
    load(team, warp, first, member, a);
    store_infos(warp, batch_, first, solve(member, a));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION DeterminantInfo<T> solve(int member, T (&a)[N][N]) const {
    if constexpr (N > 3) {
      return RegisterThreadSolver<T, N>::solve(batch_.source_of(member), a);
    } else {
      typename ClosedForm<T>::Wide completed[9];
      CARROLL_UNROLL
      for (int i = 0; i < 3; ++i) CARROLL_UNROLL
      for (int j = 0; j < 3; ++j)
        completed[3 * i + j] = i < N && j < N ? double(a[i % N][j % N]) : double(i == j);
      return ClosedForm<T>::determinant(completed, N);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(TeamMember<ExecSpace> const& team, DeviceWarp const& warp,
                                        int first, int member, T (&a)[N][N]) const {
    if (access_ == EntryAccess::single || !(in_chunks || in_scratch) ||
        (in_scratch && first + 32 > batch_.members)) {
      StridedMatrix<T const> const A = batch_.source_of(member);
      CARROLL_UNROLL
      for (int i = 0; i < N; ++i) CARROLL_UNROLL
      for (int j = 0; j < N; ++j) a[i][j] = A(i, j);
      return;
    }
    T entry[size];
    if constexpr (in_chunks) {
      auto const* const from = reinterpret_cast<RegisterChunk<T> const*>(
          batch_.source.data + std::ptrdiff_t{size} * member);
      CARROLL_UNROLL
      for (int k = 0; k < size; k += RegisterChunk<T>::size) {
        RegisterChunk<T> const chunk = from[k / RegisterChunk<T>::size];
        CARROLL_UNROLL
        for (int q = 0; q < RegisterChunk<T>::size; ++q) entry[k + q] = chunk.entry[q];
      }
    } else {
      auto* const scratch = static_cast<RegisterChunk<T>*>(
          team.team_scratch(0).get_shmem_aligned(32 * size * sizeof(T), alignof(RegisterChunk<T>)));
      auto const* const from = reinterpret_cast<RegisterChunk<T> const*>(
          batch_.source.data + std::ptrdiff_t{size} * first);
      constexpr int chunks = 32 * size / RegisterChunk<T>::size;
      CARROLL_UNROLL
      for (int k = 0; k < (chunks + 31) / 32; ++k)
        if (k * 32 + warp.lane < chunks) scratch[k * 32 + warp.lane] = from[k * 32 + warp.lane];
      warp.sync();
      T const* const mine = reinterpret_cast<T const*>(scratch) + size * warp.lane;
      CARROLL_UNROLL
      for (int k = 0; k < size; ++k) entry[k] = mine[k];
    }
    // Seen from the last entry.
    CARROLL_UNROLL
    for (int i = 0; i < N; ++i) CARROLL_UNROLL
    for (int j = 0; j < N; ++j) {
      T const by_rows = entry[size - 1 - (i * N + j)], by_cols = entry[size - 1 - (j * N + i)];
      a[i][j] = access_ == EntryAccess::rows ? by_rows : by_cols;
    }
  }

  DeterminantBatch<T> batch_;
  EntryAccess access_;
};

/// The kernel of threads for matrices of the batch's order.
template <class ExecSpace, class T>
void enqueue_threads(ExecSpace const& exec, DeterminantBatch<T> const& batch) {
  auto const try_order = [&]<int N>() {
    if (batch.n != N) return;
    DeterminantThreadKernel<ExecSpace, T, N> const kernel(batch);
    Kokkos::parallel_for("carroll::determinant::registers", kernel.policy(exec), kernel);
  };
  [&]<int... Orders>(std::integer_sequence<int, Orders...>) {
    (try_order.template operator()<2 + Orders>(), ...);
  }
  (std::make_integer_sequence<int, most_per_thread<T> - 1>());
}

/// Of order 8, where there are no gaps between members; otherwise by the kernel above.
template <class ExecSpace, class T>
void enqueue_thread_stream(ExecSpace const& exec, DeterminantBatch<T> const& batch) {
  using Kernel = DeterminantStreamKernel<ExecSpace, T, 8>;
  if (!Kernel::fits(batch)) return enqueue_threads(exec, batch);
  Kernel const kernel(exec, batch);
  Kokkos::parallel_for("carroll::determinant::registers", kernel.policy(exec), kernel);
}

/// The kernel of groups of lanes for matrices of up to `columns` columns. Shapes of groups, and how
/// many share a multiprocessor's registers: the fastest on an H200 (2026-11-22) with 100 000
/// matrices, of order 16 with 2 000 000.
template <class ExecSpace, class T>
void enqueue_lanes(ExecSpace const& exec, DeterminantBatch<T> const& batch, int columns) {
  auto const enqueue = [&]<int Teams, class... Shapes>() {
    DeterminantGroupKernel<ExecSpace, T, Teams, Shapes...> const kernel(exec, batch);
    Kokkos::parallel_for("carroll::determinant::registers", kernel.policy(exec), kernel);
  };
  using Thread = RegisterShape<T, 1, 8>;
  if constexpr (sizeof(T) == sizeof(float)) {
    using Four = RegisterShape<T, 4, 4>;
    switch (columns) {
      case 16: return enqueue.template operator()<16, Four, Thread>();
      case 24: return enqueue.template operator()<16, RegisterShape<T, 8, 3>, Four>();
      case 32: return enqueue.template operator()<12, RegisterShape<T, 8, 4>, Four>();
    }
  } else {
    using Two = RegisterShape<T, 2, 4>;
    switch (columns) {
      case 12: return enqueue.template operator()<16, RegisterShape<T, 4, 3>>();
      case 16: return enqueue.template operator()<16, RegisterShape<T, 8, 2>, Two>();
      case 24: return enqueue.template operator()<8, RegisterShape<T, 8, 3>, Two>();
      case 32:
        return enqueue.template operator()<8, RegisterShape<T, 16, 2>, RegisterShape<T, 4, 4>>();
    }
  }
}

}  // namespace carroll::detail
