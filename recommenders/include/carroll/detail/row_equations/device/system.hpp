// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/row_equations/device/tile.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// What a team shares while it solves a row's equations: vectors of `pitch` numbers, the block on
/// the diagonal, and a word.
template <class Real, int T>
struct RowShared {
  Real *right, *inverse, *diagonal;
  Real* chunk;  ///< the right hand side of a chunk
  Real* block;  ///< L of the current column of tiles, row by row
  Real* panel;  ///< T columns of L, each `pitch` numbers
  std::int64_t* ticket;
  std::uint32_t* flags;
  int pitch;

  KOKKOS_FUNCTION static std::size_t bytes(int pitch, bool with_panel) {
    auto const p = static_cast<std::size_t>(pitch);
    return ((with_panel ? 4 + T : 4) * p + T * T) * sizeof(Real) + 32;
  }
  /// Without a panel where that is not used.
  KOKKOS_FUNCTION RowShared(unsigned char* scratch, int wanted_pitch, bool with_panel)
      : pitch(wanted_pitch) {
    block = reinterpret_cast<Real*>(scratch);
    right = block + T * T;
    inverse = right + pitch;
    diagonal = inverse + pitch;
    chunk = diagonal + pitch;
    ticket = reinterpret_cast<std::int64_t*>(chunk + pitch);
    flags = reinterpret_cast<std::uint32_t*>(ticket + 1);
    panel = with_panel ? reinterpret_cast<Real*>(ticket + 4) : nullptr;
  }
};

/// A row's equations, a tile of them in the registers of each thread of a team.
///
/// Right-looking by columns of tiles: the thread on the diagonal factors its tile, those below
/// solve for theirs and leave them in scratch, all others subtract products of these; three
/// barriers in all. The right hand side goes along. d³/3 flops; 2·T numbers are read from scratch
/// for T² multiply-adds.
template <class Real, class Member, int T>
struct RowSystem {
  using Tile = EquationTile<Real, T>;
  RowEquations<Real> const& problem;
  Member const& team;
  RowShared<Real, T> const& shared;
  int tiles;  ///< along a side
  int i, j;   ///< of the thread's tile; i < 0: it has none

  /// Solves for row `row`, whose ratings' part is in the tiles and in shared.right.
  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int32_t row, Tile& tile) const {
    if (problem.gram) return hand_over(tile);
    int const d = problem.unknowns(), rank = team.team_rank(), size = team.team_size();
    if (problem.is_cold(row)) {
      for (int u = rank; u < d; u += size) problem.clear(row, u);
      return;
    }
    begin(row, tile);
    std::uint32_t const flags = factor(tile);
    if (problem.sampled)
      for (int u = rank; u < d; u += size) shared.right[u] += problem.normal(row, u);
    if (flags) Kokkos::atomic_or(shared.flags, flags);
    fast_team_barrier(team);
    solve_transposed(tile);
    store(problem, team, shared, row);
  }

  /// Common to systems in registers and in memory: the solution goes to x, and what was found out
  /// is told.
  KOKKOS_FUNCTION static void store(RowEquations<Real> const& problem, Member const& team,
                                    RowShared<Real, T> const& shared, std::int32_t row) {
    int const d = problem.unknowns(), rank = team.team_rank(), size = team.team_size();
    bool finite = true;
    for (int u = rank; u < d; u += size) {
      finite = finite && Kokkos::isfinite(shared.right[u]);
      problem.store(row, u, shared.right[u]);
    }
    bool const all = all_of_team(team, finite);
    if (rank == 0) {
      std::uint32_t const flags = *shared.flags | (all ? 0U : std::uint32_t{row_not_finite});
      if (flags) problem.report(flags);
    }
  }
  /// The right hand side with what is not the ratings', and no flags. Ends with a barrier.
  KOKKOS_FUNCTION static void begin_right(RowEquations<Real> const& problem, Member const& team,
                                          RowShared<Real, T> const& shared, std::int32_t row) {
    int const d = problem.unknowns(), rank = team.team_rank(), size = team.team_size();
    for (int u = rank; u < shared.pitch; u += size) {
      if (u >= d)
        shared.right[u] = 0;
      else if (problem.common_rhs || problem.adds)
        shared.right[u] += problem.rhs(row, u);
    }
    if (rank == 0) *shared.flags = 0;
    fast_team_barrier(team);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void begin(std::int32_t row, Tile& tile) const {
    if (i >= 0) tile.add_common(problem, row, i * T, j * T);
    if (i >= 0 && i == j) {
      CARROLL_UNROLL
      for (int r = 0; r < T; ++r) shared.diagonal[i * T + r] = tile.a[r][r];
    }
    begin_right(problem, team, shared, row);
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t factor(Tile& tile) const {
    std::uint32_t flags = 0;
    for (int step = 0; step < tiles; ++step) {
      int const at = step * T;
      if (i == step && j == step) {
        flags |= tile.factor(shared.diagonal + at, shared.inverse + at, shared.right + at);
        tile.store(shared.block);
      }
      fast_team_barrier(team);
      if (j == step && i > step) {
        tile.solve(shared.block, shared.inverse + at, shared.right + at, shared.right + i * T);
        CARROLL_UNROLL
        for (int c = 0; c < T; ++c) {
          CARROLL_UNROLL
          for (int r = 0; r < T; ++r) shared.panel[c * shared.pitch + i * T + r] = tile.a[r][c];
        }
      }
      fast_team_barrier(team);
      if (j > step) {
        CARROLL_UNROLL
        for (int c = 0; c < T; ++c)
          tile.subtract_product(Tile::read(shared.panel + c * shared.pitch + i * T),
                                Tile::read(shared.panel + c * shared.pitch + j * T));
      }
    }
    return flags;
  }

  KOKKOS_FORCEINLINE_FUNCTION void solve_transposed(Tile const& tile) const {
    for (int step = tiles - 1; step >= 0; --step) {
      int const at = step * T;
      if (i == step && j == step) tile.solve_transposed(shared.inverse + at, shared.right + at);
      fast_team_barrier(team);
      if (i == step && j < step) tile.subtract_transposed(shared.right + at, shared.right + j * T);
      fast_team_barrier(team);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void hand_over(Tile const& tile) const {
    int const d = problem.unknowns();
    if (i >= 0) tile.hand_over(problem.gram, d, i * T, j * T);
    if (problem.sum)
      for (int u = team.team_rank(); u < d; u += team.team_size()) problem.sum[u] = shared.right[u];
  }
};

}  // namespace carroll::detail
