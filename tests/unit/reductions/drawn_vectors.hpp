// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/blas/reduction_drivers.hpp"

/// What the tests of reductions run over.
namespace carroll::test {

using ReductionScalars =
    ::testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;

/// Two vectors of a kind.
template <class T>
struct DrawnVectors {
  std::vector<T> x, y;

  DrawnVectors(VectorKind kind, int length, std::uint64_t seed) {
    Random random(seed * 1000003 + static_cast<std::uint64_t>(length));
    auto const drawn =
        VectorsOf<RealOf<T>>(random, kind, length, detail::is_complex<T> ? 2 : 1).draw();
    x = entries_of<T>(drawn.x);
    y = entries_of<T>(drawn.y);
  }
};

/// Vectors of one length as the members of a batch, each of another kind.
template <class T>
struct DrawnBatch {
  std::vector<std::vector<T>> x, y;

  DrawnBatch(int members, int length, std::uint64_t seed) {
    for (int b = 0; b < members; ++b) {
      DrawnVectors<T> const drawn(static_cast<VectorKind>(b % int(vector_kinds.size())), length,
                                  seed + static_cast<std::uint64_t>(b));
      x.push_back(drawn.x);
      y.push_back(drawn.y);
    }
  }
};

template <class V>
void expect_same(ReductionInfo<V> const& found, ReductionInfo<V> const& expected) {
  EXPECT_TRUE(same_bits(found, expected)) << text_of(found) << ", expected " << text_of(expected);
}

}  // namespace carroll::test
