// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/simd/sums.hpp>
#include <cmath>

/// A symmetric matrix of a stack's patches in a host's memory, rows of `pitch` numbers, a multiple
/// of a pack's width.
namespace carroll::detail {

/// A := Yᵀ·Y for `members` rows Y of `pitch` numbers. In tiles of four rows of A and two packs.
template <int Bytes>
void host_gram(float const* Y, int members, int order, int pitch, float* A) {
  using P = Pack<float, Bytes>;
  constexpr int rows = 4, width = P::width;
  for (int i = 0; i < order; i += rows)
    for (int j = 0; j < i + rows && j < pitch; j += 2 * width) {
      bool const two = j + width < pitch;
      P sum[rows][2];
      for (auto& row : sum) row[0] = row[1] = P(0.0F);
      for (int m = 0; m < members; ++m) {
        float const* const y = Y + m * pitch;
        P const right[2] = {P::load(y + j), P::load(y + (two ? j + width : j))};
        for (int r = 0; r < rows; ++r) {
          P const left(y[i + r]);
          sum[r][0].add_product(left, right[0]);
          sum[r][1].add_product(left, right[1]);
        }
      }
      for (int r = 0; r < rows; ++r) {
        store(A + (i + r) * pitch + j, sum[r][0]);
        if (two) store(A + (i + r) * pitch + j + width, sum[r][1]);
      }
    }
  for (int i = 0; i < order; ++i)
    for (int j = i + 1; j < order; ++j) A[i * pitch + j] = A[j * pitch + i];
}

/// A = Q·T·Qᵀ with T tridiagonal (Householder 1958), from the last row up: reflection i, 1 ≤ i <
/// order, is 1 − factor[i]·v·vᵀ with v, 0 beyond i, left in row i of A. 4/3·order³ flops.
template <int Bytes>
class HostTridiagonalisation {
  using P = Pack<float, Bytes>;
  static constexpr int width = P::width, most = 4;

 public:
  /// `work`: 2·pitch numbers.
  HostTridiagonalisation(float* A, int order, int pitch, float* work)
      : A_(A), order_(order), pitch_(pitch), product_(work), update_(work + pitch) {}

  /// diagonal[i·stride], coupling[i·stride], factor[i].
  void run(float* diagonal, float* coupling, int stride, float* factor) const {
    for (int i = order_ - 1; i > 0; --i) {
      float* const row = A_ + i * pitch_;
      diagonal[i * stride] = row[i];
      for (int j = i; j < pitch_; ++j) row[j] = 0;
      coupling[(i - 1) * stride] = reflect(row, i, factor[i]);
      if (factor[i] != 0) apply(row, i, factor[i]);
    }
    diagonal[0] = A_[0];
    coupling[(order_ - 1) * stride] = 0;
    factor[0] = 0;
  }

 private:
  static int packed(int n) { return (n + width - 1) / width * width; }

  float dot(float const* x, float const* y, int n) const {
    P sum(0.0F);
    for (int j = 0; j < n; j += width) sum.add_product(P::load(x + j), P::load(y + j));
    return sum_of(sum);
  }

  /// v over x, the first i of a row that is 0 beyond; returns what the reflection leaves at i − 1.
  float reflect(float* x, int i, float& factor) const {
    float const alpha = x[i - 1];
    x[i - 1] = 0;
    float const rest = dot(x, x, packed(i));
    factor = 0;
    if (rest <= 1e-12F * alpha * alpha || rest < 1e-30F) {
      for (int j = 0; j < i; ++j) x[j] = 0;
      return alpha;
    }
    float const norm = std::sqrt(alpha * alpha + rest);
    float const beta = alpha > 0 ? -norm : norm;
    P const scale(1 / (alpha - beta));
    for (int j = 0; j < i; j += width) store(x + j, P::load(x + j) * scale);
    x[i - 1] = 1;
    factor = (beta - alpha) / beta;
    return beta;
  }

  /// The leading i rows := H·A·H: w = f·A·v − f²/2·(vᵀA·v)·v, A −= v·wᵀ + w·vᵀ.
  void apply(float const* v, int i, float factor) const {
    int const n = packed(i);
    multiply(v, i, n);
    for (int j = i; j < n; ++j) product_[j] = 0;  // of columns that are done
    float const half = 0.5F * factor * factor * dot(product_, v, n);
    for (int j = 0; j < n; j += width)
      store(update_ + j,
            subtract_product(P::load(product_ + j) * P(factor), P(half), P::load(v + j)));
    int j = 0;
    for (; j + most * width <= n; j += most * width) update_packs<most>(v, i, j);
    for (; j < n; j += width) update_packs<1>(v, i, j);
  }
  template <int Packs>
  void update_packs(float const* v, int i, int j) const {
    P x[Packs], y[Packs];
    for (int k = 0; k < Packs; ++k) {
      x[k] = -P::load(v + j + k * width);
      y[k] = -P::load(update_ + j + k * width);
    }
    for (int r = 0; r < i; ++r) {
      P const vr(v[r]), wr(update_[r]);
      float* const a = A_ + r * pitch_ + j;
      for (int k = 0; k < Packs; ++k) {
        P sum = P::load(a + k * width);
        sum.add_product(vr, y[k]);
        sum.add_product(wr, x[k]);
        store(a + k * width, sum);
      }
    }
  }

  /// product := A·v of the leading i.
  void multiply(float const* v, int i, int n) const {
    int j = 0;
    for (; j + most * width <= n; j += most * width) multiply_packs<most>(v, i, j);
    for (; j < n; j += width) multiply_packs<1>(v, i, j);
  }
  template <int Packs>
  void multiply_packs(float const* v, int i, int j) const {
    P sum[Packs];
    for (P& s : sum) s = P(0.0F);
    for (int r = 0; r < i; ++r) {
      P const x(v[r]);
      for (int k = 0; k < Packs; ++k)
        sum[k].add_product(x, P::load(A_ + r * pitch_ + j + k * width));
    }
    for (int k = 0; k < Packs; ++k) store(product_ + j + k * width, sum[k]);
  }

  float* A_;
  int order_, pitch_;
  float *product_, *update_;
};

/// z := Q·z for a pack of vectors, z[i·width + lane], of the reflections that
/// HostTridiagonalisation left.
template <int Bytes>
void host_reflect_back(float const* A, float const* factor, int order, int pitch, float* z) {
  using P = Pack<float, Bytes>;
  constexpr int width = P::width;
  for (int i = 1; i < order; ++i) {
    if (factor[i] == 0) continue;
    float const* const v = A + i * pitch;
    P sum[2] = {P(0.0F), P(0.0F)};
    for (int j = 0; j < i; ++j) sum[j % 2].add_product(P(v[j]), P::load(z + j * width));
    P const scaled = (sum[0] + sum[1]) * P(factor[i]);
    for (int j = 0; j < i; ++j)
      store(z + j * width, subtract_product(P::load(z + j * width), P(v[j]), scaled));
  }
}

}  // namespace carroll::detail
