// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/truncated_svd/problem.hpp>

namespace carroll::detail {

/// Products with the matrix that is decomposed, which is all that the randomized path asks of it:
/// whoever has another kind of matrix brings a type with this function.
template <class Real>
struct DenseProduct {
  StridedMatrix<Real const> a;  ///< rows × cols
  int rows, cols;
  Real* partial;

  explicit DenseProduct(TruncatedProblem<Real> const& p)
      : a(read_only(p.scaled)), rows(p.rows), cols(p.cols), partial(p.partial) {}

  /// y := A·x, or Aᵀ·x, for blocks of `width` columns.
  template <class ExecSpace>
  void enqueue(char const* label, ExecSpace const& exec, bool transposed, int width,
               StridedMatrix<Real const> const& x, StridedMatrix<Real> const& y) const {
    enqueue_gemm(label, exec,
                 transposed ? Gemm<Real>{cols, width, rows, 1, a.transposed(), x, 0, y}
                            : Gemm<Real>{rows, width, cols, 1, a, x, 0, y},
                 partial);
  }
};

}  // namespace carroll::detail
