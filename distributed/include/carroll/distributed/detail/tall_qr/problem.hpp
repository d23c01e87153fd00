// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/distributed/detail/tall_qr/tree.hpp>
#include <cstddef>
#include <cstdint>

/// What the kernels of a tall QR see on one rank.
namespace carroll::distributed::detail {

using carroll::detail::Columns;
using carroll::detail::StridedMatrix;

/// The exponent of a column of zeros: below all others.
inline constexpr int no_exponent = -(1 << 20);

/// Columns whose largest entry is within 2^±this are worked on as they are; squares of others could
/// over- or underflow, and they are multiplied by a power of two.
template <class Real>
inline constexpr int calm_exponent = sizeof(Real) == 4 ? 16 : 200;

/// The power of two to take out of a column with that largest |entry|, which may be infinite or not
/// a number.
template <class Real>
KOKKOS_INLINE_FUNCTION int column_exponent(Real largest) {
  if (!(largest > Real(0)) || !(largest < Kokkos::Experimental::infinity_v<Real>))
    return no_exponent;
  int const e = carroll::detail::exponent_of(largest);
  return -calm_exponent<Real> <= e && e <= calm_exponent<Real> ? 0 : e;
}

/// Upper triangles of order n, one for each of some subtrees: column j of a triangle is to be
/// multiplied by 2^exponents(j). On the way up a triangle is R; of a node that has been joined the
/// right half's is the reflectors' lower parts, their upper parts being the identity, with a tau
/// for each; on the way down it is a square matrix: the top rows of what Q is multiplied by.
template <class Real>
struct Triangles {
  Real* data = nullptr;
  int* exponent_data = nullptr;
  Real* tau_data = nullptr;
  int cols = 0, pitch = 0;

  /// Entries from one column to the next, zero below the diagonal: whole groups of 128 bytes.
  static constexpr int pitch_of(int cols) {
    constexpr int group = 128 / int{sizeof(Real)};
    return (cols + group - 1) / group * group;
  }
  KOKKOS_FUNCTION std::int64_t size() const { return std::int64_t{cols} * pitch; }
  KOKKOS_FUNCTION Columns<Real> operator()(std::int64_t k) const {
    return {data + k * size(), pitch};
  }
  /// Of the columns, and one more: is there an entry that is not finite?
  KOKKOS_FUNCTION int* exponents(std::int64_t k) const { return exponent_data + k * (cols + 1); }
  KOKKOS_FUNCTION int& non_finite(std::int64_t k) const { return exponents(k)[cols]; }
  KOKKOS_FUNCTION Real* taus(std::int64_t k) const { return tau_data + k * cols; }
};

/// What a call has found besides numbers.
struct TallOutcome {
  int non_finite = 0;
  int largest = no_exponent;  ///< exponent of the triangle's largest entry, if it is decomposed
  int overflow = 0;           ///< a result is beyond the range

  /// R·2^-exponent is decomposed: 0 unless squares or sums could leave the range.
  template <class Real>
  KOKKOS_FUNCTION int exponent() const {
    constexpr int far = carroll::detail::exponent_bias<Real> / 2;
    return largest != no_exponent && (largest > far || largest < -far) ? largest : 0;
  }
};

template <class Real>
struct TallProblem {
  int cols;
  int block;                  ///< rows of one
  int rows;                   ///< this rank's
  std::int64_t first, last;   ///< this rank's blocks
  std::int64_t blocks;        ///< all ranks'
  Triangles<Real> triangles;  ///< of this rank's blocks
  Triangles<Real> top;        ///< of the subtrees of all ranks
  TopNode const* nodes;       ///< above them
  int node_count;
  std::int64_t const* subtrees;  ///< first blocks of this rank's
  int subtree_count, subtrees_before;
  Triangles<Real> sent;  ///< this rank's subtrees, as they go to the others
  Real* factors;         ///< T of each block's panels; null if Q is not wanted
  Real* room;            ///< for each worker
  std::int64_t room_size;
  int workers;
  Real* R;     ///< cols × cols without gaps
  Real* core;  ///< what Q is multiplied by: the same
  TallOutcome* outcome;

  StridedMatrix<Real const> a;
  StridedMatrix<Real> q;

  KOKKOS_FUNCTION std::int64_t count() const { return last - first; }
  /// Rows of block b that there are, and the first of them here.
  KOKKOS_FUNCTION int first_row(std::int64_t b) const {
    return static_cast<int>((b - first) * block);
  }
  KOKKOS_FUNCTION int rows_of(std::int64_t b) const {
    return Kokkos::min(block, rows - first_row(b));
  }
  template <class T>
  KOKKOS_FUNCTION StridedMatrix<T> rows_from(StridedMatrix<T> const& x, std::int64_t b) const {
    return {x.data + first_row(b) * x.row_stride, x.row_stride, x.col_stride};
  }
};

}  // namespace carroll::distributed::detail
