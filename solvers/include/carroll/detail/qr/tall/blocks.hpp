// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/tall/member.hpp>
#include <carroll/detail/qr/tiled/panel.hpp>
#include <carroll/detail/qr/tiled/scan.hpp>
#include <carroll/detail/qr/tiled/storage.hpp>
#include <carroll/detail/svd/tiled/chunk_sums.hpp>
#include <carroll/detail/svd/tiled/factorise.hpp>
#include <carroll/detail/svd/tiled/panel.hpp>
#include <carroll/detail/svd/tiled/reflectors.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// What is done with the blocks of rows of long columns: a team each.
namespace carroll::detail {

/// Rows of a block that a thread holds, and its team.
inline constexpr int block_panel_rows = most_block_rows / (16 * most_panel_warps);
inline constexpr int block_threads = 32 * most_panel_warps;
template <class ExecSpace, class Real>
using QrBlockPolicy = Kokkos::TeamPolicy<ExecSpace, PanelBounds<Real, block_panel_rows>>;

/// Which block of which matrix a team has.
template <class Real>
class QrBlockTeams {
 public:
  QrBlockTeams(QrBatch<Real> const& batch, int blocks) : batch_(batch), blocks_(blocks) {}

 protected:
  KOKKOS_FUNCTION QrTallMember<Real> member_of(int team) const {
    return QrTallMember<Real>(batch_(batch_.index(team / blocks_)));
  }
  KOKKOS_FUNCTION int block_of(int team) const { return team % blocks_; }

 private:
  QrBatch<Real> batch_;
  int blocks_;
};

/// Before them: the powers of two of a block's columns. mn words.
template <class ExecSpace, class Real>
class QrBlockScanKernel : public QrBlockTeams<Real> {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<block_threads>>;

  using QrBlockTeams<Real>::QrBlockTeams;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    QrTallMember<Real> const member = this->member_of(team.league_rank());
    int const b = this->block_of(team.league_rank());
    if (b >= member.blocks()) return;
    QrProblem<Real> const block = member.block(b);
    DeviceWarp const warp = warp_of_threads(team);
    for (int j = team.team_rank() / 32; j < block.n; j += most_panel_warps) {
      int const exponent = exponent_of_column(warp, block.a.col(j), block.m);
      if (warp.lane == 0) member.exponents(b)[j] = exponent;
    }
  }
};

/// Each block's reflectors and triangle, with powers of two that are those of whole columns. Clears
/// what the teams of the stacked triangles tell one another. 2mn² flops of 16 columns, however few
/// there are.
template <class ExecSpace, class Real>
class QrBlockFactorKernel : public QrBlockTeams<Real> {
 public:
  using Policy = QrBlockPolicy<ExecSpace, Real>;

  using QrBlockTeams<Real>::QrBlockTeams;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    QrTallMember<Real> const member = this->member_of(team.league_rank());
    int const b = this->block_of(team.league_rank());
    if (b >= member.blocks()) return;
    QrProblem<Real> const block = member.block(b);
    QrTileStorage<Real> const storage(block);
    prepare(team, member, b, storage);
    bool const finite = has_finite_columns(team, storage);
    fill_rows_below(team, member, b, finite);
    if (!finite || block.n == 0) return;
    auto const threads = TilePanelThreads::of(team.team_rank(), block.m, 0, block.a.data);
    TilePanel<Real, block_panel_rows> panel;
    load_columns(threads, block, storage, panel, 0, block.n);
    TilePanelScratch<Real> const scratch(team, threads.warps());
    ChunkSums<Real> sums(storage.words, 0, threads);
    factorise(team, threads, 0, block.n, scratch, sums, panel, storage.factor(0));
    if (member.whole().q_cols > 0) store_reflectors(threads, storage, panel, 0, block.n);
    StridedMatrix<Real> const R = member.triangles();
    store_panel(threads, panel, tile_columns, block.n, [&](int c) {
      auto const r = R.col(c);
      int const first = tile_columns * b;
      return [=](int i, Real x) { r(first + i) = i <= c ? x : Real(0); };
    });
  }

 private:
  KOKKOS_FUNCTION static void prepare(TeamMember<ExecSpace> const& team,
                                      QrTallMember<Real> const& member, int b,
                                      QrTileStorage<Real> const& storage) {
    QrProblem<Real> const stacked = member.stacked();
    QrTileStorage<Real> const above(stacked);
    DeviceWarp const warp = warp_of_threads(team);
    for (int j = team.team_rank() / 32; j < storage.cols; j += most_panel_warps) {
      int largest = zero_exponent;
      for (int other = warp.lane; other < member.blocks(); other += 32)
        largest = Kokkos::max(largest, member.exponents(other)[j]);
      largest = settled_power(warp.max(largest));
      if (warp.lane == 0) storage.exponents[j] = largest;
      if (warp.lane == 0 && b == 0) above.exponents[j] = largest;
    }
    std::int64_t const words =
        above.word_count(above.rows, Kokkos::max(above.cols, stacked.q_cols));
    std::int64_t const step = std::int64_t{block_threads} * member.blocks();
    for (std::int64_t w = std::int64_t{b} * block_threads + team.team_rank(); w < words; w += step)
      above.words[w] = 0;
    if (b == 0 && team.team_rank() == 0) *above.state = {};
    team.team_barrier();
  }

  /// With a whole basis R has the rows of A, of which the triangles' teams know the first.
  KOKKOS_FUNCTION static void fill_rows_below(TeamMember<ExecSpace> const& team,
                                              QrTallMember<Real> const& member, int b,
                                              bool finite) {
    QrProblem<Real> const& problem = member.whole();
    int const first = Kokkos::max(member.begin(b), member.stacked_rows(problem.m));
    int const last = Kokkos::min(member.begin(b + 1), problem.r_rows);
    Real const x = finite ? Real(0) : Kokkos::Experimental::quiet_NaN_v<Real>;
    for (int i = first + team.team_rank(); i < last; i += block_threads)
      for (int j = 0; j < problem.n; ++j) problem.r(i, j) = x;
  }
};

/// Q from that of the stacked triangles: a team per block and 16 columns. Of a whole basis the
/// columns that the triangles know nothing of are the blocks' own. 2mn² flops for thin Q.
template <class ExecSpace, class Real>
class QrBlockBasisKernel : public QrBlockTeams<Real> {
 public:
  using Policy = QrBlockPolicy<ExecSpace, Real>;

  QrBlockBasisKernel(QrBatch<Real> const& batch, int blocks, int tiles)
      : QrBlockTeams<Real>(batch, blocks), tiles_(tiles) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const place = team.league_rank() / tiles_;
    QrTallMember<Real> const member = this->member_of(place);
    int const b = this->block_of(place), first = team.league_rank() % tiles_ * tile_columns;
    QrProblem<Real> const& whole = member.whole();
    if (b >= member.blocks() || first >= whole.q_cols) return;
    QrProblem<Real> const block = member.block(b);
    QrTileStorage<Real> const storage(block);
    auto const threads = TilePanelThreads::of(team.team_rank(), block.m, 0, block.a.data);
    int const cols = Kokkos::min(whole.q_cols - first, int{tile_columns});
    StridedMatrix<Real> to = whole.q;
    to.data += member.begin(b) * to.row_stride;
    TilePanel<Real, block_panel_rows> panel;
    if (whole.info->status == Status::non_finite)
      return store_nan(threads, panel, to, block.m, first, cols);
    load(threads, member, b, panel, first, cols);
    TilePanelScratch<Real> const scratch(team, threads.warps());
    ChunkSums<Real> sums(storage.words, 0, threads);
    if (block.n > 0) apply_block<false>(team, threads, storage.reflector(0), scratch, sums, panel);
    store_panel(threads, panel, block.m, cols, [&](int c) {
      auto const q = to.col(first + c);
      return [=](int i, Real x) { q(i) = x + Real(0); };
    });
  }

 private:
  KOKKOS_FUNCTION static void load(TilePanelThreads const& threads,
                                   QrTallMember<Real> const& member, int b,
                                   TilePanel<Real, block_panel_rows>& panel, int first, int cols) {
    StridedMatrix<Real> const Q = member.basis();
    int const known = member.stacked_q_cols(), own = first + threads.side() * panel_side;
    // The columns of the blocks' rows behind their 16 first follow those of the triangles.
    int const behind = known + member.begin(b) - tile_columns * (b + 1);
    fill_panel(threads, panel, [&](int i, int j) {
      int const column = own + j;
      bool const there = column < first + cols;
      if (column < known)
        return there && i < tile_columns ? Q(tile_columns * b + i, column) : Real(0);
      return there && i >= tile_columns && column == behind + i ? Real(1) : Real(0);
    });
  }

  int tiles_;
};

}  // namespace carroll::detail
