// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/unroll.hpp>

/// Numbers side by side in memory, 16 bytes at a time.
namespace carroll::detail {

template <class Real>
inline constexpr int chunk_length = 16 / static_cast<int>(sizeof(Real));

template <class Real>
struct alignas(16) Chunk {
  Real x[chunk_length<Real>];
};

template <int N, class Real>
KOKKOS_INLINE_FUNCTION void read_chunks(Real const* from, Real* x) {
  CARROLL_UNROLL
  for (int k = 0; k < N; k += chunk_length<Real>) {
    Chunk<Real> const got = *reinterpret_cast<Chunk<Real> const*>(from + k);
    CARROLL_UNROLL
    for (int l = 0; l < chunk_length<Real>; ++l) x[k + l] = got.x[l];
  }
}

template <int N, class Real>
KOKKOS_INLINE_FUNCTION void write_chunks(Real const* x, Real* to) {
  CARROLL_UNROLL
  for (int k = 0; k < N; k += chunk_length<Real>) {
    Chunk<Real> put;
    CARROLL_UNROLL
    for (int l = 0; l < chunk_length<Real>; ++l) put.x[l] = x[k + l];
    *reinterpret_cast<Chunk<Real>*>(to + k) = put;
  }
}

}  // namespace carroll::detail
