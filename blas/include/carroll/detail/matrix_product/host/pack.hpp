// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/strided.hpp>
#include <cstddef>
#include <cstring>

namespace carroll::detail {

/// `Block` rows of x, of which `exist` do, term by term, one behind the other; the others are 0. Of
/// complex numbers a term's real parts, then its imaginary parts, negated if it is `conjugate`.
template <int Block, class T>
void pack_rows(StridedMatrix<T const> const& x, int i0, int exist, int p0, int terms,
               bool conjugate, RealOf<T>* into) {
  constexpr int parts = is_complex<T> ? 2 : 1;
  auto const put = [&](int u, RealOf<T>* at, T const& entry) {
    if constexpr (is_complex<T>) {
      at[u] = entry.real();
      at[Block + u] = conjugate ? -entry.imag() : entry.imag();
    } else {
      at[u] = entry;
    }
  };
  T const* const from = x.data + i0 * x.row_stride + p0 * x.col_stride;
  if (exist >= Block && x.row_stride == 1) {
    for (int p = 0; p < terms; ++p)
      for (int u = 0; u < Block; ++u) put(u, into + p * parts * Block, from[p * x.col_stride + u]);
  } else if (exist >= Block && x.col_stride == 1) {
    for (int p = 0; p < terms; ++p)
      for (int u = 0; u < Block; ++u) put(u, into + p * parts * Block, from[u * x.row_stride + p]);
  } else {
    for (int p = 0; p < terms; ++p)
      for (int u = 0; u < Block; ++u)
        put(u, into + p * parts * Block,
            u < exist ? from[u * x.row_stride + p * x.col_stride] : T(0));
  }
}

/// The same for several blocks at once of rows that lie side by side, so that memory is read by
/// more than a line of the cache at a time.
template <int Block, int Together, class T>
void pack_blocks(StridedMatrix<T const> const& x, int i0, int p0, int terms, T* into) {
  T const* from = x.data + i0 + p0 * x.col_stride;
  for (int p = 0; p < terms; ++p, from += x.col_stride, into += Block)
    for (int block = 0; block < Together; ++block)
      std::memcpy(into + block * Block * terms, from + block * Block, Block * sizeof(T));
}

}  // namespace carroll::detail
