// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/simd/instructions.hpp>
#include <carroll/detail/simd/spread.hpp>
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
inline constexpr int packed_terms = 16;

/// Where the entries of the first factor are: `row` from one row to the next, `term` from one term
/// to the next.
struct PackedSteps {
  std::ptrdiff_t row, term;
};

/// finish(i, v, s) for `Rows` rows of `Vectors` vectors s of sums Σ_{k<terms} a(i, k)·b[k·ldb + j],
/// with a(i, k) at a[i·steps.row + k·steps.term]. `b` is aligned to vectors. The order of the
/// additions depends on `terms` alone. There is at least one. 2·terms·Rows/`Vectors` multiply-adds
/// per entry of b.
template <class Real, int Bytes, int Rows, int Vectors, class Finish>
inline void packed_product(Real const* a, PackedSteps const& steps, Real const* b,
                           std::ptrdiff_t ldb, int terms, Finish const& finish) {
  using V = HostVector<Real, Bytes>;
  using Vector = typename V::Type;
  using Fused = HostInstructions<Bytes>;
  constexpr int cols = Vectors * V::width;
  Vector held[Rows][Vectors];
  auto const add_up = [&](int begin, int end) {
    for (int i = 0; i < Rows; ++i)
      for (int v = 0; v < Vectors; ++v)
        held[i][v] = a[i * steps.row + begin * steps.term] * V::at(b + begin * ldb + v * V::width);
    for (int k = begin + 1; k < end; ++k) {
      Vector entries[Vectors];
      for (int v = 0; v < Vectors; ++v) entries[v] = V::at(b + k * ldb + v * V::width);
      for (int i = 0; i < Rows; ++i) {
        Vector factor;
        Spread<Bytes>::run(factor, a + i * steps.row + k * steps.term);
        for (int v = 0; v < Vectors; ++v) Fused::add(held[i][v], factor, entries[v]);
      }
    }
  };
  alignas(Bytes) Real sums[Rows * cols];
  auto const sum = [&](int i, int v) -> Vector& { return V::at(sums + i * cols + v * V::width); };
  // One copy of the innermost loop: of several, compilers keep the sums of one in memory.
  for (int begin = 0;; begin += packed_terms) {
    bool const last = terms - begin <= packed_terms;
    add_up(begin, last ? terms : begin + packed_terms);
    if (begin > 0)
      for (int i = 0; i < Rows; ++i)
        for (int v = 0; v < Vectors; ++v) held[i][v] += sum(i, v);
    if (last) break;
    for (int i = 0; i < Rows; ++i)
      for (int v = 0; v < Vectors; ++v) sum(i, v) = held[i][v];
  }
  for (int i = 0; i < Rows; ++i)
    for (int v = 0; v < Vectors; ++v) finish(i, v, held[i][v]);
}

}  // namespace carroll::detail
