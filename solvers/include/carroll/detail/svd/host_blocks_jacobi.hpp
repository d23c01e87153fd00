// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/host_blocks_tiles.hpp>
#include <carroll/detail/svd/householder.hpp>
#include <carroll/detail/svd/pairing.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/rotation.hpp>

/// Two blocks of columns made orthogonal by way of their Gram matrix.
namespace carroll::detail::blocks {

/// Columns of a block; a pair's Gram matrix and rotations fit a first-level cache together.
inline constexpr int width = 16;

/// Two blocks at work, on one thread. Column i < count of Y = [X_p X_q], which stands for
/// y·2^exponent; G = YᵀY, and T, the rotations, are those of the columns as they are stored.
template <class Real>
class BlockPair {
 public:
  /// J, if it is not null, takes the rotations too.
  BlockPair(Columns<Real> const& X, int* exponents, Columns<Real> const& J, int p, int q)
      : rows_(X.rows),
        first_count_(std::min(width, X.rows - p)),
        rotation_rows_(J.data ? J.rows : 0) {
    int const second = q < X.rows ? std::min(width, X.rows - q) : 0;
    count_ = first_count_ + second;
    for (int i = 0; i < 2 * width; ++i) {
      int const c = i < first_count_ ? p + i : q + i - first_count_;
      columns_[i] = i < count_ ? X.col(c) : columns_[0];
      rotations_[i] = J.data && i < count_ ? J.col(c) : nullptr;
      exponents_[i] = i < count_ ? exponents + c : exponents;
    }
  }

  /// One pass of rotations over the pairs between the blocks, with `inner` also within each. False
  /// if a column vanishes or two are parallel to working accuracy: nothing is changed then.
  bool orthogonalise(PairRule<Real> const& rule, bool inner, SweepTally<Real>& tally) {
    gram();
    if (!normalise()) return false;
    int const before = tally.rotations;
    for (int i = 0; i < count_; ++i)
      for (int j = 0; j < count_; ++j) T(j, i) = i == j ? Real(1) : Real(0);
    for (int p = 0; p < count_; ++p) norms_[p] = G(p, p);
    for (int p = 0; p + 1 < count_; ++p)
      for (int q = inner ? p + 1 : std::max(p + 1, first_count_); q < count_; ++q) {
        if (!inner && p >= first_count_) break;
        if (!rotate_pair(rule, p, q, tally)) return false;
      }
    if (tally.rotations == before) return true;
    multiply(columns_, rows_);
    if (rotation_rows_ == 0) return true;
    for (int j = 0; j < count_; ++j)
      for (int i = 0; i < count_; ++i) T(i, j) = scale(T(i, j), *exponents_[j] - *exponents_[i]);
    multiply(rotations_, rotation_rows_);
    return true;
  }

 private:
  static constexpr int ld = 2 * width;
  Real& G(int i, int j) { return gram_[i + j * ld]; }
  Real& T(int i, int j) { return turn_[i + j * ld]; }

  /// n·count² flops for the upper half, in tiles of four by four.
  void gram() {
    constexpr int tile = 4;
    for (int j = 0; j < count_; j += tile)
      for (int i = 0; i <= j; i += tile) {
        Real const* const x[tile] = {columns_[i], columns_[i + 1], columns_[i + 2],
                                     columns_[i + 3]};
        Real const* const y[tile] = {columns_[j], columns_[j + 1], columns_[j + 2],
                                     columns_[j + 3]};
        Real dots[tile][tile];
        dot_tile(x, y, rows_, dots);
        for (int a = 0; a < tile; ++a)
          for (int b = 0; b < tile; ++b) G(i + a, j + b) = G(j + b, i + a) = dots[a][b];
      }
  }

  /// Takes powers of two out of columns whose squared norm has left [2^-16, 2^16].
  bool normalise() {
    for (int j = 0; j < count_; ++j) {
      Real const square = G(j, j);
      if (!(square > power_of_two<Real>(negligible_exponent<Real>))) return false;
      int const e = exponent_of(square) / 2;
      if (e >= -8 && e <= 8) continue;
      Real const down = power_of_two<Real>(-e);
      for (int i = 0; i < rows_; ++i) columns_[j][i] *= down;
      *exponents_[j] += e;
      for (int i = 0; i < count_; ++i) {
        G(i, j) *= down;
        G(j, i) *= down;
      }
    }
    return true;
  }

  /// The rotation of columns p and q, as `simd::find_rotation` finds it, on G and T.
  bool rotate_pair(PairRule<Real> const& rule, int p, int q, SweepTally<Real>& tally) {
    Real const x_square = G(p, p), y_square = G(q, q), product = G(p, q);
    // What is left of a column that lost most of its length is rounding errors of G.
    constexpr Real lost = Real(1) / 4096;
    if (!(x_square > lost * norms_[p]) || !(y_square > lost * norms_[q])) return true;
    Real const square_cosine = product * product / (x_square * y_square);
    Real const cosine = Kokkos::sqrt(square_cosine);
    tally.max_cosine = Kokkos::max(tally.max_cosine, cosine);
    if (!(cosine > rule.rotate_above)) return true;
    if (1 - cosine < 8 * Kokkos::Experimental::epsilon_v<Real>) return false;
    ++tally.rotations;
    constexpr int far = std::numeric_limits<Real>::max_exponent / 3;
    int const apart = std::clamp(*exponents_[q] - *exponents_[p], -far, far);
    bool const x_longer =
        y_square * power_of_two<Real>(apart) * power_of_two<Real>(apart) <= x_square;
    Real const up = power_of_two<Real>(x_longer ? apart : -apart);
    Real const a = x_longer ? x_square : y_square;
    Real const b = x_longer ? y_square : x_square;
    Real const d = product * up;
    Real const k = (a - b * up * up) / 2;
    Real const inverse = 1 / Kokkos::max(k + Kokkos::sqrt(k * k + d * d), Kokkos::abs(d));
    Real const t = d * inverse;
    Real const t_over_up = product * inverse;
    Real const r = Kokkos::sqrt(1 + t * t);
    Real const to_x = x_longer ? t * up : -t_over_up;
    Real const to_y = x_longer ? t_over_up : -(t * up);
    Real const half = to_x / (1 + r), sine = to_y / r;
    shear(&G(0, p), &G(0, q), half, sine);
    shear(&T(0, p), &T(0, q), half, sine);
    Real const longer = a + t * d, shorter = b - t_over_up * product;
    G(p, p) = x_longer ? longer : shorter;
    G(q, q) = x_longer ? shorter : longer;
    G(p, q) = G(q, p) = 0;
    for (int i = 0; i < count_; ++i) {
      G(p, i) = G(i, p);
      G(q, i) = G(i, q);
    }
    return true;
  }

  void shear(Real* x, Real* y, Real half, Real sine) const {
    Vector<Real> const h = half - Vector<Real>{}, s = -sine - Vector<Real>{};
    for (int i = 0; i < ld; i += length<Real>) {
      Vector<Real> const b0 = load(y + i);
      Vector<Real> const a = accumulate(load(x + i), h, b0);
      Vector<Real> const b = accumulate(b0, s, a);
      store<Real>(x + i, accumulate(a, h, b));
      store<Real>(y + i, b);
    }
  }

  /// Y := Y·T of the given columns. 2·rows·count² flops.
  void multiply(Real* const* columns, int rows) {
    constexpr int tall = tile_rows<Real>;
    constexpr int tile = 8;
    alignas(64) Real in[tall * 2 * width];
    alignas(64) Real rest[tile][tall];
    for (int row = 0; row < rows; row += tall) {
      int const valid = std::min(tall, rows - row);
      for (int k = 0; k < count_; ++k) {
        Real const* const x = columns[k] + row;
        Real* const to = in + k * tall;
        if (valid == tall) {
          store<Real>(to, load(x));
          store<Real>(to + length<Real>, load(x + length<Real>));
        } else {
          for (int i = 0; i < tall; ++i) to[i] = i < valid ? x[i] : Real(0);
        }
      }
      for (int j = 0; j < count_; j += tile) {
        Real* out[tile];
        for (int c = 0; c < tile; ++c)
          out[c] = valid == tall && j + c < count_ ? columns[j + c] + row : rest[c];
        multiply_tile(in, count_, turn_ + j * ld, ld, out);
        for (int c = 0; c < tile && valid < tall && j + c < count_; ++c)
          std::copy(rest[c], rest[c] + valid, columns[j + c] + row);
      }
    }
  }

  int rows_, first_count_, rotation_rows_, count_;
  Real* columns_[2 * width];
  Real* rotations_[2 * width];
  int* exponents_[2 * width];
  Real norms_[2 * width];
  alignas(64) Real gram_[ld * ld];
  alignas(64) Real turn_[ld * ld] = {};
};

}  // namespace carroll::detail::blocks
