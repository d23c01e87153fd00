// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/sizes.hpp>
#include <carroll/detail/solve/tiled/plan.hpp>
#include <carroll/detail/solve/tiled/storage.hpp>
#include <carroll/detail/solve/warp/eliminate_row.hpp>
#include <carroll/detail/solve/warp/pivot.hpp>
#include <carroll/detail/svd/common/chunk.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

namespace carroll::detail {

/// Bit number `rank` of those that are set.
KOKKOS_INLINE_FUNCTION int set_bit_of_rank(std::uint32_t bits, int rank) {
  for (; rank > 0; --rank) bits &= bits - 1;
  return Kokkos::Experimental::countr_zero_builtin(bits);
}

/// Elimination with partial pivoting of the next columns of a system, all rows that are left, by a
/// team that has them in registers, R rows a thread. Rows stay in their threads until all steps are
/// done: each warp offers its largest entry, and its row, in scratch; behind the one barrier of a
/// step all threads see the largest of these and take their multiples of that row. Then rows go
/// back to memory: pivots to the top, the rows that were there to the places that these leave.
///
/// m rows and w columns: about 2mw² flops, as all columns are worked on in fours and threads that
/// are done wait; w dependent steps; 2mw words.
template <class ExecSpace, class Value, int R>
class SolveTilePanelKernel {
 public:
  static constexpr int width = solve_panel_width<Value, R>;
  using Real = RealOf<Value>;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<most_panel_threads>>;
  struct Scratch {
    static constexpr int warps = most_panel_threads / 32;
    alignas(16) Value rows[2][warps][width];  ///< of steps by turns
    Real sizes[2][warps];
    int owners[2][warps];
    int pivots[solve_block];
    int places[solve_block];  ///< of rows from the top
  };

  /// From column `first` on.
  SolveTilePanelKernel(SolveBatch<Value> const& batch, int first) : batch_(batch), first_(first) {}

  static int threads(int rows) { return (rows + 32 * R - 1) / (32 * R) * 32; }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    auto& scratch =
        *static_cast<Scratch*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(Scratch), 16));
    SolveTileStorage<Value> const at(batch_(team.league_rank()));
    Rows own;
    own.m = at.n - first_;
    own.w = Kokkos::min(own.m, int{width});
    load(team, at, own);
    bool regular = true;
    step_from<0>(team, at, scratch, own, regular);
    fast_team_barrier(team);  // all pivots are known
    if (team.team_rank() / 32 == 0) find_places(team, at, scratch, own.w);
    fast_team_barrier(team);
    store(team, at, scratch, own);
    if (team.team_rank() == 0 && !regular) Kokkos::atomic_or(&at.state->flags, int{pivot_is_zero});
  }

 private:
  /// A thread's.
  struct Rows {
    Value a[R][width];
    int place[R];   ///< number of the pivot that it has become, or -1
    int origin[R];  ///< the caller's number
    int m, w;
  };

  /// Number of row q of a thread. Rows of a thread are neighbours, so that the first of equal
  /// entries is found first whatever R is.
  KOKKOS_FUNCTION static int row_of(TeamMember<ExecSpace> const& team, int q) {
    return team.team_rank() * R + q;
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(TeamMember<ExecSpace> const& team,
                                        SolveTileStorage<Value> const& at, Rows& own) const {
    CARROLL_UNROLL
    for (int q = 0; q < R; ++q) {
      int const row = row_of(team, q);
      bool const there = row < own.m;
      own.place[q] = there ? -1 : int{width};
      own.origin[q] = there ? at.order[first_ + row] : 0;
      CARROLL_UNROLL
      for (int j = 0; j < width; ++j)
        own.a[q][j] = there && j < own.w ? at.A(first_ + row, first_ + j) : Value(0);
    }
  }

  template <int Begin>
  KOKKOS_FORCEINLINE_FUNCTION void step_from(TeamMember<ExecSpace> const& team,
                                             SolveTileStorage<Value> const& at, Scratch& scratch,
                                             Rows& own, bool& regular) const {
    if constexpr (Begin < width) {
      int const end = Kokkos::min(Begin + 4, own.w);
      CARROLL_NO_UNROLL
      for (int k = Begin; k < end; ++k) step<Begin>(team, at, scratch, own, k, regular);
      step_from<Begin + 4>(team, at, scratch, own, regular);
    }
  }

  template <int Begin>
  KOKKOS_FORCEINLINE_FUNCTION void step(TeamMember<ExecSpace> const& team,
                                        SolveTileStorage<Value> const& at, Scratch& scratch,
                                        Rows& own, int k, bool& regular) const {
    DeviceWarp const warp = warp_of_threads(team);
    int const own_warp = team.team_rank() / 32, turn = k % 2;
    offer<Begin>(team, warp, scratch, own, k, turn, own_warp);
    fast_team_barrier(team);
    bool const is_warp = warp.lane < team.team_size() / 32;
    int const owner = is_warp ? scratch.owners[turn][warp.lane] : -1;
    Real const offered = is_warp ? scratch.sizes[turn][warp.lane] : Real(0);
    int const winner = row_of_largest(warp, offered, owner >= 0);
    int const pivot = warp.from(owner, winner);
    Value const* const shared = scratch.rows[turn][winner];
    Value const u = shared[k];
    regular = regular && u != Value(0);
    Value const inverse = inverse_of_pivot(u == Value(0) ? Value(1) : u);
    if (team.team_rank() == 0) {
      scratch.pivots[k] = pivot;
      at.inverses[first_ + k] = inverse;
    }
    CARROLL_UNROLL
    for (int q = 0; q < R; ++q) {
      if (row_of(team, q) == pivot) own.place[q] = k;
      bool const left = own.place[q] < 0;
      Value const factor =
          left ? fused_product(entry_of_four<Begin>(own.a[q], k), inverse) : Value(0);
      eliminate_row<Begin>(shared, k, factor, left, own.a[q]);
    }
  }

  /// A warp's largest entry of column k, and its row.
  template <int Begin>
  KOKKOS_FORCEINLINE_FUNCTION static void offer(TeamMember<ExecSpace> const& team,
                                                DeviceWarp const& warp, Scratch& scratch,
                                                Rows const& own, int k, int turn, int own_warp) {
    Real x = pivot_size(entry_of_four<Begin>(own.a[0], k));
    bool left = own.place[0] < 0;
    int mine = 0;
    CARROLL_UNROLL
    for (int q = 1; q < R; ++q) {
      Real const y = pivot_size(entry_of_four<Begin>(own.a[q], k));
      bool const better = own.place[q] < 0 && (!left || Kokkos::bit_cast<BitsOf<Real>>(y) >
                                                            Kokkos::bit_cast<BitsOf<Real>>(x));
      x = better ? y : x;
      mine = better ? q : mine;
      left = left || better;
    }
    if (warp.lane != row_of_largest(warp, x, left)) return;
    CARROLL_UNROLL
    for (int q = 0; q < R; ++q)
      if (q == mine)
        write_chunks<width - Begin>(own.a[q] + Begin, scratch.rows[turn][own_warp] + Begin);
    scratch.sizes[turn][own_warp] = x;
    scratch.owners[turn][own_warp] = left ? row_of(team, mine) : -1;
  }

  /// Where rows go, by the first warp: those at the top that are no pivots, in their order, to the
  /// places of pivots from below, in the order of these.
  KOKKOS_FUNCTION static void find_places(TeamMember<ExecSpace> const& team,
                                          SolveTileStorage<Value> const& at, Scratch& scratch,
                                          int w) {
    DeviceWarp const warp = warp_of_threads(team);
    int const lane = warp.lane;
    constexpr std::uint32_t one = 1;
    int const pivot = lane < w ? scratch.pivots[lane] : -1;
    std::uint32_t const vacated = warp.ballot(pivot >= w);
    std::uint32_t const stay = warp.any_bits(pivot >= 0 && pivot < w ? one << pivot : 0);
    std::uint32_t const top = w < 32 ? (one << w) - 1 : ~std::uint32_t{0};
    int const rank = Kokkos::Experimental::popcount_builtin(vacated & ((one << lane) - 1));
    int const displaced = pivot >= w ? set_bit_of_rank(top & ~stay, rank) : -1;
    if (displaced >= 0) scratch.places[displaced] = pivot;
    if (lane < w) {
      at.pivots[lane] = pivot;
      at.displaced[lane] = displaced;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(TeamMember<ExecSpace> const& team,
                                         SolveTileStorage<Value> const& at, Scratch const& scratch,
                                         Rows const& own) const {
    DeviceWarp const warp = warp_of_threads(team);
    Real most = 0;
    CARROLL_UNROLL
    for (int q = 0; q < R; ++q) {
      int const row = row_of(team, q), place = own.place[q];
      if (row >= own.m) continue;
      int const to = place >= 0 ? place : row < own.w ? scratch.places[row] : row;
      if (to != row) at.order[first_ + to] = own.origin[q];
      CARROLL_UNROLL
      for (int j = 0; j < width; ++j) {
        if (j >= own.w) continue;
        at.A(first_ + to, first_ + j) = own.a[q][j];
        if (place >= 0 && j >= place) most = Kokkos::max(most, size_or_infinity(own.a[q][j]));
      }
    }
    most = lanes_max(warp, most);
    if (warp.lane == 0 && most > Real(0)) raise(&at.state->after, most);
  }

  SolveBatch<Value> batch_;
  int first_;
};

}  // namespace carroll::detail
