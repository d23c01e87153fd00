// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/matrix_product/dispatch.hpp>
#include <carroll/detail/matrix_product/host/block.hpp>
#include <carroll/detail/matrix_product/host/pack.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// How many rows and terms of A are packed at a time, for the second cache, and columns of B, for
/// the third. Of B's, 6 columns of these terms stay in the first.
template <class T>
struct HostProductSizes {
  static constexpr int rows = sizeof(T) == 16 ? 96 : 192;
  static constexpr int terms = sizeof(T) == 4 ? 384 : sizeof(T) == 16 ? 128 : 256;
  static constexpr int cols = 1920;
  static constexpr int most_block_rows = 48, most_block_cols = 8;

  /// Terms of one chain: the sum's are cut in equal parts.
  static int chain(int k) { return quotient_up(k, quotient_up(k, terms)); }
  /// Numbers that a thread packs at most, A's and B's.
  static std::int64_t packed_a(int m, int k) {
    return std::int64_t{std::min(m, rows) + most_block_rows} * std::min(k, terms) * sizeof(T);
  }
  static std::int64_t packed_b(int n, int k) {
    return std::int64_t{std::min(n, cols) + most_block_cols} * std::min(k, terms) * sizeof(T);
  }
};

/// A host's matrix product (the loops of Goto and van de Geijn, ACM TOMS 34(3), 2008; Van Zee and
/// van de Geijn, ACM TOMS 41(3), 2015): each thread computes pieces of C or whole members, by
/// itself.
///
/// Rows of A and columns of B are packed in the order in which they are read. The sum is cut in
/// chains of at most HostProductSizes::terms; the first is added to beta·C, the others to what is
/// there. The cut depends on k alone, and no sum on what else is computed beside it.
///
/// 2mnk flops; A is read from memory n/1920 times for each column of pieces, B once for each row of
/// pieces, C is read and written k/terms times.
template <class ExecSpace, class T>
class HostProductKernel {
  using Real = RealOf<T>;
  using Sizes = HostProductSizes<T>;

 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  /// `packed`: bytes_per_worker() for each of `workers`.
  HostProductKernel(MatrixProduct<T> const& product, int workers, std::byte* packed)
      : product_(product), workers_(workers), packed_(packed) {
    // As many pieces as there are threads, none of them thin.
    int const enough = product.batch < workers ? quotient_up(workers, product.batch) : 1;
    double const work = double(product.m) * product.n * product.k;
    while (piece_rows_ * piece_cols_ < enough && work / (piece_rows_ * piece_cols_) > 32768) {
      double const height = double(product.m) / piece_rows_,
                   width = double(product.n) / piece_cols_;
      if (height < 96 && width < 96) break;
      if (height > width)
        ++piece_rows_;
      else
        ++piece_cols_;
    }
  }

  [[nodiscard]] int workers() const {
    std::int64_t const items = std::int64_t{product_.batch} * piece_rows_ * piece_cols_;
    return static_cast<int>(std::min<std::int64_t>(workers_, items));
  }
  static std::int64_t bytes_per_worker(int m, int n, int k) {
    return (Sizes::packed_a(m, k) + Sizes::packed_b(n, k) + 127) / 128 * 128;
  }

  void operator()(int worker) const { choose_host_vectors(Body{*this, worker}); }

 private:
  struct Body {
    HostProductKernel const& kernel;
    int worker;

    template <int Bytes>
    void run() const {
      kernel.work<Bytes>(worker);
    }
  };

  /// A piece of a member.
  struct Piece {
    StridedMatrix<T const> a, b;
    StridedMatrix<T> c;
    int m, n;
  };

  template <int Bytes>
  void work(int worker) const {
    using Block = HostProductBlock<T, Bytes>;
    int const pieces = piece_rows_ * piece_cols_;
    int const height = quotient_up(quotient_up(product_.m, piece_rows_), Block::rows) * Block::rows;
    int const width = quotient_up(quotient_up(product_.n, piece_cols_), Block::cols) * Block::cols;
    std::byte* const mine = packed_ + worker * bytes_per_worker(product_.m, product_.n, product_.k);
    auto* const packed_a = reinterpret_cast<Real*>(mine);
    auto* const packed_b = reinterpret_cast<Real*>(mine + Sizes::packed_a(product_.m, product_.k));
    int const step = workers();
    std::int64_t const items = std::int64_t{product_.batch} * pieces;
    for (std::int64_t item = worker; item < items; item += step) {
      int const member = static_cast<int>(item / pieces), piece = static_cast<int>(item % pieces);
      int const i = piece % piece_rows_ * height, j = piece / piece_rows_ * width;
      if (i >= product_.m || j >= product_.n) continue;
      StridedMatrix<T const> a = product_.a[member], b = product_.b[member];
      StridedMatrix<T> c = product_.c[member];
      a.data += i * a.row_stride;
      b.data += j * b.col_stride;
      c.data += i * c.row_stride + j * c.col_stride;
      multiply<Bytes>({a, b, c, std::min(height, product_.m - i), std::min(width, product_.n - j)},
                      packed_a, packed_b);
    }
  }

  template <int Bytes>
  void multiply(Piece const& piece, Real* packed_a, Real* packed_b) const {
    int const chain = Sizes::chain(product_.k);
    for (int j = 0; j < piece.n; j += Sizes::cols)
      for (int p = 0; p < product_.k; p += chain) {
        int const cols = std::min(Sizes::cols, piece.n - j);
        int const terms = std::min(chain, product_.k - p);
        by_itself<Bytes>([&] { pack_cols<Bytes>(piece, j, cols, p, terms, packed_b); });
        for (int i = 0; i < piece.m; i += Sizes::rows)
          by_itself<Bytes>([&] {
            int const rows = std::min(Sizes::rows, piece.m - i);
            pack_rows<Bytes>(piece, i, rows, p, terms, packed_a);
            add_blocks<Bytes>(piece, i, rows, j, cols, p == 0, terms, packed_a, packed_b);
          });
      }
  }

  template <int Bytes>
  void pack_rows(Piece const& piece, int i0, int rows, int p, int terms, Real* into) const {
    using Block = HostProductBlock<T, Bytes>;
    constexpr int together = 4;
    int i = 0;
    if constexpr (!is_complex<T>)
      for (; piece.a.row_stride == 1 && i + together * Block::rows <= rows;
           i += together * Block::rows)
        pack_blocks<Block::rows, together>(piece.a, i0 + i, p, terms, into + i * terms);
    for (; i < rows; i += Block::rows)
      detail::pack_rows<Block::rows>(piece.a, i0 + i, rows - i, p, terms, false,
                                     into + i * Block::parts * terms);
  }
  template <int Bytes>
  void pack_cols(Piece const& piece, int j0, int cols, int p, int terms, Real* into) const {
    using Block = HostProductBlock<T, Bytes>;
    for (int j = 0; j < cols; j += Block::cols)
      detail::pack_rows<Block::cols>(piece.b.transposed(), j0 + j, cols - j, p, terms,
                                     product_.conjugate_factor(), into + j * Block::parts * terms);
  }

  template <int Bytes>
  void add_blocks(Piece const& piece, int i0, int rows, int j0, int cols, bool first, int terms,
                  Real const* packed_a, Real const* packed_b) const {
    using Block = HostProductBlock<T, Bytes>;
    T const beta = first ? product_.beta : T(1);
    alignas(64) Real sums[Block::parts * Block::rows * Block::cols];
    for (int j = 0; j < cols; j += Block::cols)
      for (int i = 0; i < rows; i += Block::rows) {
        Block::multiply(packed_a + i * Block::parts * terms, packed_b + j * Block::parts * terms,
                        terms, sums);
        StridedMatrix<T> const c{&piece.c(i0 + i, j0 + j), piece.c.row_stride, piece.c.col_stride};
        store<Bytes>(c, std::min(Block::rows, rows - i), std::min(Block::cols, cols - j), beta,
                     sums);
      }
  }

  /// c := alpha·sums + beta·c for the first rows and columns of a block.
  template <int Bytes>
  void store(StridedMatrix<T> const& c, int rows, int cols, T const& beta, Real* sums) const {
    using Block = HostProductBlock<T, Bytes>;
    if constexpr (is_complex<T>) {
      auto with_beta = product_;
      with_beta.beta = beta;
      for (int j = 0; j < cols; ++j)
        for (int i = 0; i < rows; ++i)
          with_beta.store(c, i, j,
                          {sums[j * Block::rows + i], sums[(Block::cols + j) * Block::rows + i]});
    } else {
      using V = typename Block::V;
      // In registers as in the block, wherever C lies: the same roundings.
      bool const direct = c.row_stride == 1 && rows == Block::rows;
      alignas(64) Real column[Block::rows];
      for (int j = 0; j < cols; ++j) {
        Real* const to = direct ? &c(0, j) : column;
        if (!direct && beta != T(0))
          for (int i = 0; i < Block::rows; ++i) column[i] = i < rows ? c(i, j) : T(0);
        for (int v = 0; v < Block::vectors; ++v) {
          typename V::Type x = V::at(sums + j * Block::rows + v * V::width) * product_.alpha;
          if (beta != T(0)) {
            typename V::Type const before = V::loose(to + v * V::width);
            HostInstructions<Bytes>::add(x, before, beta - typename V::Type{});
          }
          V::loose(to + v * V::width) = x;
        }
        if (!direct)
          for (int i = 0; i < rows; ++i) c(i, j) = column[i];
      }
    }
  }

  MatrixProduct<T> product_;
  int workers_, piece_rows_ = 1, piece_cols_ = 1;
  std::byte* packed_;
};

}  // namespace carroll::detail
