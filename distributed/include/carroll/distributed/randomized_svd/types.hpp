// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/status.hpp>
#include <cstdint>

namespace carroll::distributed {

struct RandomizedSvdOptions {
  /// Columns that the random subspace has beyond the wanted rank; 0 means half of the rank, at
  /// least 8.
  int oversampling = 0;
  /// Multiplications of the subspace by A·Aᵀ. More help where singular values fall slowly.
  int power_steps = 3;
  /// The same seed gives the same bits.
  std::uint64_t seed = 0;
  /// Largest RandomizedSvdInfo::residual that counts as success; 0 means √eps. Must be in [0, 1).
  double tolerance = 0;
};

/// What happened, and how good the result is, measured on it: the same on all ranks.
template <class Real>
struct RandomizedSvdInfo {
  /// not_converged: the residual is larger than the tolerance; the outputs are the best so far.
  Status status = Status::success;
  int power_steps = 0;
  /// Largest ‖A·vⱼ − σⱼ·uⱼ‖₂ of the triplets, relative to σ₁.
  Real residual = 0;
  /// ‖A − U·diag(S)·Vᵀ‖ relative to ‖A‖ in Frobenius norms, or what rounding leaves of it, √eps:
  /// A − U·Uᵀ·A has A's squares without those of S.
  Real error = 0;
};

/// A rank's rows of a sparse matrix: entry e of row i, offsets(i) <= e < offsets(i + 1), is
/// values(e) in column columns(e). offsets(0) = 0; columns of a row may come in any order and more
/// than once, then they add up. Views of rank 1 without gaps: integers, integers, float or double.
template <class OffsetsView, class ColumnsView, class ValuesView>
struct CsrRows {
  OffsetsView offsets;
  ColumnsView columns;
  ValuesView values;
  std::int64_t cols = 0;  ///< of the whole matrix
};
template <class OffsetsView, class ColumnsView, class ValuesView>
CsrRows(OffsetsView, ColumnsView, ValuesView, std::int64_t)
    -> CsrRows<OffsetsView, ColumnsView, ValuesView>;

}  // namespace carroll::distributed
