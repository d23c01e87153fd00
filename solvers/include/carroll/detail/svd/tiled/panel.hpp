// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/dispatch.hpp>
#include <carroll/detail/svd/tiled/tile.hpp>
#include <carroll/detail/unroll.hpp>

/// Sixteen columns of a matrix in the registers of a team, for devices with warps: how they lie
/// there, and products with other sixteen columns that are read from memory.
///
/// Rows come in blocks of 16, a block per half warp and register: lanes 0 to 15 of a warp hold the
/// first eight columns of their rows, lanes 16 to 31 the other eight. Blocks go round the warps.
/// Loops over a thread's rows have no branches: what is zero by structure is read as zero. Of very
/// long columns a team holds a chunk, and the teams of a tile exchange sums through memory.
///
/// Every sum over rows is formed within threads first, then within half warps by halving, then over
/// the warps and the chunks in their order. All that depends on the number of rows alone; so do the
/// bits.
namespace carroll::detail {

/// Columns that a thread holds, of R rows each.
inline constexpr int panel_side = tile_columns / 2;

template <class Real, int R>
struct TilePanel {
  Real x[panel_side][R];
};

/// Rows per thread in the longest chunk, and warps of a team at most.
inline constexpr int most_panel_warps = 8;
template <class Real>
inline constexpr int most_panel_rows = panel_chunk_rows<Real> / (16 * most_panel_warps);

/// Rows for each of which a warp is worth while: fewer rows per thread shorten the dependent steps
/// of a factorisation, more of them take fewer shuffles.
inline constexpr int panel_warp_rows = 64;

/// Warps that share a tile of this many rows.
KOKKOS_INLINE_FUNCTION constexpr int panel_warps(int rows) {
  int const warps = (rows + panel_warp_rows - 1) / panel_warp_rows;
  return warps < 1 ? 1 : warps < most_panel_warps ? warps : most_panel_warps;
}

/// A team of 8 warps shares a multiprocessor with another one where its panel leaves room.
template <class Real, int R>
using PanelBounds =
    Kokkos::LaunchBounds<32 * most_panel_warps, (sizeof(Real) / 4 * R <= 4 ? 2 : 1)>;

/// The place of a thread in the rows of its team's tile.
class TilePanelThreads {
 public:
  template <class Real>
  KOKKOS_FUNCTION static TilePanelThreads of(int thread, int rows, int chunk, Real const*) {
    TilePanelThreads t;
    t.thread_ = thread;
    t.warps_ = panel_warps(rows);
    t.chunk_ = chunk;
    t.chunks_ = panel_chunks<Real>(rows);
    t.per_chunk_ = panel_chunk_rows<Real> / 16;
    // Threads of a larger member's team hold no rows: their blocks lie behind all others.
    bool const holds = thread < 32 * t.warps_ && chunk < t.chunks_;
    t.first_block_ = holds ? chunk * t.per_chunk_ + thread / 32 : (rows + 15) / 16;
    return t;
  }

  KOKKOS_FUNCTION int thread() const { return thread_; }
  KOKKOS_FUNCTION int lane() const { return thread_ % 32; }
  KOKKOS_FUNCTION int warp() const { return thread_ / 32; }
  KOKKOS_FUNCTION int side() const { return lane() / 16; }
  KOKKOS_FUNCTION int warps() const { return warps_; }
  KOKKOS_FUNCTION int chunk() const { return chunk_; }
  KOKKOS_FUNCTION int chunks() const { return chunks_; }
  KOKKOS_FUNCTION int blocks_per_chunk() const { return per_chunk_; }
  KOKKOS_FUNCTION int chunk_of(int block) const { return block / per_chunk_; }

  /// The block of rows in register r, and the row there.
  KOKKOS_FUNCTION int block(int r) const { return first_block_ + warps_ * r; }
  KOKKOS_FUNCTION int row(int r) const { return 16 * block(r) + lane() % 16; }
  /// Does this thread hold part of a block, and in which register?
  KOKKOS_FUNCTION bool holds(int block) const {
    return block >= first_block_ && (block - first_block_) % warps_ == 0 &&
           block - first_block_ < per_chunk_;
  }
  KOKKOS_FUNCTION int place(int block) const { return (block - first_block_) / warps_; }

 private:
  int thread_, warps_, chunk_, chunks_, per_chunk_, first_block_;
};

/// Where the entries of a column lie, and what they become: functions of a row, and of an entry and
/// its row.
template <class Address, class Value>
struct TilePanelColumn {
  Address address;
  Value value;
};
template <class Address, class Value>
TilePanelColumn(Address, Value) -> TilePanelColumn<Address, Value>;

/// Entries of rows i < rows and columns c < cols from memory; 0 elsewhere. row(i) is what
/// column(c), a TilePanelColumn, wants to know of a row. All loads are under way before the first
/// entry is worked on.
template <class Real, int R, class Row, class Column>
KOKKOS_INLINE_FUNCTION void load_panel(TilePanelThreads const& threads, TilePanel<Real, R>& panel,
                                       int rows, int cols, Row const& row, Column const& column) {
  int const first = threads.side() * panel_side;
  decltype(row(0)) at[R];
  CARROLL_UNROLL
  for (int r = 0; r < R; ++r) at[r] = row(Kokkos::min(threads.row(r), rows - 1));
  CARROLL_UNROLL
  for (int j = 0; j < panel_side; ++j) {
    auto const entries = column(Kokkos::min(first + j, cols - 1));
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      panel.x[j][r] = 0;
      if (threads.row(r) < rows && first + j < cols) panel.x[j][r] = *entries.address(at[r]);
    }
  }
  CARROLL_UNROLL
  for (int j = 0; j < panel_side; ++j) {
    auto const entries = column(Kokkos::min(first + j, cols - 1));
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      bool const there = threads.row(r) < rows && first + j < cols;
      Real const x = entries.value(panel.x[j][r], at[r]);
      panel.x[j][r] = there ? x : Real(0);
    }
  }
}

/// entry(i, j) for all rows i of the tile and the columns j, from 0, of the thread's side.
template <class Real, int R, class Entry>
KOKKOS_INLINE_FUNCTION void fill_panel(TilePanelThreads const& threads, TilePanel<Real, R>& panel,
                                       Entry const& entry) {
  CARROLL_UNROLL
  for (int j = 0; j < panel_side; ++j) CARROLL_UNROLL
  for (int r = 0; r < R; ++r) panel.x[j][r] = entry(threads.row(r), j);
}

/// column(c) returns a function of row and entry.
template <class Real, int R, class Column>
KOKKOS_INLINE_FUNCTION void store_panel(TilePanelThreads const& threads,
                                        TilePanel<Real, R> const& panel, int rows, int cols,
                                        Column const& column) {
  // Addresses are found here, not where the panel was loaded.
  int const first = threads.side() * panel_side;
  int const top = opaque_register(threads.row(0));
  CARROLL_UNROLL
  for (int j = 0; j < panel_side; ++j) {
    auto const write = column(first + j);
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      int const i = top + 16 * threads.warps() * r;
      if (i < rows && first + j < cols) write(i, panel.x[j][r]);
    }
  }
}

/// Sixteen columns in memory that are triangular in the 16 rows of their diagonal block: reflectors
/// begin there, upper triangular columns end there.
template <class Real, bool reflectors>
struct TilePanelSource {
  Columns<Real> F;
  Real const* diagonal;  ///< the diagonal block, column by column, with its zeros
  int panel;             ///< columns 16·panel to 16·panel + count - 1
  int count;
};

/// Where a thread's rows of such columns lie. Rows that are zero lie where a zero is, so that all
/// are read in the same way.
template <class Real, int R>
class TilePanelRows {
 public:
  template <bool reflectors>
  KOKKOS_FUNCTION TilePanelRows(TilePanelThreads const& threads,
                                TilePanelSource<Real, reflectors> const& source)
      : last_(source.count - 1) {
    Columns<Real> const& F = source.F;
    Real const* const zero = source.diagonal + (reflectors ? tile_columns : 1);
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      int const b = threads.block(r), i = threads.row(r);
      bool const outside = reflectors ? b < source.panel : b > source.panel;
      bool const on = b == source.panel;
      bool const absent = outside || i >= F.rows;
      Real const* const inside = F.col(tile_columns * source.panel) + i;
      Real const* const first = on ? source.diagonal + i % tile_columns : inside;
      first_[r] = reinterpret_cast<char const*>(absent ? zero : first);
      step_[r] = absent ? 0 : int(sizeof(Real)) * (on ? int{tile_columns} : F.rows);
    }
  }

  /// v[k][r] := entry of column first + k. Columns that do not exist repeat the last one; they meet
  /// weights of 0.
  template <int K>
  KOKKOS_FUNCTION void fetch(int first, Real (&v)[K][R]) const {
    CARROLL_UNROLL
    for (int k = 0; k < K; ++k) {
      // Addresses are found anew each time: kept, they would take more registers than the data.
      int const column = opaque_register(Kokkos::min(first + k, last_));
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r)
        v[k][r] = *reinterpret_cast<Real const*>(first_[r] + static_cast<std::ptrdiff_t>(column) *
                                                                 opaque_register(step_[r]));
    }
  }

 private:
  char const* first_[R];
  int step_[R], last_;
};

/// f(k, v) for the columns k, k + 1, … of a source, K at a time, while the next K are on their way.
template <int K, int R, class Real, class F>
KOKKOS_INLINE_FUNCTION void stream(TilePanelRows<Real, R> const& rows, F const& f) {
  Real v[K][R], next[K][R];
  rows.fetch(0, v);
  CARROLL_NO_UNROLL
  for (int k = 0; k < tile_columns; k += 2 * K) {
    rows.fetch(k + K, next);
    f(k, v);
    // Behind the last column the last one is read once more.
    rows.fetch(k + 2 * K, v);
    f(k + K, next);
  }
}

/// Columns of a source that are read at a time.
template <class Real, int R>
inline constexpr int panel_stream = sizeof(Real) / 4 * R <= 8 ? 2 : 1;

/// parts[warp][k·16 + c] := v_k · column c of the panel, summed over the warp's rows.
template <class Real, int R>
KOKKOS_INLINE_FUNCTION void panel_products(TilePanelThreads const& threads,
                                           TilePanelRows<Real, R> const& rows,
                                           TilePanel<Real, R> const& panel, Real* parts) {
  constexpr int K = panel_stream<Real, R>;
  int const lane = threads.lane();
  bool const writes = threads.warp() < threads.warps();
  Real* const mine = parts + threads.warp() * tile_columns * tile_columns;
  stream<K>(rows, [&](int first, Real const(&v)[K][R]) {
    Real dots[K * panel_side] = {};
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) CARROLL_UNROLL
    for (int k = 0; k < K; ++k) CARROLL_UNROLL
    for (int j = 0; j < panel_side; ++j) dots[k * panel_side + j] += v[k][r] * panel.x[j][r];
    Real const sum = scattered_sums<K * panel_side, 8>(DeviceWarp{lane}, dots);
    int const which = lane % 16 / (2 / K);  // of the 8·K sums that the half warp has formed
    int const k = first + which / panel_side;
    int const c = threads.side() * panel_side + which % panel_side;
    if (writes && lane % (2 / K) == 0) mine[k * tile_columns + c] = sum;
  });
}

/// panel -= Σ_k v_k·weights[k·16 + c]; weights are aligned to 16 bytes.
template <class Real, int R>
KOKKOS_INLINE_FUNCTION void subtract_products(TilePanelThreads const& threads,
                                              TilePanelRows<Real, R> const& rows,
                                              Real const* weights, TilePanel<Real, R>& panel) {
  constexpr int K = panel_stream<Real, R>;
  struct alignas(16) Row {
    Real weight[panel_side];
  };
  stream<K>(rows, [&](int first, Real const(&v)[K][R]) {
    CARROLL_UNROLL
    for (int k = 0; k < K; ++k) {
      Row const row = *reinterpret_cast<Row const*>(weights + (first + k) * tile_columns +
                                                    threads.side() * panel_side);
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) CARROLL_UNROLL
      for (int j = 0; j < panel_side; ++j) panel.x[j][r] -= row.weight[j] * v[k][r];
    }
  });
}

}  // namespace carroll::detail
