// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/simd/rounding.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A block of rows that lie side by side, by a thread of a host, in vector registers of so many
/// bytes: a register has as many rows. The lanes of the tree are added class by class, every
/// fourth or so, so that the sums of a class, 16 KiB, stay in the first cache. Entries that are
/// apart, or complex, are copied first, a term of all rows at a time.
template <class T, int Bytes>
class HostColumns {
  using Problem = MatrixVector<T>;
  using Real = RealOf<T>;
  using Sum = typename Problem::Sum;
  using P = Pack<Real, Bytes>;
  static constexpr int parts = is_complex<T> ? 2 : 1;
  static constexpr int streams = parts * parts;  ///< numbers of a Sum
  static constexpr int most_rows = 1024 / int(streams * sizeof(Real));
  static constexpr int own = 16, classes = row_terms<T> / own;
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
    if (!direct_)
      for (int p = 0; p < parts; ++p) std::fill_n(copies_[p] + rows_, width_ - rows_, Real(0));
  }

  /// Of some chunks, a power of two of them or the last.
  void sum(int first_chunk, int chunks, Sum* sums) {
    Block waiting[most_levels];
    Block block;
    int count = 0;
    for (int c = 0; c < chunks; ++c) {
      chunk_sum(first_chunk + c, block);
      int level = 0;
      for (; (count >> level) & 1; ++level) {
        join(waiting[level], block);
        std::swap(waiting[level], block);
      }
      std::swap(waiting[level], block);
      ++count;
    }
    bool is_first = true;
    for (int level = 0; level < most_levels; ++level) {
      if (!((count >> level) & 1)) continue;
      if (!is_first) join(waiting[level], block);
      block = waiting[level];
      is_first = false;
    }
    for (int r = 0; r < rows_; ++r)
      for (int s = 0; s < streams; ++s) sums[r].of[s].sum = block.of[s][r];
  }

 private:
  void chunk_sum(int chunk, Block& total) {
    int const terms = problem_.terms_of(chunk);
    std::ptrdiff_t const begin = std::ptrdiff_t{chunk} * chunk_terms;
    int const lanes = std::min(terms, row_terms<T>);
    Block left[classes];
    for (int q = 0; q < std::min(classes, lanes); ++q) {
      int const mine = (lanes - q + classes - 1) / classes;
      for (int t = 0; t < mine; ++t) clear(lanes_[t]);
      for (int first = q; first < terms; first += row_terms<T>)
        for (int t = 0; t < mine && first + t * classes < terms; ++t)
          add(lanes_[t], begin + first + t * classes);
      halve(lanes_, own, mine);
      copy(left[q], lanes_[0]);
    }
    halve(left, classes, std::min(classes, lanes));
    copy(total, left[0]);
  }

  void add(Block& lane, std::ptrdiff_t j) {
    T const factor = x_[j * problem_.x_stride];
    T const* const from = a_ + j * problem_.term_stride;
    if constexpr (parts == 1) {
      Real const* entries = from;
      if (!direct_) {
        for (int r = 0; r < rows_; ++r) copies_[0][r] = from[r * problem_.row_stride];
        entries = copies_[0];
      }
      P const x(factor);
      for (int r = 0; r < width_; r += P::width)
        add(lane.of[0] + r, rounded_product(P::load(entries + r), x));
    } else {
      for (int r = 0; r < rows_; ++r) {
        T const entry = from[r * problem_.row_stride];
        copies_[0][r] = entry.real();
        copies_[1][r] = entry.imag();
      }
      P const re(factor.real()), im(factor.imag());
      for (int r = 0; r < width_; r += P::width) {
        P const a_re = P::load(copies_[0] + r), a_im = P::load(copies_[1] + r);
        add(lane.of[0] + r, rounded_product(a_re, re));
        add(lane.of[1] + r, rounded_product(a_im, im));
        add(lane.of[2] + r, rounded_product(a_re, im));
        add(lane.of[3] + r, rounded_product(a_im, re));
      }
    }
  }
  static void add(Real* sum, P const& x) { store(sum, P::load(sum) + x); }

  void clear(Block& block) const {
    for (int s = 0; s < streams; ++s) std::fill_n(block.of[s], width_, Real(-0.0));
  }
  void copy(Block& into, Block const& from) const {
    for (int s = 0; s < streams; ++s) std::copy_n(from.of[s], width_, into.of[s]);
  }
  void join(Block& into, Block const& other) const {
    for (int s = 0; s < streams; ++s)
      for (int r = 0; r < width_; r += P::width) add(into.of[s] + r, P::load(other.of[s] + r));
  }
  /// The first `present` of so many; the others are -0.
  void halve(Block* blocks, int all, int present) const {
    for (int half = all / 2; half > 0; half /= 2) {
      for (int k = 0; k + half < present; ++k) join(blocks[k], blocks[k + half]);
      present = std::min(present, half);
    }
  }

  Problem const& problem_;
  int rows_;
  T const* a_;
  T const* x_;
  int width_;  ///< rows, in whole registers
  bool direct_;
  Block lanes_[own];
  alignas(64) Real copies_[parts][most_rows];
};

}  // namespace carroll::detail
