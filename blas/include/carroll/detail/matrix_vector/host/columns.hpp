// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/matrix_vector/dispatch.hpp>
#include <carroll/detail/matrix_vector/host/dense_columns.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/simd/rounding.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A block of rows, by a thread of a host, in vector registers of so many bytes: a register has as
/// many rows. The lanes of the tree are added class by class, every eighth or so, so that the sums
/// of a class, 16 KiB, stay in the first cache, and a column is read 2 KiB at a time. Entries that
/// are apart, or complex, are copied first, a term of all rows at a time.
template <class T, int Bytes>
class HostColumns {
  using Problem = MatrixVector<T>;
  using Real = RealOf<T>;
  using Sum = typename Problem::Sum;
  using P = Pack<Real, Bytes>;
  static constexpr int parts = is_complex<T> ? 2 : 1;
  static constexpr int streams = parts * parts;  ///< numbers of a Sum
  static constexpr int most_rows = host_block_bytes / int(streams * sizeof(Real));
  static constexpr int own = 8, classes = row_terms<T> / own;
  static constexpr int most_levels = 22;
  /// A sum of each row.
  struct Block {
    alignas(64) Real of[streams][most_rows];
  };

 public:
  HostColumns(Problem const& problem, int member, int first_row, int rows)
      : problem_(problem),
        rows_(rows),
        a_(problem.row(member, first_row)),
        x_(problem.vector(member)),
        width_((rows + P::width - 1) / P::width * P::width),
        direct_(parts == 1 && problem.row_stride == 1 && width_ == rows) {
    for (int p = 0; p < parts; ++p) std::fill_n(copies_[p] + rows_, width_ - rows_, Real(0));
  }

  /// Of some chunks, a power of two of them or the last.
  void sum(int first_chunk, int chunks, Sum* sums) {
    Block const* total = &left_[0];
    Block waiting[most_levels];
    if (chunks == 1)
      chunk_sum(first_chunk);
    else
      total = &sum_of_chunks(first_chunk, chunks, waiting);
    for (int r = 0; r < rows_; ++r)
      for (int s = 0; s < streams; ++s) sums[r].of[s].sum = total->of[s][r];
  }

 private:
  /// By the pairs of the tree, as PairTree.
  Block const& sum_of_chunks(int first_chunk, int chunks, Block* waiting) {
    for (int c = 0; c < chunks; ++c) {
      chunk_sum(first_chunk + c);
      int level = 0;
      for (; (c >> level) & 1; ++level) join(left_[0], waiting[level]);
      copy(waiting[level], left_[0]);
    }
    Block const* total = nullptr;
    for (int level = 0; level < most_levels; ++level) {
      if (!((chunks >> level) & 1)) continue;
      if (total) join(waiting[level], *total);
      total = &waiting[level];
    }
    return *total;
  }

  /// The first of left_.
  void chunk_sum(int chunk) {
    int const terms = problem_.terms_of(chunk);
    if constexpr (parts == 1)
      if (problem_.row_stride == 1 && terms <= row_terms<T>)
        return HostDenseColumns<Real, Bytes>(problem_, a_)
            .chunk_sum(chunk, x_, rows_, left_[0].of[0]);
    std::ptrdiff_t const begin = std::ptrdiff_t{chunk} * chunk_terms;
    int const lanes = std::min(terms, row_terms<T>);
    for (int q = 0; q < std::min(classes, lanes); ++q) {
      Block* sums[own] = {&left_[q]};
      int const mine = (lanes - q + classes - 1) / classes;
      for (int t = 1; t < mine; ++t) sums[t] = &lanes_[t];
      for (int t = 0; t < mine; ++t) add<true>(*sums[t], begin + q + t * classes);
      for (int first = q + row_terms<T>; first < terms; first += row_terms<T>)
        for (int t = 0; t < mine && first + t * classes < terms; ++t)
          add<false>(*sums[t], begin + first + t * classes);
      halve(sums, own, mine);
    }
    Block* sums[classes];
    for (int q = 0; q < classes; ++q) sums[q] = &left_[q];
    halve(sums, classes, std::min(classes, lanes));
  }

  /// Of the term with that number in a chunk; the first one of a lane is its sum so far.
  template <bool First>
  void add(Block& lane, std::ptrdiff_t j) {
    T const factor = x_[j * problem_.x_stride];
    T const* const from = a_ + j * problem_.term_stride;
    if constexpr (parts == 1) {
      Real const* entries = from;
      if (!direct_) {
        for (int r = 0; r < rows_; ++r) copies_[0][r] = from[r * problem_.row_stride];
        entries = copies_[0];
      } else if (j + classes < problem_.terms) {
        // The class's next term: no prefetcher follows so many columns.
        Real const* const next = from + classes * problem_.term_stride;
        for (int r = 0; r < width_; r += 64 / int(sizeof(Real))) __builtin_prefetch(next + r);
      }
      P const x(factor);
      for (int r = 0; r < width_; r += P::width)
        add<First>(lane.of[0] + r, rounded_product(P::load(entries + r), x));
    } else {
      for (int r = 0; r < rows_; ++r) {
        T const entry = from[r * problem_.row_stride];
        copies_[0][r] = entry.real();
        copies_[1][r] = entry.imag();
      }
      P const re(factor.real()), im(factor.imag());
      for (int r = 0; r < width_; r += P::width) {
        P const a_re = P::load(copies_[0] + r), a_im = P::load(copies_[1] + r);
        add<First>(lane.of[0] + r, rounded_product(a_re, re));
        add<First>(lane.of[1] + r, rounded_product(a_im, im));
        add<First>(lane.of[2] + r, rounded_product(a_re, im));
        add<First>(lane.of[3] + r, rounded_product(a_im, re));
      }
    }
  }
  template <bool First>
  static void add(Real* sum, P const& x) {
    if constexpr (First)
      store(sum, x);
    else
      store(sum, P::load(sum) + x);
  }

  void copy(Block& into, Block const& from) const {
    for (int s = 0; s < streams; ++s) std::copy_n(from.of[s], width_, into.of[s]);
  }
  void join(Block& into, Block const& other) const {
    for (int s = 0; s < streams; ++s)
      for (int r = 0; r < width_; r += P::width)
        add<false>(into.of[s] + r, P::load(other.of[s] + r));
  }
  /// The first `present` of so many; the others are -0.
  void halve(Block* const* blocks, int all, int present) const {
    for (int half = all / 2; half > 0; half /= 2) {
      for (int k = 0; k < half && k + half < present; ++k) join(*blocks[k], *blocks[k + half]);
      present = std::min(present, half);
    }
  }

  Problem const& problem_;
  int rows_;
  T const* a_;
  T const* x_;
  int width_;         ///< rows, in whole registers
  bool direct_;       ///< entries are read as they are
  Block lanes_[own];  ///< sums of a class, but the first
  Block left_[classes];
  alignas(64) Real copies_[parts][most_rows];
};

}  // namespace carroll::detail
