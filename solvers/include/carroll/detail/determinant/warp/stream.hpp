// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/store_infos.hpp>
#include <carroll/detail/determinant/warp/load.hpp>
#include <carroll/detail/determinant/warp/pivots.hpp>
#include <carroll/detail/determinant/warp/thread.hpp>
#include <carroll/detail/device/copies/async_copy.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A thread per matrix of order N, the batch one array without gaps: a warp goes through several
/// times 32 members, and while it computes, the next ones come to scratch, read side by side. A
/// lane that reads a member of its own touches each of its lines eight times, and all lanes the
/// same sets of the cache where members are a power of two apart. H200, 2026-11-23, order 8,
/// 100 000 | 2 000 000 members, with the 10 µs of a launch and a fence: 30 | 325 µs for 40 | 390 in
/// double precision, 20 | 172 µs for 22.5 | 175 in single; 6 | 1 µs of that is the order, where the
/// batch has just been copied.
///
/// Scratch holds a member's chunks together, and an odd number of chunks from one to the next, so
/// that lanes meet in no bank.
template <class ExecSpace, class T, int N>
class DeterminantStreamKernel {
  using Chunk = RegisterChunk<T>;
  static constexpr int chunks = N * N / Chunk::size;  ///< of a member
  static constexpr int pitch = chunks + 1;
  static_assert(N * N % Chunk::size == 0 && chunks % 2 == 0 && 32 % chunks == 0);

 public:
  /// Per multiprocessor: they share 65 536 registers, and hold twice the entries or so.
  static constexpr int teams = sizeof(T) == 8 ? 8 : 12;
  using Policy =
      BoundedTeams<ExecSpace, 32, teams, std::size_t{32} * pitch * sizeof(Chunk) + sizeof(Chunk)>;

  [[nodiscard]] static bool fits(DeterminantBatch<T> const& batch) {
    return packed_access(batch) != EntryAccess::single;
  }

  DeterminantStreamKernel(ExecSpace const& exec, DeterminantBatch<T> const& batch)
      : batch_(batch), by_rows_(packed_access(batch) == EntryAccess::rows) {
    int const at_once = processors(exec) * teams;
    teams_ = (batch.members + 31) / 32;
    int const rounds = (teams_ + at_once - 1) / at_once;
    if (rounds > 1) teams_ = (teams_ + rounds - 1) / rounds;
  }

  [[nodiscard]] Policy policy(ExecSpace const& exec) const {
    return team_policy<Policy>(
        exec, {.count = teams_, .threads = 32, .scratch = scratch_bytes + sizeof(Chunk)});
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DeviceWarp const warp{opaque_register(team.team_rank() % 32)};
    auto* const scratch = static_cast<Chunk*>(
        team.team_scratch(0).get_shmem_aligned(std::size_t{scratch_bytes}, sizeof(Chunk)));
    // The last members first: if the batch has just been written, those are in caches still.
    int const step = 32 * team.league_size();
    int first = 32 * ((batch_.members + 31) / 32 - 1 - team.league_rank());
    request(warp, first, scratch);
    CARROLL_NO_UNROLL
    for (; first >= 0; first -= step) {
      // Lanes behind the last member solve that again.
      int const slot = Kokkos::min(warp.lane, batch_.members - 1 - first);
      T a[N][N];
      wait_for_copies();
      warp.sync();
      Chunk const* const mine = scratch + slot * pitch;
      if (by_rows_)
        read(mine, [&](int i, int j) -> T& { return a[i][j]; });
      else
        read(mine, [&](int i, int j) -> T& { return a[j][i]; });
      warp.sync();
      if (first >= step) request(warp, first - step, scratch);
      store_infos(warp, batch_, first,
                  RegisterThreadSolver<T, N>::solve(batch_.source_of(first + slot), a));
    }
  }

 private:
  static constexpr std::size_t scratch_bytes = std::size_t{32} * pitch * sizeof(Chunk);

  /// Asks for the members from `first` on, as many as there are.
  KOKKOS_FORCEINLINE_FUNCTION void request(DeviceWarp const& warp, int first,
                                           Chunk* scratch) const {
    auto const* const from =
        reinterpret_cast<Chunk const*>(batch_.source.data) + std::int64_t{chunks} * first;
    if (first + 32 <= batch_.members) {
      constexpr int members = 32 / chunks;  // that a chunk for each lane makes
      Chunk* const to = scratch + warp.lane + (members == 1 ? 0 : warp.lane / chunks);
      CARROLL_UNROLL
      for (int k = 0; k < chunks; ++k)
        copy_async(to + k * (32 + members), from + k * 32 + warp.lane);
    } else {
      CARROLL_NO_UNROLL
      for (int c = warp.lane; c < (batch_.members - first) * chunks; c += 32)
        copy_async(&scratch[c + c / chunks], from + c);
    }
  }

  /// A member as it is seen from its last entry.
  template <class Entry>
  KOKKOS_FORCEINLINE_FUNCTION static void read(Chunk const* mine, Entry const& entry) {
    CARROLL_UNROLL
    for (int c = 0; c < chunks; ++c) {
      Chunk const part = mine[c];
      CARROLL_UNROLL
      for (int q = 0; q < Chunk::size; ++q) {
        int const k = N * N - 1 - (c * Chunk::size + q);
        entry(k / N, k % N) = part.entry[q];
      }
    }
  }

  DeterminantBatch<T> batch_;
  bool by_rows_;
  int teams_;
};

}  // namespace carroll::detail
