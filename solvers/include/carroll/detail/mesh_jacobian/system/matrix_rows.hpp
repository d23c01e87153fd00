// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// The matrix H of a problem, in slices of 32 rows; see MeshPattern.
template <class Real>
class MatrixRows {
 public:
  KOKKOS_FUNCTION MatrixRows(MeshBatch<Real> const& batch, int problem)
      : slices_(batch.slice_offsets(problem)),
        columns_(batch.pattern.columns),
        values_(batch.matrix_of(problem)),
        diagonal_(batch.diagonal_of(problem)) {}

  /// y = Hx in rows begin <= v < begin + count, whole slices, by the lanes of a thread.
  template <class Member>
  KOKKOS_FUNCTION void multiply([[maybe_unused]] Member const& team, int begin, int count,
                                double const* x, double* y) const {
    KOKKOS_IF_ON_DEVICE((lane_for(team, count, [&](int i) {
                           int const v = begin + i;
                           int const slice = v / slice_rows;
                           double sum = diagonal_[v] * x[v];
                           for (int e = slices_[slice] + v % slice_rows; e < slices_[slice + 1];
                                e += slice_rows)
                             sum += values_[e] * x[columns_[e]];
                           y[v] = sum;
                         });))
    KOKKOS_IF_ON_HOST((for (int v = begin; v < begin + count; v += slice_rows)
                           multiply_slice(v / slice_rows, x, y + v);))
  }

 private:
  /// On a host entry by entry of the slice's rows, so that loads of H are side by side.
  KOKKOS_FUNCTION void multiply_slice(int slice, double const* x, double* y) const {
    double sum[slice_rows];
    int const first = slice * slice_rows;
    for (int lane = 0; lane < slice_rows; ++lane)
      sum[lane] = diagonal_[first + lane] * x[first + lane];
    for (int e = slices_[slice]; e < slices_[slice + 1]; e += slice_rows)
      for (int lane = 0; lane < slice_rows; ++lane)
        sum[lane] += values_[e + lane] * x[columns_[e + lane]];
    for (int lane = 0; lane < slice_rows; ++lane) y[lane] = sum[lane];
  }

  int const* slices_;
  int const* columns_;
  double const* values_;
  double const* diagonal_;
};

}  // namespace carroll::detail
