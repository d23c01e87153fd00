// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/divided/merge.hpp>
#include <carroll/detail/eigh/divided/secular.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>

namespace carroll::detail {

/// The last step of a merge: S := (S₁ ⊕ S₂)·U in ascending order, a team for each tile of Size ×
/// Size entries, whose rows are those of one of the two blocks. U, u_ij = ẑ_i/(d_i - λ_j) with
/// columns of length 1, is formed where it is wanted, `depth` rows at a time in scratch beside as
/// many columns of S₁ or S₂; a thread adds outer products of four numbers of each (of two where
/// tiles are small) to its sums. Columns that take no part are copied.
///
/// 2·rows·poles·(columns of the tile's block that are not zero, half of them as a rule) flops, at
/// most rows³, so that all merges of a matrix take 4n³/3, and a quotient for each 2·Size flops.
/// S is read rows/Size times and written once.
///
/// On hosts one thread has all sums of a tile.
template <class ExecSpace, class Real, int Size>
class DividedProductKernel {
  static constexpr bool is_host = lanes<ExecSpace> == 1;
  static constexpr int depth = 16, side = Size == 16 ? 2 : 4;
  static constexpr int across = Size / side;  ///< threads
  static constexpr int in_16_bytes = 16 / int(sizeof(Real));
  static constexpr int group = side < in_16_bytes ? side : in_16_bytes;  ///< read at once

  struct alignas(sizeof(Real) * group) Group {
    Real entry[group];
  };
  struct alignas(16) Scratch {
    Real s[depth * Size], u[depth * Size];
  };

 public:
  static constexpr int threads = across * across;
  /// That share a multiprocessor; it bounds their registers.
  static constexpr int least_teams = (sizeof(Real) == 8 && Size == 32 ? 384 : 512) / threads;
  using Policy = BoundedTeams<ExecSpace, threads, least_teams, sizeof(Scratch) + alignof(Scratch)>;
  using Merge = DividedMerge<Real>;

  DividedProductKernel(DividedLevel<Real> const& level) : level_(level) {}

  /// Tiles in rows, and in columns, of a merge.
  KOKKOS_FUNCTION static constexpr int row_tiles(int rows) {
    return 2 * (((rows + 1) / 2 + Size - 1) / Size);
  }
  KOKKOS_FUNCTION static constexpr int tiles(int rows) {
    return row_tiles(rows) * ((rows + Size - 1) / Size);
  }
  static constexpr std::size_t scratch_bytes() { return sizeof(Scratch) + alignof(Scratch); }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Merge const merge = level_(team.league_rank());
    if (merge.rows == 0) return;
    int const tile = level_.chunk_of(team.league_rank());
    int const half = row_tiles(merge.rows) / 2;
    int const row_tile = tile % (2 * half);
    bool const is_upper = row_tile < half;
    Tile at;
    at.i0 = (is_upper ? 0 : merge.upper_rows) + row_tile % half * Size;
    at.rows = Kokkos::min(Size, (is_upper ? merge.upper_rows : merge.rows) - at.i0);
    at.j0 = tile / (2 * half) * Size;
    at.cols = Kokkos::min(Size, merge.rows - at.j0);
    if (at.rows <= 0 || at.cols <= 0) return;
    at.poles = merge.count[Merge::kept];
    int const top = merge.count[Merge::top], both = merge.count[Merge::both];
    at.first = is_upper ? 0 : top;
    at.last = is_upper ? top + both : at.poles;
    if (at.j0 < at.poles) multiply(team, merge, at);
    if (at.j0 + at.cols > at.poles) copy(team, merge, at, is_upper ? Merge::upper : Merge::lower);
  }

 private:
  struct Tile {
    int i0, rows, j0, cols;
    int poles;
    int first, last;  ///< of merge.order
  };
  static constexpr int sums = is_host ? threads : 1;

  KOKKOS_FUNCTION void multiply(TeamMember<ExecSpace> const& team, Merge const& merge,
                                Tile const& at) const {
    auto& scratch = *static_cast<Scratch*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(Scratch), alignof(Scratch)));
    Stager const stager(merge, at, team.team_rank());
    Real sum[sums][side][side] = {};
    Real s[held], u[held];
    stager.fetch(at.first, s, u);
    for (int k = at.first; k < at.last; k += depth) {
      stager.put(scratch, s, u);
      team.team_barrier();
      stager.fetch(k + depth, s, u);
      CARROLL_UNROLL
      for (int t = 0; t < sums; ++t) add_outer_products(scratch, team.team_rank() + t, sum[t]);
      team.team_barrier();
    }
    CARROLL_UNROLL
    for (int t = 0; t < sums; ++t) store(merge, at, team.team_rank() + t, sum[t]);
  }

  /// A thread's share of what is staged: of every step-th column its entry i, and what it is
  /// multiplied by in column i of the tile.
  static constexpr int team_size = is_host ? 1 : threads;
  static constexpr int held = depth * Size / team_size;
  struct Stager {
    Merge const& merge;
    int rank, last;
    int rows, cols;
    Real const* from;
    int j0;

    KOKKOS_FUNCTION Stager(Merge const& of, Tile const& at, int thread)
        : merge(of),
          rank(thread),
          last(at.last),
          rows(at.rows),
          cols(Kokkos::min(at.cols, at.poles - at.j0)),
          from(of.from.data + at.i0),
          j0(at.j0) {}

    /// What lies behind the last column counts as 0.
    KOKKOS_FUNCTION void fetch(int begin, Real (&s)[held], Real (&u)[held]) const {
      CARROLL_UNROLL
      for (int h = 0; h < held; ++h) {
        int const e = rank + h * team_size;
        int const i = e % Size, k = begin + e / Size;
        s[h] = u[h] = 0;
        if (k >= last) continue;
        int const pole = merge.order[k], j = j0 + i;
        if (i < rows)
          s[h] = from[static_cast<std::ptrdiff_t>(merge.column[pole]) * merge.from.rows + i];
        if (i < cols)
          u[h] = quick_quotient<!is_host>(merge.weight[pole], merge.distance(pole, j)) *
                 merge.factor[j];
      }
    }
    KOKKOS_FUNCTION void put(Scratch& scratch, Real const (&s)[held], Real const (&u)[held]) const {
      CARROLL_UNROLL
      for (int h = 0; h < held; ++h) {
        scratch.s[rank + h * team_size] = s[h];
        scratch.u[rank + h * team_size] = u[h];
      }
    }
  };

  /// Where number u of a thread's is in the tile: groups of up to 16 bytes lie side by side.
  KOKKOS_FUNCTION static constexpr int place(int thread, int u) {
    return (u / group * across + thread) * group + u % group;
  }
  KOKKOS_FUNCTION static void read(Real const* from, int thread, Real (&x)[side]) {
    CARROLL_UNROLL
    for (int u = 0; u < side; u += group) {
      Group const all = *reinterpret_cast<Group const*>(from + place(thread, u));
      CARROLL_UNROLL
      for (int v = 0; v < group; ++v) x[u + v] = all.entry[v];
    }
  }
  KOKKOS_FUNCTION static void add_outer_products(Scratch const& scratch, int thread,
                                                 Real (&sum)[side][side]) {
    CARROLL_UNROLL
    for (int k = 0; k < depth; ++k) {
      Real s[side], u[side];
      read(scratch.s + k * Size, thread % across, s);
      read(scratch.u + k * Size, thread / across, u);
      CARROLL_UNROLL
      for (int c = 0; c < side; ++c) {
        CARROLL_UNROLL
        for (int r = 0; r < side; ++r) sum[c][r] += s[r] * u[c];
      }
    }
  }
  KOKKOS_FUNCTION static void store(Merge const& merge, Tile const& at, int thread,
                                    Real const (&sum)[side][side]) {
    CARROLL_UNROLL
    for (int c = 0; c < side; ++c) {
      int const j = at.j0 + place(thread / across, c);
      if (j >= at.poles) continue;
      Real* const column = merge.to.col(merge.target[j]) + at.i0;
      CARROLL_UNROLL
      for (int r = 0; r < side; ++r) {
        int const i = place(thread % across, r);
        if (i < at.rows) column[i] = sum[c][r];
      }
    }
  }

  KOKKOS_FUNCTION static void copy(TeamMember<ExecSpace> const& team, Merge const& merge,
                                   Tile const& at, int half) {
    int const first = Kokkos::max(at.poles - at.j0, 0);
    for (int e = first * Size + team.team_rank(); e < at.cols * Size; e += is_host ? 1 : threads) {
      int const i = e % Size, j = at.j0 + e / Size;
      if (i >= at.rows) continue;
      int const column = merge.column[j];
      bool const is_there = merge.mask[column] & half;
      merge.to(at.i0 + i, merge.target[j]) = is_there ? merge.from(at.i0 + i, column) : Real(0);
    }
  }

  DividedLevel<Real> level_;
};

}  // namespace carroll::detail
