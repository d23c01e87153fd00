// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/host_panel.hpp>

namespace carroll::detail {

/// `blocked` on a host, the second half: rows below a panel, up to b of them, by one thread. The
/// panel's column exchanges and the factors X = A21·U11⁻¹ into an array of its own, then A22 −
/// X·U12, tile after tile. 2b·(n − first) flops per row.
///
/// |u_ij| <= 1, so that the sum of a row's factors bounds what has been added to its entries. Where
/// that bound gets so large that the next panel could leave the range, the row is scaled.
template <class T, int Bytes>
class HostUpdate {
 public:
  HostUpdate(DeterminantBatch<T> const& batch, HostPanel<T> const& panel, int first, T* row_bounds)
      : panel_(panel),
        A_(batch.work_of(0)),
        lines_(batch.rows_of(0)),
        bounds_(row_bounds),
        first_(first),
        n_(batch.n) {}

  /// Rows begin … end-1, at most b.
  void run(int begin, int end) const {
    alignas(64) T X[b * b];
    int const rows = end - begin;
    int const padded = (rows + Block::rows - 1) / Block::rows * Block::rows;
    for (int i = 0; i < rows; ++i) exchange(begin + i, X + i * b);
    for (int k = rows * b; k < padded * b; ++k) X[k] = T(0);
    for (int i = 0; i < padded; i += Block::rows)
      HostTriangle<T, Bytes, Block::rows>::solve(X + i * b, panel_.triangle, b);
    int const m = n_ - first_;
    for (int t = (b + Tiles::lead) / cols; t < Tiles::count(m); ++t) {
      int const from = Tiles::begin(t, b), to = Tiles::end(t, m);
      for (int i = 0; i < rows; i += Block::rows)
        update(begin + i, rows - i < Block::rows ? rows - i : Block::rows, X + i * b + b - 1,
               panel_.tiles + static_cast<std::ptrdiff_t>(t) * Tiles::size, from, to);
    }
    for (int i = 0; i < rows; ++i) bound(begin + i, X + i * b);
  }

 private:
  using V = HostVector<T, Bytes>;
  using Vector = typename V::Type;
  using Tiles = HostTiles<T, Bytes>;
  using Block = PackedBlock<T, Bytes>;
  static constexpr int b = host_panel_rows, cols = Tiles::cols;
  /// A panel's rows may grow by 2^b from here and stay in range.
  static constexpr int highest = exponent_bias<T> - b - 16;
  static_assert(highest > 16);

  void exchange(int i, T* x) const {
    T* const row = &A_(i, first_);
    std::ptrdiff_t const s = A_.col_stride;
    for (int k = 0; k < b; ++k) x[b - 1 - k] = row[panel_.source[k] * s];
    for (int k = 0; k < *panel_.moved; ++k)
      row[panel_.moved_to[k] * s] = row[panel_.moved_from[k] * s];
  }

  void update(int i0, int rows, T const* X, T const* tile, int from, int to) const {
    alignas(Bytes) T sum[Block::rows * cols];
    bool const whole = rows == Block::rows && to - from == cols && A_.col_stride == -1;
    if (whole)
      for (int i = 0; i < Block::rows; ++i) {
        char const* const row = reinterpret_cast<char const*>(&A_(i0 + i, first_ + to - 1));
        for (int byte = 0; byte < cols * int(sizeof(T)); byte += 64)
          __builtin_prefetch(row + byte, 1);
      }
    packed_product<T, Bytes, Block::rows, Block::vectors>(X, b, tile, cols, b, sum);
    if (whole) {
      for (int i = 0; i < Block::rows; ++i) {
        T* const row = &A_(i0 + i, first_ + to - 1);
        for (int v = 0; v < Block::vectors; ++v)
          V::loose(row + v * V::width) -= V::at(sum + i * cols + v * V::width);
      }
    } else {
      for (int i = 0; i < rows; ++i)
        for (int j = from; j < to; ++j)
          A_(i0 + i, first_ + j) -= sum[i * cols + cols - 1 - (j + Tiles::lead) % cols];
    }
  }

  void bound(int i, T const* x) const {
    Vector partial{};
    for (int k = 0; k < b; k += V::width) {
      Vector const entries = V::at(x + k);
      partial += entries < Vector{} ? -entries : entries;
    }
    T sum = bounds_[i];
    for (int lane = 0; lane < V::width; ++lane) sum += partial[lane];
    bounds_[i] = sum;
    if (exponent_of(sum) < highest) return;
    T high = 0;
    for (int j = first_ + b; j < n_; ++j) high = Kokkos::max(high, Kokkos::abs(A_(i, j)));
    bounds_[i] = 1;
    if (high == 0) return;  // singular, found when it is this row's turn
    int const e = exponent_of(high);
    for (int j = first_ + b; j < n_; ++j) A_(i, j) = scale(A_(i, j), -e);
    lines_.row_top[i] = scale(lines_.row_top[i], -e);
    lines_.row_exponent[i] += e;
  }

  HostPanel<T> panel_;
  StridedMatrix<T> A_;
  DeterminantRows<T> lines_;
  T* bounds_;
  int first_, n_;
};

/// HostUpdate with this processor's vectors. Compiled once for all kernels that call it.
template <class T>
struct HostUpdateStep {
  DeterminantBatch<T> const& batch;
  HostPanel<T> const& panel;
  int first;
  T* row_bounds;
  int begin, end;

  template <int Bytes>
  void run() const {
    HostUpdate<T, Bytes>(batch, panel, first, row_bounds).run(begin, end);
  }
};

}  // namespace carroll::detail
