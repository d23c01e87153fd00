// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/dense_factors.hpp>
#include <carroll/detail/pseudoinverse/stream.hpp>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// Writes A⁺ = [η; -βη], with `own` in place of its entries, each entry once, in the order of
/// memory: `inner` runs over the dimension with the smaller stride. (k+m)·n entries written, 2k
/// flops each. For hosts: a work item writes a stretch of `tile` inner entries for outer indices
/// from one end to the other, past the caches.
template <class ExecSpace, class Real>
class DenseStretchesKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  static constexpr int tile = 4096;

  DenseStretchesKernel(ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors)
      : batch_(batch),
        factors_(factors),
        by_rows_(batch.inverse.strides[2] <= batch.inverse.strides[1]) {
    int const rows = batch.k + batch.m;
    inner_ = by_rows_ ? batch.n : rows;
    outer_ = by_rows_ ? rows : batch.n;
    inner_stride_ = batch.inverse.strides[by_rows_ ? 2 : 1];
    outer_stride_ = batch.inverse.strides[by_rows_ ? 1 : 2];
    tiles_ = (inner_ + tile - 1) / tile;
    blocks_ = (outer_ + block_lines - 1) / block_lines;
  }

  [[nodiscard]] std::int64_t items() const {
    return static_cast<std::int64_t>(batch_.frames) * tiles_ * blocks_;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    int const block = static_cast<int>(item % blocks_);
    std::int64_t const rest = item / blocks_;
    int const first = static_cast<int>(rest % tiles_) * tile;
    int const frame = static_cast<int>(rest / tiles_);
    Real* const out = batch_.inverse.data + frame * batch_.inverse.strides[0];
    bool const bad = is_bad(frame);
    int const end = Kokkos::min((block + 1) * block_lines, outer_);
    for (int o = block * block_lines; o < end; ++o)
      write_stretch(out + o * outer_stride_, frame, o, first, Kokkos::min(first + tile, inner_),
                    bad);
  }

 private:
  /// Outer indices of a work item: many, so that the factors stay in cache.
  static constexpr int block_lines = 256;
  static constexpr int chunk = 64;

  KOKKOS_FUNCTION static Real nan() { return Kokkos::Experimental::quiet_NaN_v<Real>; }
  KOKKOS_FUNCTION bool is_bad(int frame) const {
    Status const status = batch_.info_of(frame).status;
    return status == Status::non_finite || status == Status::breakdown;
  }

  /// Entry (row, p) of A⁺.
  KOKKOS_FUNCTION Real value(int frame, int row, int p) const {
    int const k = batch_.k;
    std::ptrdiff_t const n = batch_.n;
    Real const* const eta = factors_.eta + frame * n * k;
    if (row < k) return eta[row * n + p];
    int const i = row - k;
    Real const* const beta = factors_.beta + static_cast<std::ptrdiff_t>(frame) * k * batch_.m;
    if (factors_.segment[frame * n + p] == i) return factors_.own[frame * n + p];
    Real sum = beta[i] * eta[p];
    for (int j = 1; j < k; ++j)
      sum = multiply_add(beta[static_cast<std::ptrdiff_t>(j) * batch_.m + i], eta[j * n + p], sum);
    return sum;
  }

  /// Entries begin <= i < end of the line `o` that begins at `line`.
  KOKKOS_FUNCTION void write_stretch(Real* line, int frame, int o, int begin, int end,
                                     bool bad) const {
    Real buffer[chunk];
    for (int i = begin; i < end;) {
      // Up to where whole cache lines begin.
      int const past = inner_stride_ == 1 ? entries_past_line(line + i) : 0;
      int const count = Kokkos::min(chunk - past, end - i);
      if (bad)
        for (int w = 0; w < count; ++w) buffer[w] = nan();
      else if (count == chunk)
        values(buffer, frame, o, i, std::integral_constant<int, chunk>{});
      else
        values(buffer, frame, o, i, count);
      if (inner_stride_ == 1)
        stream(line + i, buffer, count);
      else
        for (int w = 0; w < count; ++w) line[(i + w) * inner_stride_] = buffer[w];
      i += count;
    }
  }

  /// `Count` is an int, or one that the compiler knows, so that it unrolls the loops.
  template <class Count>
  KOKKOS_FUNCTION void values(Real* buffer, int frame, int o, int i, Count count) const {
    if (by_rows_)
      row_values(buffer, frame, o, i, count);
    else
      column_values(buffer, frame, o, i, count);
  }

  /// Entries of A⁺'s row `row`, from column p on.
  template <class Count>
  KOKKOS_FUNCTION void row_values(Real* buffer, int frame, int row, int p, Count count) const {
    int const k = batch_.k;
    std::ptrdiff_t const n = batch_.n;
    Real const* const eta = factors_.eta + frame * n * k + p;
    if (row < k) {
      for (int w = 0; w < count; ++w) buffer[w] = eta[row * n + w];
      return;
    }
    int const i = row - k;
    Real const* const beta = factors_.beta + static_cast<std::ptrdiff_t>(frame) * k * batch_.m + i;
    Real const first = beta[0];
    for (int w = 0; w < count; ++w) buffer[w] = first * eta[w];
    for (int j = 1; j < k; ++j) {
      Real const b = beta[static_cast<std::ptrdiff_t>(j) * batch_.m];
      for (int w = 0; w < count; ++w) buffer[w] += b * eta[j * n + w];
    }
    int const* const owner = factors_.segment + frame * n + p;
    // Without a permutation the segments of a stretch rise: most stretches have none of row i.
    if (!batch_.rows.data && (owner[0] > i || owner[count - 1] < i)) return;
    Real const* const own = factors_.own + frame * n + p;
    for (int w = 0; w < count; ++w) buffer[w] = owner[w] == i ? own[w] : buffer[w];
  }

  /// Entries of A⁺'s column p, from row `row` on.
  template <class Count>
  KOKKOS_FUNCTION void column_values(Real* buffer, int frame, int p, int row, Count count) const {
    int const k = batch_.k;
    std::ptrdiff_t const n = batch_.n;
    if (row < k) {
      for (int w = 0; w < count; ++w) buffer[w] = value(frame, row + w, p);
      return;
    }
    Real const* const eta = factors_.eta + frame * n * k + p;
    Real const* const beta =
        factors_.beta + static_cast<std::ptrdiff_t>(frame) * k * batch_.m + (row - k);
    Real const first = eta[0];
    for (int w = 0; w < count; ++w) buffer[w] = beta[w] * first;
    for (int j = 1; j < k; ++j) {
      Real const e = eta[j * n];
      Real const* const b = beta + static_cast<std::ptrdiff_t>(j) * batch_.m;
      for (int w = 0; w < count; ++w) buffer[w] += b[w] * e;
    }
    int const own = factors_.segment[frame * n + p] + k - row;
    if (0 <= own && own < count) buffer[own] = factors_.own[frame * n + p];
  }

  ArrowBatch<Real> batch_;
  DenseFactors<Real> factors_;
  bool by_rows_;
  int inner_ = 0, outer_ = 0, tiles_ = 0, blocks_ = 0;
  std::ptrdiff_t inner_stride_ = 1, outer_stride_ = 1;
};

}  // namespace carroll::detail
