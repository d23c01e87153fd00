// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/layout.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// G as the sum of parts, each given by entry(part, i, j): what a lane of a warp holds of the four
/// blocks of 32 columns.
template <int rows, class Real, class Entry>
KOKKOS_FORCEINLINE_FUNCTION void add_gram_parts(int lane, int warp, int parts, Entry const& entry,
                                                Real (&pp)[rows], Real (&qp)[rows],
                                                Real (&pq)[rows], Real (&qq)[rows]) {
  CARROLL_UNROLL
  for (int r = 0; r < rows; ++r) pp[r] = qp[r] = pq[r] = qq[r] = 0;
  // Several parts are on their way at a time.
  constexpr int batch = sizeof(Real) * rows <= 16 ? 4 : 2;
  CARROLL_NO_UNROLL
  for (int part = 0; part < parts; part += batch) {
    Real got[batch][4][rows];
    CARROLL_UNROLL
    for (int k = 0; k < batch; ++k) CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      int const i = warp * rows + r;
      bool const there = part + k < parts;
      got[k][0][r] = there ? entry(part + k, i, lane) : Real(0);
      got[k][1][r] = there ? entry(part + k, gram_columns + i, lane) : Real(0);
      got[k][2][r] = there ? entry(part + k, i, gram_columns + lane) : Real(0);
      got[k][3][r] = there ? entry(part + k, gram_columns + i, gram_columns + lane) : Real(0);
    }
    CARROLL_UNROLL
    for (int k = 0; k < batch; ++k) CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      pp[r] += got[k][0][r];
      qp[r] += got[k][1][r];
      pq[r] += got[k][2][r];
      qq[r] += got[k][3][r];
    }
  }
}

}  // namespace carroll::detail
