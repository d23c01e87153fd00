// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/truncated_svd/types.hpp>
#include <cstdint>

namespace carroll::detail {

/// Random vectors that the error bound is measured with: it fails with a probability of 10^-count.
inline constexpr int test_vectors = 10;

/// What kernels of one call tell later ones.
template <class Real>
struct TruncatedState {
  BitsOf<Real> largest;  ///< bits of A's largest |entry|; those of NaN and Inf exceed all others
  int settled;           ///< the block in work is as orthonormal as it has to be

  KOKKOS_FUNCTION bool finite() const {
    constexpr Real infinity = Kokkos::Experimental::infinity_v<Real>;
    return largest < Kokkos::bit_cast<BitsOf<Real>>(infinity);
  }
  /// A is worked on as A·2^-exponent, with its largest entry in [1/2, 1).
  KOKKOS_FUNCTION int exponent() const {
    Real const x = Kokkos::bit_cast<Real>(largest);
    return finite() && x > Real(0) ? exponent_of(x) : 0;
  }
};

/// The info, and what the host needs to plan more power steps.
template <class Real>
struct TruncatedOutcome {
  TruncatedSvdInfo<Real> info;
  Real contraction;  ///< of the last wanted triplet's residual by half a power step, estimated
};

/// One problem, oriented so that rows >= cols, with its workspace. The columns of all blocks lie
/// one behind the other without gaps.
template <class Real>
struct TruncatedProblem {
  int rows, cols;
  int rank;   ///< wanted triplets
  int width;  ///< columns of the subspace, at least `rank`; on the full path `cols`
  TruncatedSvdPath path;
  std::uint64_t seed;
  Real tolerance;

  StridedMatrix<Real const> a;
  StridedMatrix<Real> left, right;  ///< singular vectors of length rows and cols
  StridedVector<Real> s;
  TruncatedSvdInfo<Real>* info;

  TruncatedState<Real>* state;
  TruncatedOutcome<Real>* outcome;
  StridedMatrix<Real>
      scaled;             ///< A·2^-exponent, stored in the direction of A; 0 if A is not finite
  Real* long_blocks[2];   ///< rows × width
  Real* short_blocks[3];  ///< cols × width
  Real* gram;             ///< width × width, and so the next four
  Real* elimination;
  Real* core;
  Real* core_left;
  Real* core_right;
  Real* sigma;           ///< width singular values of the scaled A
  Real* residuals;       ///< rank
  Real* long_tests;      ///< rows × test_vectors
  Real* short_tests;     ///< cols × test_vectors
  Real* inner_tests;     ///< rank × test_vectors
  Real* log_test_norms;  ///< test_vectors
  Real* partial;         ///< for products
  int* fresh;            ///< width: columns that are random again

  StridedMatrix<Real> tall(Real* block) const { return {block, 1, rows}; }
  StridedMatrix<Real> wide(Real* block) const { return {block, 1, cols}; }
  StridedMatrix<Real> square(Real* block) const { return {block, 1, width}; }
};

template <class Real>
StridedMatrix<Real const> read_only(StridedMatrix<Real> const& x) {
  return {x.data, x.row_stride, x.col_stride};
}

}  // namespace carroll::detail
