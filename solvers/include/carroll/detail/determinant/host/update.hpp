// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/host/panel.hpp>

namespace carroll::detail {

/// Rows that are updated together at most: they share what is read of the panels.
inline constexpr int host_update_rows = 2 * host_panel_rows;

/// `blocked` on a host, the second half: rows below the first panels of a block, up to most_rows,
/// by one thread. The panels' column exchanges and the factors X = A21·U11⁻¹ into an array of its
/// own, then A22 − X·U12, tile after tile, panel after panel: no result depends on how many panels
/// a block has. 2b·(n − first) flops per row and panel; A22 is read and written once.
///
/// |u_ij| <= 1, so that the sum of a row's factors bounds what has been added to its entries. Where
/// that bound gets so large that the next panel could leave the range, the row is scaled.
template <class T, int Bytes>
class HostUpdate {
 public:
  static constexpr int most_rows = host_update_rows;

  /// `panels`: how many of the block.
  HostUpdate(DeterminantBatch<T> const& batch, HostBlock<T> const& block, int panels, T* row_bounds)
      : block_(block),
        A_(batch.work_of(0)),
        lines_(batch.rows_of(0)),
        bounds_(row_bounds),
        panels_(panels),
        rest_(block.first_of(panels)),
        n_(batch.n) {}

  /// Rows begin … end-1.
  void run(int begin, int end) const {
    alignas(64) T X[HostBlock<T>::most_panels * pitch];
    int const rows = end - begin;
    int const padded = (rows + solved_rows - 1) / solved_rows * solved_rows;
    fetch(begin);
    for (int i = 0; i < rows; ++i) {
      if (i + 1 < rows) fetch(begin + i + 1);
      exchange(begin + i, X + i * b);
    }
    for (int p = 0; p < panels_; ++p)
      for (int k = rows * b; k < padded * b; ++k) X[p * pitch + k] = T(0);
    int subtracted = 0;
    for (int p = 0; p < panels_; ++p) {
      for (int i = 0; i < padded; i += solved_rows) solve(p, X + i * b);
      bool exceeds = false;
      for (int i = 0; i < rows; ++i) exceeds |= add_bound(begin + i, X + p * pitch + i * b);
      for (int i = 0; i < padded; i += Block::rows) order_by_terms(X + p * pitch + i * b);
      if (!exceeds && p + 1 < panels_) continue;
      subtract(begin, rows, X, subtracted, p + 1);
      subtracted = p + 1;
      for (int i = 0; exceeds && i < rows; ++i)
        if (is_high(bounds_[begin + i])) scale_row(begin + i, X + i * b, p + 1);
    }
  }

 private:
  using V = HostVector<T, Bytes>;
  using Vector = typename V::Type;
  using Tiles = HostTiles<T, Bytes>;
  using Block = PackedBlock<T, Bytes>;
  static constexpr int b = host_panel_rows, cols = Tiles::cols;
  static constexpr int pitch = most_rows * b;  ///< from one panel's factors to the next one's
  /// A panel's rows may grow by 2^b from here and stay in range.
  static constexpr int highest = exponent_bias<T> - b - 16;
  static_assert(highest > 16);

  /// Asks for the lines of a row that the exchanges want.
  void fetch(int i) const {
    T const* const row = &A_(i, block_.first);
    for (int p = 0; p < panels_; ++p) {
      T const* const from = row + p * b * A_.col_stride;
      for (int k = 0; k < b; ++k)
        __builtin_prefetch(from + block_.panels[p].source[k] * A_.col_stride, 1, 2);
    }
  }

  /// x: the row's entries in the columns of the panels.
  void exchange(int i, T* x) const {
    std::ptrdiff_t const s = A_.col_stride;
    for (int p = 0; p < panels_; ++p) {
      HostPanel<T> const& panel = block_.panels[p];
      T* const row = &A_(i, block_.first_of(p));
      for (int k = 0; k < b; ++k) x[p * pitch + b - 1 - k] = row[panel.source[k] * s];
      for (int k = 0; k < *panel.moved; ++k)
        row[panel.moved_to[k] * s] = row[panel.moved_from[k] * s];
    }
  }

  /// The factors of some rows by panel p, and what they take from the columns of later panels.
  void solve(int p, T* X) const {
    T const* const triangle = block_.panels[p].triangle;
    T* const x = X + p * pitch;
    HostTriangle<T, Bytes, solved_rows>::solve(x, triangle, b);
    for (int later = p + 1; later < panels_; ++later)
      for (int j = 0; j < b; j += V::width) {
        T* const into = X + later * pitch + j;
        packed_product<T, Bytes, solved_rows, 1>(
            x + b - 1, {b, -1}, triangle + (later - p) * b * b + j, b, b,
            [&](int i, int v, Vector const& sum) { V::at(into + i * b + v * V::width) -= sum; });
      }
  }
  /// Enough of them for the latency of a multiply-add, with one vector of each.
  static constexpr int solved_rows = 8;
  static_assert(most_rows % solved_rows == 0 && solved_rows % Block::rows == 0);

  /// A block of rows of factors as `subtract` reads it, term after term, from its first entry to
  /// its last: row by row, a cache beyond the first would not know what is next. (EPYC, 128 rows:
  /// 5 % of the product's time.)
  static void order_by_terms(T* x) {
    T rows[Block::rows * b];
    for (int k = 0; k < Block::rows * b; ++k) rows[k] = x[k];
    for (int k = 0; k < b; ++k)
      for (int i = 0; i < Block::rows; ++i) x[k * Block::rows + i] = rows[i * b + b - 1 - k];
  }
  static constexpr PackedSteps by_terms{1, Block::rows};

  /// Rows of A22 − X·U12 for some of the panels.
  void subtract(int begin, int rows, T const* X, int first_panel, int end_panel) const {
    Tiles const grid(block_.panels[0]);
    int const before = rest_ - block_.first, m = n_ - block_.first;
    int const share = Tiles::size / ((rows + Block::rows - 1) / Block::rows);
    for (int t = grid.tile_of(before); t < grid.count(m); ++t) {
      int const from = block_.first + grid.begin(t, before), to = block_.first + grid.end(t, m);
      for (int p = first_panel; p < end_panel; ++p) {
        bool const last = p + 1 == end_panel;
        T const* const tile = tile_at(p, from);
        T const* const next = last ? tile_at(first_panel, to) : tile_at(p + 1, from);
        int const lead = Tiles(block_.panels[p]).lead - block_.first_of(p);
        for (int i = 0; i < rows; i += Block::rows) {
          fetch_share(next + i / Block::rows * share, share);
          int const count = rows - i < Block::rows ? rows - i : Block::rows;
          if (last && to + cols <= n_)
            for (int k = 0; k < count; ++k) fetch_entries(begin + i + k, to);
          update(begin + i, count, X + p * pitch + i * b, tile, from, to, lead);
        }
      }
    }
  }

  /// A panel's tile with a column of the rest.
  T const* tile_at(int p, int column) const {
    HostPanel<T> const& panel = block_.panels[p];
    int const tile = Tiles(panel).tile_of(column - block_.first_of(p));
    return panel.tiles + static_cast<std::ptrdiff_t>(tile) * Tiles::size;
  }

  // Each product asks for a share of what the next tile wants, so that it comes from a cache beyond
  // the second in time.
  static void fetch_share(T const* entries, int share) {
    for (int k = 0; k < share; k += 64 / int(sizeof(T))) __builtin_prefetch(entries + k);
  }
  void fetch_entries(int i, int from) const {
    char const* const row = reinterpret_cast<char const*>(&A_(i, from + cols - 1));
    for (int byte = 0; byte < cols * int(sizeof(T)); byte += 64) __builtin_prefetch(row + byte, 1);
  }

  /// Columns from … to-1. `lead`: what takes a column to its slot.
  void update(int i0, int rows, T const* X, T const* tile, int from, int to, int lead) const {
    if (rows == Block::rows && to - from == cols && A_.col_stride == -1) {
      T* const entries = &A_(i0, to - 1);
      std::ptrdiff_t const s = A_.row_stride;
      packed_product<T, Bytes, Block::rows, Block::vectors>(
          X, by_terms, tile, cols, b, [&](int i, int v, Vector const& sum) {
            V::loose(entries + i * s + v * V::width) -= sum;
          });
    } else {
      alignas(Bytes) T sums[Block::rows * cols];
      packed_product<T, Bytes, Block::rows, Block::vectors>(
          X, by_terms, tile, cols, b,
          [&](int i, int v, Vector const& sum) { V::at(sums + i * cols + v * V::width) = sum; });
      for (int i = 0; i < rows; ++i)
        for (int j = from; j < to; ++j)
          A_(i0 + i, j) -= sums[i * cols + cols - 1 - (j + lead) % cols];
    }
  }

  static bool is_high(T bound) { return exponent_of(bound) >= highest; }

  /// Whether the row has to be scaled.
  bool add_bound(int i, T const* x) const {
    Vector partial{};
    for (int k = 0; k < b; k += V::width) {
      Vector const entries = V::at(x + k);
      partial += entries < Vector{} ? -entries : entries;
    }
    T sum = bounds_[i];
    for (int lane = 0; lane < V::width; ++lane) sum += partial[lane];
    bounds_[i] = sum;
    return is_high(sum);
  }

  /// x: the row's entries in the columns of the panels, of which those from `panel` on still count.
  void scale_row(int i, T* x, int panel) const {
    T high = 0;
    for (int p = panel; p < panels_; ++p)
      for (int k = 0; k < b; ++k) high = Kokkos::max(high, Kokkos::abs(x[p * pitch + k]));
    for (int j = rest_; j < n_; ++j) high = Kokkos::max(high, Kokkos::abs(A_(i, j)));
    bounds_[i] = 1;
    if (high == 0) return;  // singular, found when it is this row's turn
    int const e = exponent_of(high);
    for (int p = panel; p < panels_; ++p)
      for (int k = 0; k < b; ++k) x[p * pitch + k] = scale(x[p * pitch + k], -e);
    for (int j = rest_; j < n_; ++j) A_(i, j) = scale(A_(i, j), -e);
    lines_.row_top[i] = scale(lines_.row_top[i], -e);
    lines_.row_exponent[i] += e;
  }

  HostBlock<T> const& block_;
  StridedMatrix<T> A_;
  DeterminantRows<T> lines_;
  T* bounds_;
  int panels_, rest_, n_;
};

/// HostUpdate with this processor's vectors. Compiled once for all kernels that call it.
template <class T>
struct HostUpdateStep {
  DeterminantBatch<T> const& batch;
  HostBlock<T> const& block;
  int panels;
  T* row_bounds;
  int begin, end;

  template <int Bytes>
  void run() const {
    HostUpdate<T, Bytes>(batch, block, panels, row_bounds).run(begin, end);
  }
};

/// Condenses the rows of a block by themselves: panel after panel, each by those before it. One
/// thread. A panel that is not reached, as the determinant is known, stays unusable.
template <class T>
void condense_host_block(DeterminantBatch<T> const& batch, HostBlock<T> const& block, T* row_bounds,
                         DeterminantState<T>& state) {
  for (int p = 0; p < block.count; ++p) *block.panels[p].moved = HostPanel<T>::unusable;
  for (int p = 0; p < block.count && !state.done; ++p) {
    int const begin = block.first_of(p);
    int const end = Kokkos::min(begin + host_panel_rows, batch.n);
    if (p > 0) with_host_vectors(HostUpdateStep<T>{batch, block, p, row_bounds, begin, end});
    with_host_vectors(HostPanelStep<T>{batch, block, p, end - begin, state});
  }
}

}  // namespace carroll::detail
