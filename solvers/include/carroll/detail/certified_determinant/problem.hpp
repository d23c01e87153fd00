// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/certified_determinant/types.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/workspace.hpp>
#include <cstddef>
#include <cstdint>

/// An interval that contains det A, proved by floating-point arithmetic.
///
/// A is scaled by powers of two so that the largest entry of every row and column is in [1/2, 1),
/// and its rows are ordered by elimination with partial pivoting, C ≈ L·U. With approximate
/// inverses X of L, unit lower triangular, and Y of U, upper triangular,
///
///   X·C·Y = I + G,   det C = det(I + G) / ∏ y_jj,
///
/// is true of any X and Y, however wrong: nothing is assumed of the elimination. What is proved is
/// G: it is computed with about twice the digits (split.hpp), and |computed − G| bounded entry by
/// entry. Then det(I + G) is enclosed (enclose.hpp).
///
/// With I + G = D·(I + N), D diagonal, N hollow, and S any diagonal matrix,
///
///   det(I + G) = ∏(1 + g_ii)·exp θ,   |θ| <= |S⁻¹NS|_F² / (2(1 − ρ)),   ρ = |S⁻¹|N|S|_inf < 1,
///
/// for log det(I + N) = −Σ (−1)^k tr(N^k)/k, where tr N = 0, and |tr N^k| <= Σ|λ|^k <=
/// ρ^(k−2)·Σ|λ|²
/// <= ρ^(k−2)·|S⁻¹NS|_F² by Schur's inequality; det(I + tN) has no zero for 0 <= t <= 1. So the
/// error that is left is of second order in that of L·U. (Verification by approximate inverses:
/// Rump, "Verification methods", Acta Numerica 19, 2010; of determinants by inverse factors: Ogita,
/// "Exact determinant of integer matrices", REC 2010.)
///
/// Rigour does not depend on the order of sums, nor on which products and additions become an fma;
/// error-free steps name theirs. Sums of non-negative bounds are enlarged by 2^-20, which covers
/// their own rounding errors up to n = 2^26, and by 2^-1000, which covers all underflow.
namespace carroll::detail {

inline constexpr double unit_roundoff = 0x1p-53;
inline constexpr double bound_inflation = 1 + 0x1p-20;
inline constexpr double underflow_allowance = 0x1p-1000;

/// The matrices of one problem, n² entries each, row after row. Some serve twice.
enum class CertifiedMatrix {
  balanced,    ///< C
  factors,     ///< L\U; then the heads of X and of X·C
  left,        ///< X, transposed; then its tails; then the tails of X·C
  right,       ///< Y
  right_head,  ///< heads of C, then of Y
  right_tail,  ///< their tails
  leading,     ///< products of heads; then G
  trailing,    ///< all other products; then bounds of |G|
  count
};

/// Arrays of n numbers.
enum class CertifiedVector {
  row_error,  ///< |error(G)_ij| <= row_error_i·column_sum_j + row_slope_i·column_top_j + …
  row_slope,
  column_sum,    ///< Σ|Y_ij| of a column
  column_top,    ///< a power of two that no entry of the column exceeds
  diagonal,      ///< g_ii, as computed
  radius,        ///< bound of its error
  row_sum,       ///< Σ of bounds of |G|, without the diagonal; then sums for ρ
  row_square,    ///< for |S⁻¹NS|_F
  row_hadamard,  ///< squares of the norms of rows of S⁻¹(I + G)S
  row_norm,      ///< squares of the norms of rows of C
  scale,         ///< S
  count
};

/// What is known of one problem.
struct CertifiedState {
  Status status = Status::success;
  std::int64_t exponent = 0;  ///< log₂ of what scaling has taken out of the determinant
  int sign = 1;               ///< of the permutation
  int done = 0;               ///< not 0: the info is written. An int, for Gemm::skip
  int integer = 1;            ///< all entries are integers, and so is the determinant
};

/// Memory for one problem at a time.
struct CertifiedMemory {
  double* matrices = nullptr;
  double* vectors = nullptr;
  int* integers = nullptr;  ///< exponents of rows and of columns, flags of rows, exchanges
  CertifiedState* state = nullptr;
  int n = 0;

  static constexpr std::int64_t integers_per_row = 4;
  static constexpr auto matrix_count = static_cast<std::int64_t>(CertifiedMatrix::count);
  static constexpr auto vector_count = static_cast<std::int64_t>(CertifiedVector::count);

  /// Pieces for some problems that are worked on together.
  void lay_out(Arena& arena, std::int64_t slots) {
    std::int64_t const order = n;
    matrices = arena.take<double>(slots * matrix_count * order * order);
    vectors = arena.take<double>(slots * vector_count * order);
    integers = arena.take<int>(slots * integers_per_row * order);
    state = arena.take<CertifiedState>(slots);
  }

  KOKKOS_FUNCTION StridedMatrix<double> matrix(CertifiedMatrix which) const {
    return {matrices + static_cast<std::ptrdiff_t>(which) * n * n, n, 1};
  }
  KOKKOS_FUNCTION double* vector(CertifiedVector which) const {
    return vectors + static_cast<std::ptrdiff_t>(which) * n;
  }
  KOKKOS_FUNCTION int* row_exponents() const { return integers; }
  KOKKOS_FUNCTION int* column_exponents() const { return integers + n; }
  KOKKOS_FUNCTION int* row_flags() const { return integers + 2 * static_cast<std::ptrdiff_t>(n); }
  KOKKOS_FUNCTION int* exchanges() const { return integers + 3 * static_cast<std::ptrdiff_t>(n); }

  /// The memory of the k-th of several problems that are worked on together.
  KOKKOS_FUNCTION CertifiedMemory slot(std::ptrdiff_t k) const {
    CertifiedMemory memory = *this;
    memory.matrices += k * matrix_count * n * n;
    memory.vectors += k * vector_count * n;
    memory.integers += k * integers_per_row * n;
    memory.state += k;
    return memory;
  }
};

/// A batch, as kernels see it.
template <class Real>
struct CertifiedBatch {
  StridedBatch<Real const> source;
  int n = 0;
  int members = 0;
  CertifiedDeterminantInfo<Real>* infos = nullptr;
  std::ptrdiff_t info_stride = 1;

  KOKKOS_FUNCTION StridedMatrix<Real const> source_of(int member) const {
    return {source.data + member * source.strides[0], source.strides[1], source.strides[2]};
  }
  KOKKOS_FUNCTION CertifiedDeterminantInfo<Real>& info_of(int member) const {
    return infos[member * info_stride];
  }
};

}  // namespace carroll::detail
