// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <carroll/mesh_jacobian/types.hpp>
#include <string>

namespace carroll::detail {

/// The row functor of a Jacobian that is in memory, with zeros behind its motion columns.
template <class Real, int K>
struct StoredMeshRows {
  StridedBatch<Real const> motion;   ///< frames, n, k
  StridedBatch<Real const> depth;    ///< frames, n, 3
  StridedBatch<Real const> rhs;      ///< frames, n
  StridedBatch<Real const> weights;  ///< frames, n; may be absent

  struct OfFrame {
    StoredMeshRows const* all;
    int frame;

    KOKKOS_FUNCTION MeshRow<Real, K> operator()(int i) const {
      MeshRow<Real, K> row;
      for (int j = 0; j < K; ++j)
        row.motion[j] = j < all->motion.extents[2] ? at(all->motion, i, j) : Real(0);
      for (int c = 0; c < 3; ++c) row.depth[c] = at(all->depth, i, c);
      row.residual = at(all->rhs, i, 0);
      row.weight = all->weights.data ? at(all->weights, i, 0) : Real(1);
      row.loss = row.weight * row.residual * row.residual;
      return row;
    }
    KOKKOS_FUNCTION Real at(StridedBatch<Real const> const& from, int i, int j) const {
      return from.data[frame * from.strides[0] + i * from.strides[1] + j * from.strides[2]];
    }
  };

  KOKKOS_FUNCTION OfFrame operator()(int frame, int) const { return {this, frame}; }
};

/// Motion columns of a frame up to which rows in memory have a kernel.
inline constexpr int most_stored_motions = 8;

/// f(StoredMeshRows<Real, K>{…}) for the first K of 1, 3, 6 and 8 that is enough for k columns:
/// kernels take time to compile.
template <class Real, class F>
void with_stored_rows(char const* function, int k, F const& f) {
  require(k <= most_stored_motions, function, [&] {
    return "A.motion has " + std::to_string(k) + " columns, must have from 1 to " +
           std::to_string(most_stored_motions) + "; a row functor may have more";
  });
  if (k == 1)
    f(StoredMeshRows<Real, 1>{});
  else if (k <= 3)
    f(StoredMeshRows<Real, 3>{});
  else if (k <= 6)
    f(StoredMeshRows<Real, 6>{});
  else
    f(StoredMeshRows<Real, most_stored_motions>{});
}

}  // namespace carroll::detail
