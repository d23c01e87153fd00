// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/common/stream.hpp>
#include <carroll/detail/pseudoinverse/dense/factors.hpp>
#include <cstdint>

namespace carroll::detail {

/// Writes A⁺ = [η; -βη], with `own` in place of its entries, each entry once, in the order of
/// memory: `inner` runs over the dimension with the smaller stride. (k+m)·n entries written, 2k
/// flops each. For hosts: a work item writes a stretch of `tile` inner entries for outer indices
/// from one end to the other, past the caches; where lines of A⁺ follow each other without a gap,
/// and are not longer than a stretch, across them.
template <class ExecSpace, class Real>
class DenseStretchesKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  static constexpr int tile = 16384 / static_cast<int>(sizeof(Real));

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

  KOKKOS_FUNCTION void operator()(std::int64_t item) const { KOKKOS_IF_ON_HOST((write(item);)) }

 private:
  using Stream = LineStream<Real>;
  using Vector = Streamed<Real>;
  struct Factors : FrameFactors<Real> {
    int frame;
  };
  /// Entries that do not stand side by side.
  struct Scattered {
    Real* target;
    std::ptrdiff_t stride;

    template <class One, class Some>
    void put(int count, One const& one, Some const&) {
      for (int i = 0; i < count; ++i, target += stride) *target = one(i);
    }
  };
  /// Outer indices of a work item: many, so that the factors stay in cache.
  static constexpr int block_lines = 256;

  void write(std::int64_t item) const {
    int const block = static_cast<int>(item % blocks_);
    std::int64_t const rest = item / blocks_;
    int const tile_begin = static_cast<int>(rest % tiles_) * tile;
    int const tile_end = Kokkos::min(tile_begin + tile, inner_);
    std::ptrdiff_t const frame = rest / tiles_;
    Factors const of{{batch_, factors_, frame}, static_cast<int>(frame)};
    if (of.written) return;
    Real* const out = batch_.inverse.data + frame * batch_.inverse.strides[0];
    int const first = block * block_lines, last = Kokkos::min(first + block_lines, outer_);
    if (inner_stride_ == 1 && tiles_ == 1 && outer_stride_ == inner_) {
      Stream stream(out + first * outer_stride_);
      for (int o = first; o < last; ++o) put(stream, of, o, 0, inner_);
      stream.end();
      return;
    }
    for (int o = first; o < last; ++o) {
      Real* const line = out + o * outer_stride_;
      if (inner_stride_ == 1) {
        int const begin = line_before(line, tile_begin), end = line_before(line, tile_end);
        Stream stream(line + begin);
        put(stream, of, o, begin, end);
        stream.end();
      } else {
        Scattered scattered{line + tile_begin * inner_stride_, inner_stride_};
        put(scattered, of, o, tile_begin, tile_end);
      }
    }
  }

  /// Stretches meet where a cache line begins.
  int line_before(Real const* line, int i) const {
    return i == 0 || i == inner_ ? i : Kokkos::max(i - entries_past_line(line + i), 0);
  }

  /// Entries begin <= i < end of the line `o`.
  template <class Target>
  void put(Target& target, Factors const& of, int o, int begin, int end) const {
    if (of.bad)
      target.put(
          end - begin, [&](int) { return of.nan(); }, [&](int) { return Vector(of.nan()); });
    else if (by_rows_)
      put_row(target, of, o, begin, end);
    else
      put_column(target, of, o, begin, end);
  }

  /// Of A⁺'s row `row`.
  template <class Target>
  void put_row(Target& target, Factors const& of, int row, int begin, int end) const {
    std::ptrdiff_t const n = batch_.n;
    if (row < batch_.k && of.mix)
      return sum(target, of.mix + static_cast<std::ptrdiff_t>(row) * batch_.k, 1, of.eta + begin, n,
                 end - begin);
    if (row < batch_.k) return copy(target, of.eta + row * n + begin, end - begin);
    int const i = row - batch_.k;
    if (!batch_.rows.data) {
      int const own = Kokkos::min(Kokkos::max(batch_.offset(of.frame, i), begin), end);
      int const behind = Kokkos::min(Kokkos::max(batch_.offset(of.frame, i + 1), own), end);
      sum(target, of.beta + i, batch_.m, of.eta + begin, n, own - begin);
      copy(target, of.own + own, behind - own);
      sum(target, of.beta + i, batch_.m, of.eta + behind, n, end - behind);
      return;
    }
    for (int p = begin; p < end;) {
      int other = p;
      while (other < end && of.segment[other] != i) ++other;
      sum(target, of.beta + i, batch_.m, of.eta + p, n, other - p);
      p = other;
      while (other < end && of.segment[other] == i) ++other;
      copy(target, of.own + p, other - p);
      p = other;
    }
  }

  /// Of A⁺'s column p.
  template <class Target>
  void put_column(Target& target, Factors const& of, int p, int begin, int end) const {
    int const k = batch_.k;
    for (std::ptrdiff_t j = begin; j < Kokkos::min(k, end); ++j) {
      if (of.mix)
        sum(target, of.mix + j * k, 1, of.eta + p, batch_.n, 1);
      else
        copy(target, of.eta + j * batch_.n + p, 1);
    }
    begin = Kokkos::max(begin, k);
    if (begin >= end) return;
    int const own = Kokkos::min(Kokkos::max(of.segment[p] + k, begin), end);
    sum(target, of.eta + p, batch_.n, of.beta + (begin - k), batch_.m, own - begin);
    if (own == end) return;
    bool const is_own = own == of.segment[p] + k;
    if (is_own) copy(target, of.own + p, 1);
    int const rest = own + (is_own ? 1 : 0);
    sum(target, of.eta + p, batch_.n, of.beta + (rest - k), batch_.m, end - rest);
  }

  template <class Target>
  static void copy(Target& target, Real const* source, int count) {
    target.put(
        count, [=](int i) { return source[i]; }, [=](int i) { return Vector::load(source + i); });
  }

  /// Σ x(j)·y(j, i), with x(j) and y(j, 0) `from_x` and `from_y` behind the ones before.
  template <class Target, class X>
  void sum(Target& target, X const* x, std::ptrdiff_t from_x, Real const* y, std::ptrdiff_t from_y,
           int count) const {
    int const k = batch_.k;
    if (k == 1) {
      Real const factor = static_cast<Real>(*x);
      target.put(
          count, [=](int i) { return factor * y[i]; },
          [=](int i) { return factor * Vector::load(y + i); });
      return;
    }
    target.put(
        count,
        [=](int i) {
          Real all = static_cast<Real>(*x) * y[i];
          for (int j = 1; j < k; ++j) all += static_cast<Real>(x[j * from_x]) * y[j * from_y + i];
          return all;
        },
        [=](int i) {
          Vector all = static_cast<Real>(*x) * Vector::load(y + i);
          for (int j = 1; j < k; ++j)
            all += static_cast<Real>(x[j * from_x]) * Vector::load(y + j * from_y + i);
          return all;
        });
  }

  ArrowBatch<Real> batch_;
  DenseFactors<Real> factors_;
  bool by_rows_;
  int inner_ = 0, outer_ = 0, tiles_ = 0, blocks_ = 0;
  std::ptrdiff_t inner_stride_ = 1, outer_stride_ = 1;
};

}  // namespace carroll::detail
