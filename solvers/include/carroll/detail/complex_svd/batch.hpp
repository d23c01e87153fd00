// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/columns.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/svd/types.hpp>
#include <cstddef>
#include <cstdint>

/// What a kernel sees of the complex matrices of a call.
namespace carroll::detail {

/// One matrix B, which has at least as many rows as columns: A, or Aᴴ, of which A's left vectors
/// are the right ones. Column j of what the workspace holds stands for data·2^exponent[j].
template <class Real>
struct ComplexSvdProblem {
  using Value = Kokkos::complex<Real>;

  int rows, cols;  ///< rows >= cols
  bool conjugated;
  StridedMatrix<Value const> a;      ///< A, or Aᵀ
  StridedMatrix<Value> left, right;  ///< singular vectors of B, of length rows and cols
  int left_cols, right_cols;         ///< 0 where not wanted
  bool vectors;                      ///< does the workspace have a place for rotations?
  StridedVector<Real> s;
  SvdInfo<Real>* info;
  Real* reals;

  KOKKOS_FUNCTION Value entry(int i, int j) const {
    Value const x = a(i, j);
    return conjugated ? conjugate(x) : x;
  }

  static constexpr std::int64_t reals_of(std::int64_t rows, std::int64_t cols, bool vectors) {
    return 2 * cols * (rows + (vectors ? 3 : 2) * cols) + 10 * cols + rows;
  }

  /// B, then the first QR's reflectors and R.
  KOKKOS_FUNCTION SplitColumns<Real> factor() const { return {reals, rows}; }
  /// The second QR's reflectors and R.
  KOKKOS_FUNCTION SplitColumns<Real> inner_factor() const { return {square(0), cols}; }
  /// Where Jacobi's columns may be, of which there are `worked`.
  KOKKOS_FUNCTION SplitColumns<Real> working(int worked) const { return {square(1), worked}; }
  KOKKOS_FUNCTION SplitColumns<Real> rotations() const { return {square(2), cols}; }
  KOKKOS_FUNCTION Real* tau() const { return tail(0); }
  KOKKOS_FUNCTION Real* inner_tau() const { return tail(1); }
  /// Norms of columns; in the end those of Jacobi's, the singular values.
  KOKKOS_FUNCTION Real* norms() const { return tail(2); }
  KOKKOS_FUNCTION int* permutation() const { return ints(3); }
  KOKKOS_FUNCTION int* inner_permutation() const { return ints(4); }
  KOKKOS_FUNCTION int* exponents() const { return ints(5); }
  KOKKOS_FUNCTION int* inner_exponents() const { return ints(6); }
  KOKKOS_FUNCTION int* working_exponents() const { return ints(7); }
  /// order()[k] is the column with the k-th largest norm.
  KOKKOS_FUNCTION int* order() const { return ints(8); }
  /// 2·cols entries for the completion of a basis, where exponents of rows have been.
  KOKKOS_FUNCTION Real* dots() const { return tail(9); }
  KOKKOS_FUNCTION int* row_exponents() const { return ints(9); }

 private:
  KOKKOS_FUNCTION Real* square(int k) const {
    std::ptrdiff_t const n = cols;
    return reals + 2 * (rows * n + k * n * n);
  }
  KOKKOS_FUNCTION Real* tail(int k) const {
    return square(vectors ? 3 : 2) + static_cast<std::ptrdiff_t>(k) * cols;
  }
  KOKKOS_FUNCTION int* ints(int k) const { return reinterpret_cast<int*>(tail(k)); }
};

/// The caller's matrices.
template <class Real>
struct ComplexSvdViews {
  StridedBatch<Kokkos::complex<Real> const> a;
  StridedBatch<Kokkos::complex<Real>> u, v;  ///< without data where not wanted
  StridedBatch<Real> s;
};

/// All problems of one call: hands out the b-th, worked on as it is or, `turned`, as Aᴴ.
template <class Real>
struct ComplexSvdBatch : ComplexSvdViews<Real> {
  using Views = ComplexSvdViews<Real>;
  using Views::a, Views::u, Views::s, Views::v;
  SvdVectors u_wanted, v_wanted;
  Real* reals;
  std::int64_t distance;  ///< between the members' workspaces
  SvdInfo<Real>* infos;
  std::ptrdiff_t info_stride;
  FallbackList fallback;  ///< what a fast path leaves to the team kernels; null: they do all

  KOKKOS_FUNCTION int members() const { return static_cast<int>(a.extents[0]); }
  KOKKOS_FUNCTION int rows() const { return static_cast<int>(a.extents[1]); }
  KOKKOS_FUNCTION int cols() const { return static_cast<int>(a.extents[2]); }

  KOKKOS_FUNCTION ComplexSvdProblem<Real> operator()(int b, bool turned) const {
    int const m = rows(), n = cols(), least = m < n ? m : n;
    int const u_cols = static_cast<int>(vector_columns(u_wanted, m, least));
    int const v_cols = static_cast<int>(vector_columns(v_wanted, n, least));
    ComplexSvdProblem<Real> problem{};
    problem.rows = m + n - least;
    problem.cols = least;
    problem.conjugated = turned;
    problem.a = turned ? member(a, b).transposed() : member(a, b);
    problem.left = turned ? member(v, b) : member(u, b);
    problem.right = turned ? member(u, b) : member(v, b);
    problem.left_cols = turned ? v_cols : u_cols;
    problem.right_cols = turned ? u_cols : v_cols;
    problem.vectors = u_cols + v_cols > 0;
    problem.s = {s.data + b * s.strides[0], s.strides[1]};
    problem.info = infos + b * info_stride;
    problem.reals = reals + b * distance;
    return problem;
  }

 private:
  template <class T>
  KOKKOS_FUNCTION static StridedMatrix<T> member(StridedBatch<T> const& x, int b) {
    return {x.data + b * x.strides[0], x.strides[1], x.strides[2]};
  }
};

}  // namespace carroll::detail
