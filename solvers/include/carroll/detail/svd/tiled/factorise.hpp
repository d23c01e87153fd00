// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/tiled/pair.hpp>
#include <carroll/detail/svd/tiled/panel.hpp>
#include <carroll/detail/svd/tiled/reflectors.hpp>
#include <type_traits>

/// Householder reflectors of a tile's own columns.
namespace carroll::detail {

/// Steps of the factorisation between two turns of the columns that a thread holds.
inline constexpr int panel_steps = 2;

/// So many first columns go to the end.
template <class Real, int R>
KOKKOS_INLINE_FUNCTION void turn(TilePanel<Real, R>& panel) {
  CARROLL_UNROLL
  for (int r = 0; r < R; ++r) {
    Real x[panel_side];
    CARROLL_UNROLL
    for (int j = 0; j < panel_side; ++j) x[j] = panel.x[(j + panel_steps) % panel_side][r];
    CARROLL_UNROLL
    for (int j = 0; j < panel_side; ++j) panel.x[j][r] = x[j];
  }
}

/// The triangular factor of 2·s reflectors from those of s and s: T₁₂ = -T₁·(V₁ᵀ·V₂)·T₂, for all
/// such pairs among 16 and then for larger s. M holds the T of single reflectors, tau, on its
/// diagonal and v_l·v_k above it, row by row; one warp.
template <int s, class Real>
KOKKOS_INLINE_FUNCTION void join_block_factors(DeviceWarp const& warp, Real* M, Real* products) {
  auto const for_entries = [&](auto const& entry) {
    warp.sync();
    for (int e = warp.lane; e < panel_side * s; e += 32) {
      int const corner = e / (s * s) * 2 * s;  // of the pair
      entry(corner, corner + e / s % s, corner + s + e % s);
    }
  };
  auto const at = [](int i, int k) { return i * tile_columns + k; };
  for_entries([&](int corner, int i, int k) {
    Real sum = 0;
    CARROLL_UNROLL
    for (int l = 0; l < s; ++l)
      sum += corner + l < i ? Real(0) : M[at(i, corner + l)] * M[at(corner + l, k)];
    products[at(i, k)] = sum;
  });
  for_entries([&](int corner, int i, int k) {
    Real sum = 0;
    CARROLL_UNROLL
    for (int l = corner + s; l < corner + 2 * s; ++l)
      sum += l > k ? Real(0) : products[at(i, l)] * M[at(l, k)];
    M[at(i, k)] = -sum;
  });
  if constexpr (2 * s < tile_columns) join_block_factors<2 * s>(warp, M, products);
}

/// TilePanel `block` := its reflectors and its part of R, and T. The dot products of a column x
/// with all others, taken before the reflector v = (x - β·e)/(α - β) exists, give those with v: v·y
/// = y_k + (x·y - α·y_k)/(α - β), so that one round of sums a column is enough. The columns move
/// round so that the one at work is always among a thread's first two: registers must not be
/// indexed by variables. Threads of the other side get it from their partners.
///
/// 96·16·rows flops, 16 dependent steps with a barrier each, and one exchange if there are chunks.
template <class Real, int R, class Member>
KOKKOS_INLINE_FUNCTION void factorise(Member const& team, TilePanelThreads const& threads,
                                      int block, int cols, TilePanelScratch<Real> const& scratch,
                                      ChunkSums<Real>& sums, TilePanel<Real, R>& panel,
                                      BlockFactor<Real> const& factor) {
  constexpr int both = 2 * tile_columns;  // sums of a step, and the panel's row
  constexpr int square_block = TilePanelScratch<Real>::block;
  Real* const dots = scratch.weights;
  Real* const at_row = scratch.T;         // used in turn
  Real* const joined = scratch.T + both;  // used in turn
  int const lane = threads.lane(), side = threads.side();
  DeviceWarp const warp{lane};
  int const chunk = threads.chunk_of(block);
  bool const heads = threads.chunk() == chunk, owns = threads.holds(block);
  int const owned = threads.place(block);
  int const mine = lane / 2;  // the column whose sum this lane gets, by its present place

  for (int e = threads.thread(); e < square_block; e += team.team_size()) dots[e] = 0;
  auto const step = [&](auto place, int k) {
    constexpr int pivot = decltype(place)::value;  // of the columns that the thread holds
    int const row = tile_columns * block + k;
    int const at = k / panel_side * panel_side;  // place of column k
    Real x[R], partial[panel_side] = {};
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) x[r] = warp.from(panel.x[pivot][r], 2 * at + lane % 16);
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      x[r] = threads.row(r) >= row ? x[r] : Real(0);
      CARROLL_UNROLL
      for (int j = 0; j < panel_side; ++j) partial[j] += x[r] * panel.x[j][r];
    }
    Real const sum = scattered_sums<panel_side, 8>(DeviceWarp{lane}, partial);
    Real* y = at_row + k % 2 * tile_columns;
    if (owns && lane % 16 == k) {
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r)
        if (r == owned) CARROLL_UNROLL
      for (int j = 0; j < panel_side; ++j) y[side * panel_side + j] = panel.x[j][r];
    }
    Real dot = sum;
    if (threads.warps() == 1) {
      team.team_barrier();
    } else {
      // Two turns of 16 sums per warp lie where parts of the blocks' products lay.
      Real* const parts = scratch.parts + k % 2 * most_panel_warps * tile_columns;
      auto const total = [&](int c) {
        Real part[most_panel_warps], all = 0;
        CARROLL_UNROLL
        for (int w = 0; w < most_panel_warps; ++w)
          part[w] = w < threads.warps() ? parts[w * tile_columns + c] : Real(0);
        CARROLL_UNROLL
        for (int w = 0; w < most_panel_warps; ++w) all += part[w];
        return all;
      };
      if (threads.warp() < threads.warps() && lane % 2 == 0)
        parts[threads.warp() * tile_columns + mine] = sum;
      team.team_barrier();
      if (sums.alone()) {
        dot = total(mine);
      } else {
        Real* const all = joined + k % 2 * both;
        sums.next_round();
        if (threads.warp() == 0) {
          Real const own = lane < tile_columns ? total(lane)
                           : heads             ? y[lane - tile_columns]
                                               : Real(0);
          all[lane] = sums(chunk, lane, own);
        }
        team.team_barrier();
        dot = all[mine];
        y = all + tile_columns;
      }
    }
    Real const norm_square = warp.from(dot, 2 * (at + pivot));
    Real const alpha = y[at + pivot];
    // Below 2^-60 in single, 2^-500 in double precision what is left of a column is zero.
    constexpr int least = sizeof(Real) == 4 ? -120 : -1000;
    bool const zero = !(norm_square > power_of_two<Real>(least));
    Real const one_by_norm = zero ? Real(0) : reciprocal_root(norm_square);
    Real const norm = norm_square * one_by_norm;
    // β = ∓‖x‖, so that α - β and (β - α)/β = 1 + |α|/‖x‖ do not cancel.
    Real const beta = zero ? Real(0) : alpha < 0 ? norm : -norm;
    Real const scaling = zero ? Real(0) : reciprocal(alpha - beta);
    Real const tau = zero ? Real(0) : 1 + Kokkos::abs(alpha) * one_by_norm;
    Real const v_dot = zero ? Real(0) : y[mine] + (dot - alpha * y[mine]) * scaling;
    int const column = side * panel_side + (mine + k - pivot) % panel_side;
    if (threads.warp() == 0 && lane % 2 == 0 && column <= k)
      dots[column * tile_columns + k] = column == k ? tau : v_dot;
    Real const weight = column <= k ? Real(0) : tau * v_dot;
    Real weights[panel_side];
    CARROLL_UNROLL
    for (int j = 0; j < panel_side; ++j) weights[j] = warp.from(weight, 16 * side + 2 * j);
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      int const i = threads.row(r);
      Real const v = i == row && !zero ? Real(1) : x[r] * scaling;
      Real const own = i == row ? beta : v;
      panel.x[pivot][r] = side * panel_side == at && i >= row ? own : panel.x[pivot][r];
      CARROLL_UNROLL
      for (int j = 0; j < panel_side; ++j) panel.x[j][r] -= weights[j] * v;
    }
  };
  CARROLL_NO_UNROLL
  for (int k = 0; k < tile_columns; k += panel_steps) {
    if (k < cols) step(std::integral_constant<int, 0>(), k);
    if (k + 1 < cols) step(std::integral_constant<int, 1>(), k + 1);
    turn(panel);
  }
  if (owns) {
    // The diagonal block, as those who apply the reflectors or R will read it.
    CARROLL_UNROLL
    for (int j = 0; j < panel_side; ++j) {
      Real x = 0;
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) x = r == owned ? panel.x[j][r] : x;
      int const i = lane % 16, c = side * panel_side + j, e = c * tile_columns + i;
      factor.V()[e] = i > c ? x : Real(i == c && c < cols ? 1 : 0);
      factor.R()[e] = i <= c ? x : Real(0);
    }
  }
  team.team_barrier();
  if (!heads || threads.warp() > 0) return;
  join_block_factors<1>(warp, dots, scratch.sums);
  warp.sync();
  for (int e = lane; e < square_block; e += 32)
    factor.T()[e] = e % tile_columns < e / tile_columns ? Real(0) : dots[e];
}

}  // namespace carroll::detail
