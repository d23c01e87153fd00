// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/host/tiles.hpp>
#include <carroll/detail/determinant/host/triangle.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/gemm/packed.hpp>
#include <cstddef>

/// `blocked` on a host, the first half: b rows condensed by themselves. See portable/panels.hpp for
/// the formulas, problem.hpp for the order of rows and columns.
namespace carroll::detail {

/// Condenses rows `first` … first+rows-1 of one matrix by themselves, in a packed copy, by one
/// thread: eight rows at a time, first by all rows above them in one product, then by each other,
/// for which every pass over a row divides it, reduces the rest of the eight rows and finds the
/// next pivot. rows²·(n − first) flops; 8·rows·(n − first) of them in passes over cached rows.
template <class T, int Bytes>
class HostPanelSolver {
 public:
  HostPanelSolver(DeterminantBatch<T> const& batch, HostBlock<T> const& block, int index, int rows)
      : block_(block),
        index_(index),
        panel_(block.panels[index]),
        tiles_(panel_),
        A_(batch.work_of(0)),
        lines_(batch.rows_of(0)),
        first_(block.first_of(index)),
        rows_(rows),
        m_(batch.n - first_) {}

  void factor(DeterminantState<T>& state) const {
    load();
    for (int k = 0; k < b * b; ++k) panel_.triangle[k] = T(0);
    int exchanges[b];
    for (int begin = 0; begin < rows_; begin += step) {
      int const end = begin + step < rows_ ? begin + step : rows_;
      if (begin > 0) reduce(begin);
      for (int k = begin; k < end; ++k) {
        if (k == begin) scan(k);
        auto const [size, column] = pivot_;
        if (size == 0) return state.finish(Status::singular);
        exchange(panel_, tiles_, begin, begin + step, k, column);
        exchanges[k] = column;
        T const p = entry(k, k);
        state.take_pivot(p, column != k, lines_.row_top[first_ + k]);
        state.info.value *= ScaledNumber<T>(T(1), lines_.row_exponent[first_ + k]);
        eliminate(k, begin + step);
      }
      for (int k = begin; k < end; ++k) {
        exchange(panel_, tiles_, 0, begin, k, exchanges[k]);
        exchange(panel_, tiles_, begin + step, b, k, exchanges[k]);
      }
      for (int j = begin; j < end; ++j)
        for (int i = 0; i < j; ++i) panel_.triangle[i * b + b - 1 - j] = entry(i, j);
    }
    record(exchanges);
    if (m_ > b)
      for (int above = 0; above < index_; ++above) exchange_above(above, exchanges);
  }

 private:
  using V = HostVector<T, Bytes>;
  using Vector = typename V::Type;
  using Fused = HostInstructions<Bytes>;
  using Tiles = HostTiles<T, Bytes>;
  using Block = PackedBlock<T, Bytes>;
  static constexpr int b = host_panel_rows, step = host_step_rows, cols = Tiles::cols;
  static_assert(step % Block::rows == 0);

  struct Candidate {
    T size;
    int column;
  };

  T& entry(int i, int j) const { return panel_.tiles[tiles_.place(j) + i * cols]; }

  void load() const {
    for (int t = 0; t < tiles_.count(m_); ++t) {
      T* const tile = panel_.tiles + static_cast<std::ptrdiff_t>(t) * Tiles::size;
      int const begin = tiles_.begin(t, 0), end = tiles_.end(t, m_);
      for (int i = 0; i < b; ++i) {
        T* const into = tile + i * cols;
        if (i < rows_ && end - begin == cols && A_.col_stride == -1) {
          T const* const from = &A_(first_ + i, first_ + end - 1);
          for (int v = 0; v < Block::vectors; ++v)
            V::at(into + v * V::width) = V::loose(from + v * V::width);
        } else {
          for (int s = 0; s < cols; ++s) into[s] = T(0);
          if (i < rows_)
            for (int j = begin; j < end; ++j) entry(i, j) = A_(first_ + i, first_ + j);
        }
      }
    }
  }

  /// Rows begin … begin+7 by all rows above.
  void reduce(int begin) const {
    alignas(64) T factors[step * b] = {};
    for (int i = 0; i < step; ++i)
      for (int j = 0; j < begin; ++j) factors[i * b + b - 1 - j] = entry(begin + i, j);
    HostTriangle<T, Bytes, step>::solve(factors, panel_.triangle, begin);
    for (int t = (begin + tiles_.lead) / cols; t < tiles_.count(m_); ++t) {
      T* const tile = panel_.tiles + static_cast<std::ptrdiff_t>(t) * Tiles::size;
      for (int i = 0; i < step; i += Block::rows) {
        T* const into = tile + (begin + i) * cols;
        packed_product<T, Bytes, Block::rows, Block::vectors>(
            factors + i * b + b - 1, {b, -1}, tile, cols, begin,
            [&](int row, int v, Vector const& sum) {
              V::at(into + row * cols + v * V::width) -= sum;
            });
      }
    }
  }

  /// The largest entries met so far, lane by lane. Columns come in ascending order, so that the
  /// first of equal ones stays.
  struct Search {
    int lead;
    Vector size = Vector{} - T(1);
    typename V::Ints at = {};
    void add(Vector const& x, int vector) {
      Vector const magnitude = x < Vector{} ? -x : x;
      auto const larger = magnitude > size;
      size = larger ? magnitude : size;
      at = larger ? typename V::Ints{} + vector : at;
    }
    Candidate result() const {
      Candidate best{T(-1), 0};
      for (int lane = 0; lane < V::width; ++lane) {
        int const column = static_cast<int>(at[lane]) * V::width + V::width - 1 - lane - lead;
        if (size[lane] > best.size || (size[lane] == best.size && column < best.column))
          best = {size[lane], column};
      }
      return best;
    }
  };
  /// The vector of row i that holds columns [vector·width − lead, …).
  T* vector_of(int i, int vector) const {
    constexpr int vectors = Block::vectors;
    return panel_.tiles + static_cast<std::ptrdiff_t>(vector / vectors) * Tiles::size + i * cols +
           (vectors - 1 - vector % vectors) * V::width;
  }
  int vectors() const { return tiles_.count(m_) * Block::vectors; }
  /// Sets columns before `j` of a vector to 0.
  void clear_before(int j, int vector, Vector& x) const {
    for (int lane = 0; lane < V::width; ++lane)
      if (vector * V::width + V::width - 1 - lane - tiles_.lead < j) x[lane] = T(0);
  }

  /// The pivot of row k.
  void scan(int k) const {
    int const begin = (k + tiles_.lead) / V::width;
    Search search{tiles_.lead};
    Vector head = V::at(vector_of(k, begin));
    clear_before(k, begin, head);
    search.add(head, begin);
    for (int q = begin + 1; q < vectors(); ++q) search.add(V::at(vector_of(k, q)), q);
    pivot_ = search.result();
  }

  static void exchange(HostPanel<T> const& panel, Tiles const& tiles, int begin, int end, int j,
                       int l) {
    if (j == l) return;
    T* const x = panel.tiles + tiles.place(j);
    T* const y = panel.tiles + tiles.place(l);
    for (int i = begin; i < end; ++i) {
      T const held = x[i * cols];
      x[i * cols] = y[i * cols];
      y[i * cols] = held;
    }
  }

  /// Row k divided by its pivot, rows k+1 … end-1 reduced by it, the pivot of row k+1 found.
  void eliminate(int k, int end) const {
    int const below = end - k - 1;
    Vector const pivot = entry(k, k) - Vector{};
    Vector factors[step];
    for (int i = 0; i < below; ++i) factors[i] = entry(k + 1 + i, k) - Vector{};
    Search search{tiles_.lead};
    int const begin = (k + tiles_.lead) / V::width;
    for (int q = begin; q < vectors(); ++q) {
      T* const x = vector_of(k, q);
      Vector const u = V::at(x) / pivot;
      V::at(x) = u;
      if (below == 0) continue;
      Vector next = V::at(x + cols);
      Fused::subtract(next, factors[0], u);
      V::at(x + cols) = next;
      for (int i = 1; i < below; ++i) Fused::subtract(V::at(x + (i + 1) * cols), factors[i], u);
      if (q == begin) clear_before(k + 1, q, next);
      search.add(next, q);
    }
    if (below > 0) pivot_ = search.result();
  }

  /// U's columns of a panel above in the order in which this one has put them; those that have
  /// become this panel's first ones are final.
  void exchange_above(int above, int const* exchanges) const {
    HostPanel<T> const& panel = block_.panels[above];
    Tiles const tiles(panel);
    int const before = (index_ - above) * b;
    for (int k = 0; k < b; ++k) exchange(panel, tiles, 0, b, before + k, before + exchanges[k]);
    T* const square = panel.triangle + (index_ - above) * b * b;
    for (int j = 0; j < b; j += V::width) {
      T const* const from = panel.tiles + tiles.place(before + j + V::width - 1);
      for (int i = 0; i < b; ++i) V::at(square + i * b + b - j - V::width) = V::at(from + i * cols);
    }
  }

  /// What the exchanges do to a row, for the rows below the panel.
  void record(int const* exchanges) const {
    int* const source = panel_.source;
    for (int k = 0; k < rows_; ++k) source[k] = k;
    // A column behind the first ones gets only what has been among these.
    int& moved = *panel_.moved;
    moved = 0;
    for (int k = 0; k < rows_; ++k) {
      int const l = exchanges[k];
      int const here = source[k];
      if (l < rows_) {
        source[k] = source[l];
        source[l] = here;
        continue;
      }
      int s = 0;
      while (s < moved && panel_.moved_to[s] != l) ++s;
      source[k] = s < moved ? panel_.moved_from[s] : l;
      panel_.moved_to[s] = l;
      panel_.moved_from[s] = here;
      if (s == moved) ++moved;
    }
  }

  HostBlock<T> const& block_;
  int index_;
  HostPanel<T> panel_;
  Tiles tiles_;
  StridedMatrix<T> A_;
  DeterminantRows<T> lines_;
  int first_, rows_, m_;
  mutable Candidate pivot_{};
};

/// HostPanelSolver with this processor's vectors. Compiled once for all kernels that call it.
template <class T>
struct HostPanelStep {
  DeterminantBatch<T> const& batch;
  HostBlock<T> const& block;
  int index, rows;
  DeterminantState<T>& state;

  template <int Bytes>
  void run() const {
    HostPanelSolver<T, Bytes>(batch, block, index, rows).factor(state);
  }
};

}  // namespace carroll::detail
