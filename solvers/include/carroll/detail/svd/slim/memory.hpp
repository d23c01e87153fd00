// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/warp/group.hpp>
#include <carroll/detail/svd/warp/load_store.hpp>
#include <cstdint>

/// What the kernels of small matrices that are longer than wide hand on to one another.
namespace carroll::detail {

/// A matrix's place in the workspace, A = Q·R·2^exponent. In double precision whatever A is in.
template <class Real>
class SlimMemory {
 public:
  KOKKOS_FUNCTION explicit SlimMemory(SvdProblem<Real> const& problem)
      : rows_(problem.rows),
        cols_(problem.cols),
        data_(reinterpret_cast<double*>(problem.reals)),
        exponent_(problem.ints) {}

  KOKKOS_FUNCTION static constexpr std::int64_t reals(std::int64_t rows, std::int64_t cols) {
    return (rows * cols + cols + 2 * cols * cols) * std::int64_t{sizeof(double) / sizeof(Real)};
  }

  /// Those of Q, column by column: H = I - inverse·v·vᵀ, an inverse of 0 for no reflection.
  KOKKOS_FUNCTION StridedMatrix<double> reflectors() const { return {data_, 1, rows_}; }
  KOKKOS_FUNCTION double* inverses() const {
    return data_ + static_cast<std::ptrdiff_t>(rows_) * cols_;
  }
  /// R, with zeros below its diagonal.
  KOKKOS_FUNCTION StridedMatrix<double> triangle() const { return {inverses() + cols_, 1, cols_}; }
  /// R's left singular vectors.
  KOKKOS_FUNCTION StridedMatrix<double> left() const {
    return {triangle().data + static_cast<std::ptrdiff_t>(cols_) * cols_, 1, cols_};
  }
  KOKKOS_FUNCTION int& exponent() const { return *exponent_; }

 private:
  int rows_, cols_;
  double* data_;
  int* exponent_;
};

/// What WarpSolver works on: R.
template <class Real>
struct SlimTriangle {
  static constexpr bool is_triangle = true;

  KOKKOS_FUNCTION static WarpMatrix<double> of(SvdProblem<Real> const& problem) {
    if (problem.cols == 0) return {};  // there is none
    SlimMemory<Real> const memory(problem);
    auto const R = memory.triangle();
    return {.rows = problem.cols,
            .cols = problem.cols,
            .a = {R.data, R.row_stride, R.col_stride},
            .left = memory.left(),
            .left_cols = problem.left_cols > 0 ? problem.cols : 0,
            .exponent = memory.exponent()};
  }

  /// Of a factorisation in double words: those of A·P, in place of Q's and of those in F, by which
  /// R's left singular vectors will not be multiplied any more.
  template <class Group>
  KOKKOS_FUNCTION static void take_reflectors(Group const& group, SvdProblem<double> const& problem,
                                              WarpTile<typename Group::Shape> const& F) {
    SlimMemory<double> const memory(problem);
    auto const D = problem.double_word_factor();
    for (int k = group.warp.lane - group.first; k < problem.cols; k += Group::Shape::width) {
      if (problem.left_cols > 0) {
        for (int i = 0; i < problem.rows; ++i)
          memory.reflectors()(i, k) = i < k ? 0.0 : D(i, k).high;
        memory.inverses()[k] = F.tau(k);
      }
      F.tau(k) = 0;
    }
  }
};

}  // namespace carroll::detail
