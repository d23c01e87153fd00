// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/tiled/chunk_sums.hpp>
#include <carroll/detail/svd/tiled/panel.hpp>

/// Block reflectors at work on a tile of 16 columns.
namespace carroll::detail {

/// The reflectors of one tile: V with unit lower trapezoidal columns, and T, zero where there is no
/// reflector, so that their product is I - V·T·Vᵀ (Schreiber and Van Loan 1989).
template <class Real>
struct BlockReflector {
  TilePanelSource<Real, true> V;
  Real const* T;

  /// Of tile `panel` of F with n columns.
  KOKKOS_FUNCTION BlockReflector(Columns<Real> const& F, BlockFactor<Real> const& factor, int panel,
                                 int n)
      : V{F, factor.V(), panel, Kokkos::min(n - panel * tile_columns, int{tile_columns})},
        T(factor.T()) {}
};

/// Scratch of a team that applies block reflectors or makes them.
template <class Real>
struct TilePanelScratch {
  static constexpr int block = tile_columns * tile_columns;
  Real* sums;     ///< 256
  Real* weights;  ///< 256, aligned to 16 bytes
  Real* T;        ///< 256
  Real* parts;    ///< 256 per warp; of a single warp, the sums

  /// Bytes for a team of so many warps at most.
  static std::size_t bytes(int warps) { return sizeof(Real) * size(warps) + 16; }

  template <class Member>
  KOKKOS_FUNCTION TilePanelScratch(Member const& team, int warps) {
    sums =
        static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(sizeof(Real) * size(warps), 16));
    weights = sums + block;
    T = weights + block;
    parts = warps > 1 ? T + block : sums;
  }

 private:
  KOKKOS_FUNCTION static constexpr int size(int warps) {
    return block * (3 + (warps > 1 ? warps : 0));
  }
};

/// panel := (I - V·T·Vᵀ)·panel, or with T transposed. 64·16·rows flops, two barriers or three.
template <bool transposed, class Real, int R, class Member>
KOKKOS_INLINE_FUNCTION void apply_block(Member const& team, TilePanelThreads const& threads,
                                        BlockReflector<Real> const& reflector,
                                        TilePanelScratch<Real> const& scratch,
                                        ChunkSums<Real>& sums, TilePanel<Real, R>& panel) {
  constexpr int block = TilePanelScratch<Real>::block;
  int const first_chunk = threads.chunk_of(reflector.V.panel);
  sums.next_round();
  if (threads.chunk() < first_chunk) return;  // its rows lie above the reflectors
  Real T[block / 32];
  CARROLL_UNROLL
  for (int k = 0; k < block / 32; ++k) {
    int const e = threads.thread() + k * team.team_size();
    T[k] = e < block ? reflector.T[e] : Real(0);
  }
  TilePanelRows<Real, R> const rows(threads, reflector.V);
  panel_products(threads, rows, panel, scratch.parts);
  CARROLL_UNROLL
  for (int k = 0; k < block / 32; ++k) {
    int const e = threads.thread() + k * team.team_size();
    if (e < block) scratch.T[e] = T[k];
  }
  team.team_barrier();
  if (threads.warps() > 1) {
    for (int e = threads.thread(); e < block; e += team.team_size()) {
      Real sum = 0;
      CARROLL_UNROLL
      for (int w = 0; w < most_panel_warps; ++w)
        sum += w < threads.warps() ? scratch.parts[w * block + e] : Real(0);
      scratch.sums[e] = sums.alone() ? sum : sums(first_chunk, e, sum);
    }
    team.team_barrier();
  }
  for (int e = threads.thread(); e < block; e += team.team_size()) {
    int const k = e / tile_columns, c = e % tile_columns;
    Real weight = 0;
    CARROLL_UNROLL
    for (int l = 0; l < tile_columns; ++l)
      weight += scratch.T[transposed ? l * tile_columns + k : k * tile_columns + l] *
                scratch.sums[l * tile_columns + c];
    scratch.weights[e] = weight;
  }
  team.team_barrier();
  subtract_products(threads, rows, scratch.weights, panel);
}

}  // namespace carroll::detail
