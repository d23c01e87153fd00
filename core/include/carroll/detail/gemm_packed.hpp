// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/host_vectors.hpp>
#include <cstddef>

/// The innermost part of a matrix product on a host: a block of sums in vector registers.
namespace carroll::detail {

/// Rows and columns of the block. With two loads and two multiply-adds per cycle, rows·vectors of
/// at least 10 hide the latency of a multiply-add, and more than the number of registers (32 of 64
/// bytes, else 16) would be spilt.
template <class Real, int Bytes>
struct PackedBlock {
  static constexpr int rows = Bytes == 64 ? 8 : 4;
  static constexpr int vectors = Bytes == 16 ? 2 : 3;
  static constexpr int cols = vectors * HostVector<Real, Bytes>::width;
};

/// Terms that are added up before they are added to the sum: rounding errors are relative to what
/// has been added so far.
inline constexpr int packed_terms = 8;

/// sum(i, j) := Σ_{k<terms} a[i·lda − k]·b[k·ldb + j], an array of `Rows` rows of `Vectors`
/// vectors. `b` and `sum` are aligned to vectors. The order of the additions depends on `terms`
/// alone. 2·terms·Rows/`Vectors` multiply-adds per entry of b.
template <class Real, int Bytes, int Rows, int Vectors>
inline void packed_product(Real const* a, std::ptrdiff_t lda, Real const* b, std::ptrdiff_t ldb,
                           int terms, Real* sum) {
  using V = HostVector<Real, Bytes>;
  using Vector = typename V::Type;
  constexpr int cols = Vectors * V::width;
  for (int begin = 0; begin == 0 || begin < terms; begin += packed_terms) {
    int const end = terms < begin + packed_terms ? terms : begin + packed_terms;
    Vector held[Rows][Vectors] = {};
    for (int k = begin; k < end; ++k) {
      Vector entries[Vectors];
      for (int v = 0; v < Vectors; ++v) entries[v] = V::at(b + k * ldb + v * V::width);
      for (int i = 0; i < Rows; ++i) {
        Vector const factor = a[i * lda - k] - Vector{};
        for (int v = 0; v < Vectors; ++v) held[i][v] += factor * entries[v];
      }
    }
    for (int i = 0; i < Rows; ++i)
      for (int v = 0; v < Vectors; ++v) {
        Vector& into = V::at(sum + i * cols + v * V::width);
        into = begin == 0 ? held[i][v] : into + held[i][v];
      }
  }
}

}  // namespace carroll::detail
