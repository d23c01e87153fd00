// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/tile.hpp>
#include <carroll/detail/unroll.hpp>

/// Blocked Householder QR on tiles of 16 columns, and its reflectors at work.
namespace carroll::detail {

/// Which factorisation: that of A, that of the transposed first R, or that of J·Σ, whose Q is J.
enum class TileFactor { outer, inner, rotations };

template <TileFactor which, class Real>
KOKKOS_INLINE_FUNCTION Columns<Real> factor_of(SvdProblem<Real> const& problem) {
  return which == TileFactor::outer   ? problem.factor()
         : which == TileFactor::inner ? problem.inner_factor()
                                      : problem.rotations();
}

/// The reflectors of one tile: V with unit lower trapezoidal columns, and T, so that their product
/// is I - V·T·Vᵀ (Schreiber and Van Loan 1989).
template <class Real>
struct BlockReflector {
  Columns<Real> F;  ///< V below the diagonal
  Real const* T;    ///< 16×16, row by row, upper triangular
  int first;        ///< column of F with the first reflector
  int count;

  KOKKOS_FUNCTION Real v(int k, int i) const {
    int const d = first + k;
    return k >= count || i < d || i >= F.rows ? Real(0) : i == d ? Real(1) : F(i, d);
  }
};

/// Scratch of a team that applies block reflectors.
template <class Real>
struct ReflectorScratch {
  Real* parts;    ///< 256·warps if there are several warps
  Real* sums;     ///< 256
  Real* weights;  ///< 256

  KOKKOS_FUNCTION static constexpr int size(int warps) {
    return tile_columns * tile_columns * (2 + (warps > 1 ? warps : 0));
  }
  KOKKOS_FUNCTION explicit ReflectorScratch(Real* scratch)
      : parts(scratch + 2 * tile_columns * tile_columns),
        sums(scratch),
        weights(scratch + tile_columns * tile_columns) {}
};

/// tile := (I - V·T·Vᵀ)·tile, or with T transposed. 64·16·rows flops, two barriers or three.
template <bool transposed, class Real, int R, class Member>
KOKKOS_INLINE_FUNCTION void apply_block(Member const& team, TileThreads const& threads,
                                        BlockReflector<Real> const& block,
                                        ReflectorScratch<Real> const& scratch,
                                        Tile<Real, tile_columns, R>& tile) {
  auto const v = [&](int k, int i) { return block.v(k, i); };
  tile_products(team, threads, tile, scratch.parts, scratch.sums, v);
  for (int e = threads.thread; e < tile_columns * tile_columns; e += team.team_size()) {
    int const k = e / tile_columns, c = e % tile_columns;
    Real sum = 0;
    if (k < block.count)
      for (int l = transposed ? 0 : k; l < (transposed ? k + 1 : block.count); ++l)
        sum += block.T[transposed ? l * tile_columns + k : k * tile_columns + l] *
               scratch.sums[l * tile_columns + c];
    scratch.weights[e] = sum;
  }
  team.team_barrier();
  subtract_products(threads, tile, block.count, scratch.weights, v);
}

/// One step of a QR factorisation F = Q·R with the columns in the order that they have: tile
/// `panel` and those right of it get the reflectors of the tile left of `panel`, then tile `panel`
/// is factorised. A launch per panel, a team per (matrix, tile); step 0 also loads, scales and
/// permutes.
///
/// Columns come in descending order of their norms; there is no further pivoting: with a second
/// factorisation of Rᵀ, sorted in the same way, the sweeps that follow converge as fast as after
/// two pivoted ones (within one sweep; uniform and geometric spectra, n = 64 to 256).
///
/// Cost: 2mn² - (2/3)n³ flops in all; F is read and written once a panel.
template <class ExecSpace, class Real, TileFactor which, int R>
class TileQrKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  /// `tiles`: of the widest member.
  TileQrKernel(SvdBatch<Real> const& batch, int panel, int tiles)
      : batch_(batch), panel_(panel), tiles_(tiles) {}

  int teams_per_matrix() const { return tiles_ - panel_; }
  KOKKOS_FUNCTION static int scratch_reals(int warps) {
    return ReflectorScratch<Real>::size(warps) + 2 * 16 * 16;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const teams = tiles_ - panel_;
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank() / teams));
    int const n = problem.state->columns;
    int const tile_index = panel_ + team.league_rank() % teams;
    int const first = tile_index * tile_columns;
    if (first >= n) return;
    if (which == TileFactor::rotations && problem.right_cols == 0) return;
    Columns<Real> const F = factor_of<which>(problem);
    TileThreads const threads{team.team_rank(), tile_warps(F.rows)};
    int const cols = Kokkos::min(n - first, int{tile_columns});
    Real* const memory = static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(
        sizeof(Real) * (ReflectorScratch<Real>::size(threads.warps) + 512), alignof(double)));
    ReflectorScratch<Real> const scratch(memory + 512);

    Tile<Real, tile_columns, R> tile;
    if (panel_ == 0 && which != TileFactor::rotations)
      load(threads, problem, tile, first, cols);
    else
      load_tile(threads, tile, F.rows, cols, [&](int i, int c) { return F(i, first + c); });
    Real* const T = problem.block_factors(static_cast<int>(which));
    constexpr int block = tile_columns * tile_columns;
    if (panel_ > 0)
      apply_block<true>(
          team, threads,
          BlockReflector<Real>{F, T + (panel_ - 1) * block, first_of(panel_ - 1), tile_columns},
          scratch, tile);
    if (tile_index == panel_) {
      team.team_barrier();  // all have read their weights
      factorise(team, threads, tile, first, cols, memory, scratch.sums, T + panel_ * block);
    }
    store_tile(threads, tile, F.rows, cols, [&](int i, int c, Real x) { F(i, first + c) = x; });
  }

 private:
  KOKKOS_FUNCTION static int first_of(int tile) { return tile * tile_columns; }

  /// Columns of A, or rows of the first R, in their order and with their powers of two taken out.
  template <class AnyTile>
  KOKKOS_FUNCTION void load(TileThreads const& threads, SvdProblem<Real> const& problem,
                            AnyTile& tile, int first, int cols) const {
    if constexpr (which == TileFactor::outer) {
      load_tile(threads, tile, problem.rows, cols, [&](int i, int c) {
        int const j = problem.permutation()[first + c];
        return scale(problem.a(i, j), -problem.exponents()[first + c]);
      });
    } else {
      Columns<Real> const F = problem.factor();
      load_tile(threads, tile, problem.state->columns, cols, [&](int i, int c) {
        int const row = problem.inner_permutation()[first + c];
        return i < row ? Real(0)
                       : scale(F(row, i),
                               problem.exponents()[i] - problem.inner_exponents()[first + c]);
      });
    }
  }

  /// Householder reflectors of the tile's own columns, and T. The dot products of a column x with
  /// all others, taken before the reflector v = (x - β·e)/(α - β) exists, give those with v:
  /// v·y = y_k + (x·y - α·y_k)/(α - β). One round of sums a column. The columns move round so that
  /// the one at work is always column 0: registers must not be indexed by variables.
  KOKKOS_FUNCTION void factorise(Member const& team, TileThreads const& threads,
                                 Tile<Real, tile_columns, R>& tile, int first, int cols,
                                 Real* memory, Real* parts, Real* T) const {
    Real* const dots = memory;          // dots[l·16 + k] = v_l·v_k, l < k
    Real* const at_row = memory + 256;  // 2·16: the tile's row k, used in turn
    Real* const taus = memory + 256 + 32;
    DeviceWarp const warp{threads.lane()};
    // Two turns of 16 sums per warp lie where the 256·(2 + warps) of the blocks' products lay.
    TileSums<Member, Real> sums(team, threads, parts);
    int const c = threads.lane() / 2;  // the column whose sum this lane gets
    for (int k = 0; k < tile_columns; ++k) {
      if (k >= cols) {
        turn(tile);
        continue;
      }
      int const row = first + k;
      Real partial[tile_columns];
      CARROLL_UNROLL
      for (int j = 0; j < tile_columns; ++j) {
        partial[j] = 0;
        CARROLL_UNROLL
        for (int r = 0; r < R; ++r)
          if (threads.row(r) >= row) partial[j] += tile.x[0][r] * tile.x[j][r];
      }
      Real* const y = at_row + k % 2 * tile_columns;
      if (threads.thread == threads.owner(row)) {
        int const place = threads.place(row);
        CARROLL_UNROLL
        for (int r = 0; r < R; ++r)
          if (r == place) CARROLL_UNROLL
        for (int j = 0; j < tile_columns; ++j) y[j] = tile.x[j][r];
      }
      if (threads.warps == 1) team.team_barrier();
      Real const dot = sums(partial);
      Real const square = warp.from(dot, 0);
      Real const alpha = y[0];
      // Below 2^-60 in single, 2^-500 in double precision what is left of a column is zero.
      constexpr int least = sizeof(Real) == 4 ? -120 : -1000;
      bool const zero = !(square > power_of_two<Real>(least));
      Real const norm = Kokkos::sqrt(square);
      Real const beta = zero ? Real(0) : alpha < 0 ? norm : -norm;
      Real const scaling = zero ? Real(0) : 1 / (alpha - beta);
      Real const tau = zero ? Real(0) : (beta - alpha) / beta;
      Real const v_dot = zero ? Real(0) : y[c] + (dot - alpha * y[c]) * scaling;
      // Columns that had their turn stand at the end; their dot products with v make T.
      bool const done = c >= tile_columns - k;
      if (threads.warp() == 0 && threads.lane() % 2 == 0) {
        if (done) dots[(c - (tile_columns - k)) * tile_columns + k] = v_dot;
        if (c == 0) taus[k] = tau;
      }
      Real const weight = done || c == 0 ? Real(0) : tau * v_dot;
      Real v[R];
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) {
        int const i = threads.row(r);
        v[r] = i < row || zero ? Real(0) : i == row ? Real(1) : tile.x[0][r] * scaling;
        if (i > row) tile.x[0][r] = v[r];
        if (i == row) tile.x[0][r] = beta;
      }
      CARROLL_UNROLL
      for (int j = 1; j < tile_columns; ++j) {
        Real const w = warp.from(weight, 2 * j);
        CARROLL_UNROLL
        for (int r = 0; r < R; ++r) tile.x[j][r] -= w * v[r];
      }
      turn(tile);
    }
    team.team_barrier();
    if (threads.thread < tile_columns) write_block_factor(threads.thread, cols, dots, taus, T);
  }

  /// The first column to the end.
  KOKKOS_FUNCTION static void turn(Tile<Real, tile_columns, R>& tile) {
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      Real const x = tile.x[0][r];
      CARROLL_UNROLL
      for (int j = 1; j < tile_columns; ++j) tile.x[j - 1][r] = tile.x[j][r];
      tile.x[tile_columns - 1][r] = x;
    }
  }

  /// Row i of T: T(i, k) = -tau_k·Σ_{i <= l < k} T(i, l)·(v_l·v_k), T(k, k) = tau_k.
  KOKKOS_FUNCTION static void write_block_factor(int i, int cols, Real const* dots,
                                                 Real const* taus, Real* T) {
    Real row[tile_columns];
    CARROLL_UNROLL
    for (int k = 0; k < tile_columns; ++k) {
      Real sum = 0;
      CARROLL_UNROLL
      for (int l = 0; l < k; ++l)
        sum += l < i || k >= cols ? Real(0) : row[l] * dots[l * tile_columns + k];
      row[k] = k < i || k >= cols ? Real(0) : k == i ? taus[k] : -taus[k] * sum;
      T[i * tile_columns + k] = row[k];
    }
  }

  SvdBatch<Real> batch_;
  int panel_, tiles_;
};

}  // namespace carroll::detail
