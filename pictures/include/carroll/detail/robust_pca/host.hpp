// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/robust_pca/kernels.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/simd/sums.hpp>
#include <cstdint>
#include <type_traits>

/// The passes on hosts: a part of the rows to a thread, some rows at a time, which stay in the
/// second cache from when they are read until they are written.
namespace carroll::detail {

/// How rows are cut: into parts that have sums of their own, added in their order, and these into
/// chunks, all by the extents alone.
struct HostPcaPlan {
  std::int64_t rows = 0, columns = 0;
  int parts = 1, chunk = 16;
  std::int64_t padded = 0;  ///< columns, of which tiles have four or three

  HostPcaPlan() = default;
  HostPcaPlan(std::int64_t all_rows, std::int64_t all_columns)
      : rows(all_rows), columns(all_columns), padded((all_columns + 11) / 12 * 12) {
    std::int64_t const most = (std::int64_t{1} << 23) / std::max<std::int64_t>(padded * padded, 1);
    parts = static_cast<int>(std::clamp<std::int64_t>(most, 2, 16));
    std::int64_t const some = 32768 / std::max<std::int64_t>(padded, 1) / 16 * 16;
    chunk = static_cast<int>(std::clamp<std::int64_t>(some, 16, 256));
  }
  [[nodiscard]] std::int64_t first(int part) const { return rows * part / parts; }
  [[nodiscard]] std::int64_t buffer() const { return padded * chunk; }
  /// Numbers of a part: D, R, Z and the projections of a chunk, and its square.
  [[nodiscard]] std::int64_t numbers() const { return 4 * buffer() + padded * padded; }
};

/// A chunk of rows in buffers, columns side by side, zeros beyond the rows and columns there are.
template <int Bytes>
class HostPcaChunk {
  using P = Pack<double, Bytes>;
  static constexpr int width = P::width;
  /// As many as there are registers for, with four rows.
  static constexpr int tile_columns = Bytes == 64 ? 4 : 3;

 public:
  HostPcaChunk(HostPcaPlan const& plan, double* memory)
      : plan_(plan),
        D_(memory),
        R_(D_ + plan.buffer()),
        Z_(R_ + plan.buffer()),
        T_(Z_ + plan.buffer()),
        square_(T_ + plan.buffer()) {}

  [[nodiscard]] double* square() const { return square_; }

  template <class From, class To>
  void form(LongMatrix<From const> const& D, LongMatrix<To> const& R, AlmState const& state,
            std::int64_t begin, int count) const {
    for (std::int64_t j = 0; j < plan_.columns; ++j) {
      read(D, begin, j, count, D_ + j * plan_.chunk);
      if (state.first == 0) read(R, begin, j, count, R_ + j * plan_.chunk);
    }
    P const scale(state.scale), first(state.first), carried(state.carried),
        threshold(state.threshold);
    for (std::int64_t e = 0; e < plan_.columns * plan_.chunk; e += width) {
      P const d = P::load(D_ + e) * scale;
      store(D_ + e, d);
      if (state.first != 0) {
        store(Z_ + e, d + d * first);
        continue;
      }
      P const r = P::load(R_ + e), cut = max(min(r, threshold), -threshold);
      P const multiplier = carried * cut;
      store(R_ + e, multiplier);
      store(Z_ + e, d - (r - cut) + multiplier);
    }
    std::fill(Z_ + plan_.columns * plan_.chunk, Z_ + plan_.buffer(), 0.0);
  }

  /// square += ZᵀZ on and below the diagonal.
  void add_gram() const {
    for (std::int64_t i = 0; i < plan_.padded; i += 4)
      for (std::int64_t j = 0; j < i + 4; j += tile_columns) add_tile(i, j);
  }

  /// Z := (Z·V)·Wᵀ of `rank` columns V and W, which lie in rows of `pitch`.
  void project(double const* V, double const* W, std::int64_t pitch, int rank) const {
    for (int k = 0; k < plan_.chunk; k += width)
      for (int first = 0; first < rank; first += 4) {
        int const some = std::min(rank - first, 4);
        P sum[4] = {P(0.0), P(0.0), P(0.0), P(0.0)};
        for (std::int64_t j = 0; j < plan_.columns; ++j) {
          P const z = P::load(Z_ + j * plan_.chunk + k);
          for (int r = 0; r < 4; ++r)
            sum[r].add_product(z, P(V[j * pitch + first + std::min(r, some - 1)]));
        }
        for (int r = 0; r < some; ++r) store(T_ + (first + r) * plan_.chunk + k, sum[r]);
      }
    for (std::int64_t j = 0; j < plan_.columns; ++j)
      for (int k = 0; k < plan_.chunk; k += width) {
        P sum(0.0);
        for (int r = 0; r < rank; ++r)
          sum.add_product(P::load(T_ + r * plan_.chunk + k), P(W[j * pitch + r]));
        store(Z_ + j * plan_.chunk + k, sum);
      }
  }

  /// R and L of the chunk's rows, which Z has of L; Z := that of the next iteration, whose state is
  /// `next`; Σ (D − L − S)².
  template <class To>
  double update(LongMatrix<To> const& R, LongMatrix<To> const& L, AlmState const& state,
                AlmState const& next, std::int64_t begin, int count) const {
    P const most(next.threshold), first(state.first), back(1 / state.scale), carried(next.carried);
    P squares(0.0);
    double* const low = T_;  // of a column, in the caller's units: projections are done with
    for (std::int64_t j = 0; j < plan_.columns; ++j) {
      std::int64_t const at = j * plan_.chunk;
      for (int k = 0; k < plan_.chunk; k += width) {
        P const d = P::load(D_ + at + k), l = P::load(Z_ + at + k);
        P const multiplier = state.first != 0 ? d * first : P::load(R_ + at + k);
        P const rest = d - l, r = rest + multiplier;
        P const error = rest - (r - max(min(r, most), -most));
        squares.add_product(error, error);
        store(R_ + at + k, r);
        store(low + k, l * back);
      }
      write(R_ + at, R, begin, j, count);
      write(low, L, begin, j, count);
      for (int k = 0; k < plan_.chunk; k += width) {
        P const d = P::load(D_ + at + k), r = as_stored<To>(P::load(R_ + at + k));
        P const cut = max(min(r, most), -most);
        store(Z_ + at + k, d - (r - cut) + carried * cut);
      }
    }
    return sum_of(squares);
  }

 private:
  /// What the next pass over R will read.
  template <class To>
  static P as_stored(P const& r) {
    if constexpr (std::is_same_v<To, double>) return r;
    float rounded[width];
    for (int l = 0; l < width; ++l) rounded[l] = static_cast<float>(r[l]);
    return P::load(rounded);
  }

  template <class T>
  void read(LongMatrix<T> const& from, std::int64_t begin, std::int64_t j, int count,
            double* to) const {
    T const* const source = from.data + begin * from.row_stride + j * from.column_stride;
    if (from.row_stride == 1)
      for (int k = 0; k < count; ++k) to[k] = static_cast<double>(source[k]);
    else
      for (int k = 0; k < count; ++k) to[k] = static_cast<double>(source[k * from.row_stride]);
    std::fill(to + count, to + plan_.chunk, 0.0);
  }
  template <class T>
  void write(double const* from, LongMatrix<T> const& to, std::int64_t begin, std::int64_t j,
             int count) const {
    T* const target = to.data + begin * to.row_stride + j * to.column_stride;
    if (to.row_stride == 1)
      for (int k = 0; k < count; ++k) target[k] = static_cast<T>(from[k]);
    else
      for (int k = 0; k < count; ++k) target[k * to.row_stride] = static_cast<T>(from[k]);
  }

  void add_tile(std::int64_t i, std::int64_t j) const {
    P sum[4][tile_columns];
    for (auto& row : sum)
      for (P& x : row) x = P(0.0);
    double const *const left = Z_ + i * plan_.chunk, *const right = Z_ + j * plan_.chunk;
    for (int k = 0; k < plan_.chunk; k += width) {
      P b[tile_columns];
      for (int c = 0; c < tile_columns; ++c) b[c] = P::load(right + c * plan_.chunk + k);
      for (int r = 0; r < 4; ++r) {
        P const a = P::load(left + r * plan_.chunk + k);
        for (int c = 0; c < tile_columns; ++c) sum[r][c].add_product(a, b[c]);
      }
    }
    for (int r = 0; r < 4; ++r) {
      double row[4];
      if constexpr (tile_columns == 4)
        sums_of_four(sum[r], row);
      else
        for (int c = 0; c < tile_columns; ++c) row[c] = sum_of(sum[r][c]);
      double* const to = square_ + (i + r) * plan_.padded + j;
      for (int c = 0; c < tile_columns; ++c) to[c] += row[c];
    }
  }

  HostPcaPlan plan_;
  double *D_, *R_, *Z_, *T_, *square_;
};

/// Part by part: the lower triangle of the first ZᵀZ into the part's square.
template <class From, class To>
struct HostPcaGram {
  HostPcaPlan plan;
  LongMatrix<From const> D;
  LongMatrix<To> R;
  AlmState state;
  double* memory;
  int part = 0;

  void operator()(int of) const {
    HostPcaGram one = *this;
    one.part = of;
    with_host_vectors(one);
  }
  template <int Bytes>
  void run() const {
    HostPcaChunk<Bytes> const chunk(plan, memory + part * plan.numbers());
    std::fill_n(chunk.square(), plan.padded * plan.padded, 0.0);
    std::int64_t const end = plan.first(part + 1);
    for (std::int64_t i = plan.first(part); i < end; i += plan.chunk) {
      chunk.form(D, R, state, i, static_cast<int>(std::min<std::int64_t>(plan.chunk, end - i)));
      chunk.add_gram();
    }
  }
};

/// G := Σ of the parts' squares, in their order.
struct HostPcaSum {
  HostPcaPlan plan;
  double const* memory;
  LongMatrix<double> G;
  void operator()(std::int64_t e) const {
    std::int64_t const a = e / plan.columns, b = e % plan.columns;
    std::int64_t const at = 4 * plan.buffer() + std::max(a, b) * plan.padded + std::min(a, b);
    double sum = 0;
    for (int part = 0; part < plan.parts; ++part) sum += memory[part * plan.numbers() + at];
    G(a, b) = sum;
  }
};

/// Part by part: R, L and squares[part] := Σ (D − L − S)²; and the lower triangle of the next Z's
/// ZᵀZ into the part's square, in the same pass.
template <class From, class To>
struct HostPcaUpdate {
  HostPcaPlan plan;
  LongMatrix<From const> D;
  LongMatrix<To> R, L;
  AlmState state, next;
  LongMatrix<double> V, W;
  int rank;
  double* memory;
  double* squares;
  int part = 0;

  void operator()(int of) const {
    HostPcaUpdate one = *this;
    one.part = of;
    with_host_vectors(one);
  }
  template <int Bytes>
  void run() const {
    HostPcaChunk<Bytes> const chunk(plan, memory + part * plan.numbers());
    std::fill_n(chunk.square(), plan.padded * plan.padded, 0.0);
    double sum = 0;
    std::int64_t const end = plan.first(part + 1);
    for (std::int64_t i = plan.first(part); i < end; i += plan.chunk) {
      int const count = static_cast<int>(std::min<std::int64_t>(plan.chunk, end - i));
      chunk.form(D, R, state, i, count);
      chunk.project(V.data, W.data, V.row_stride, rank);
      sum += chunk.update(R, L, state, next, i, count);
      chunk.add_gram();
    }
    squares[part] = sum;
  }
};

}  // namespace carroll::detail
