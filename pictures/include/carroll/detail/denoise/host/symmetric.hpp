// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/simd/pack.hpp>
#include <cstdint>

/// A symmetric matrix of a stack's patches in a host's memory.
namespace carroll::detail {

/// Where row i of a lower triangle begins whose rows lie one after the other, and how long it is.
inline std::int64_t triangle(int rows) {
  return std::int64_t{rows} * (rows + 1) / 2;
}

/// The lower triangle of A := Yᵀ·Y for `members` rows Y of `pitch` numbers, a multiple of a pack's
/// width; rows of A are as long. In tiles of four rows of A and two packs.
template <int Bytes>
void host_gram(float const* Y, int members, int order, int pitch, float* A) {
  using P = Pack<float, Bytes>;
  constexpr int rows = 4, width = P::width;
  for (int i = 0; i < order; i += rows)
    for (int j = 0; j < i + rows && j < pitch; j += 2 * width) {
      bool const two = j + width < i + rows && j + width < pitch;
      P sum[rows][2];
      for (auto& row : sum) row[0] = row[1] = P(0.0F);
      for (int m = 0; m < members; ++m) {
        float const* const y = Y + m * pitch;
        P const right[2] = {P::load(y + j), P::load(y + (two ? j + width : j))};
        for (int r = 0; r < rows; ++r) {
          P const left(y[i + r]);
          sum[r][0].add_product(left, right[0]);
          if (two) sum[r][1].add_product(left, right[1]);
        }
      }
      for (int r = 0; r < rows; ++r) {
        store(A + (i + r) * pitch + j, sum[r][0]);
        if (two) store(A + (i + r) * pitch + j + width, sum[r][1]);
      }
    }
}

/// z := Q·z for a pack of vectors, z[i·width + lane], of the reflections that
/// LaneTridiagonalisation left, their triangle row after row.
template <int Bytes>
void host_reflect_back(float const* rows, float const* factor, int order, float* z) {
  using P = Pack<float, Bytes>;
  constexpr int width = P::width, chains = 4;
  for (int i = 1; i < order; ++i) {
    if (factor[i] == 0) continue;
    float const* const v = rows + triangle(i);
    P sum[chains] = {P(0.0F), P(0.0F), P(0.0F), P(0.0F)};
    int j = 0;
    for (; j + chains <= i; j += chains)
      for (int c = 0; c < chains; ++c)
        sum[c].add_product(P(v[j + c]), P::load(z + (j + c) * width));
    for (; j < i; ++j) sum[0].add_product(P(v[j]), P::load(z + j * width));
    P const scaled = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * P(factor[i]);
    for (j = 0; j < i; ++j)
      store(z + j * width, subtract_product(P::load(z + j * width), P(v[j]), scaled));
  }
}

}  // namespace carroll::detail
