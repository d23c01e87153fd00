// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/random.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// How a row's equations ended: bits of a word that all rows share.
enum RowFlag : std::uint32_t { row_singular = 1, row_not_finite = 2 };

/// What all rows find out together, in memory of the device.
struct RowFindings {
  std::uint64_t singular;    ///< rows with a pivot that is rounding error
  std::uint64_t not_finite;  ///< rows whose solution is not finite
  std::uint64_t ticket;      ///< items that have been begun
};

/// The normal equations of the rows of a factor matrix X, others' factors Y being known:
///
///   (Σ g·y·yᵀ + s·C + λ·I)·x = Σ h·y + c        over the ratings of the row
///
/// y is the row of Y that a rating's column names, followed by a 1 where a bias is fitted along; g
/// and h are the rating's, see `coefficients`; C and c are common to all rows, λ is the row's own.
/// With `sampled` x is drawn from the normal distribution whose mean is the solution and whose
/// precision is the matrix. With `adds` the solution is added to x: a step of block coordinate
/// descent on some columns, for which the right hand side is that of what is left,
/// -(s·C·x + λ·x) included.
template <class Real>
struct RowEquations {
  // The ratings; without columns, rating e is of column e and worth 1.
  std::int64_t const* offsets = nullptr;
  std::int32_t const* columns = nullptr;
  Real const* values = nullptr;
  std::int32_t rows = 0;

  Real const* y = nullptr;  ///< factors of the columns, from the first one that is solved for
  std::ptrdiff_t y_pitch = 0;
  int factors = 0;                   ///< solved for
  bool fits_bias = false;            ///< and a bias behind them
  Real const* y_bias = nullptr;      ///< of the columns, or null
  Real const* fixed_bias = nullptr;  ///< of the rows, or null: static ones
  Real mean = 0;
  Real const* scores = nullptr;  ///< of the ratings, what the model says so far; with `adds`

  bool is_implicit = false;
  bool counts_all_pairs = false;  ///< the weight of what is not observed counts for what is, too
  Real confidence = 0;            ///< α of 1 + α·value
  Real unobserved = 0;            ///< α₀
  Real precision = 1;             ///< g of explicit ratings

  Real const* common = nullptr;  ///< C, symmetric, or null
  std::ptrdiff_t common_pitch = 0;
  Real common_scale = 1;
  Real const* common_rhs = nullptr;  ///< c, or null
  double regularization = 0;         ///< λ = regularization·(count + count_shift)^count_exponent
  double count_exponent = 0;
  double count_shift = 0;

  bool sampled = false;
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;  ///< of the random numbers: the sweep and the side

  Real* x = nullptr;  ///< the rows' factors, from the first one that is solved for
  std::ptrdiff_t x_pitch = 0;
  Real* x_bias = nullptr;
  bool adds = false;
  int x_offset = 0;  ///< column of X that x points at, and X, all of it, for `adds`
  Real const* x_all = nullptr;
  int factors_all = 0;
  Real const* common_rows = nullptr;  ///< rows of C for x, all columns

  Real* gram = nullptr;  ///< instead of solving: the matrix without λ, of row 0, factors×factors
  Real* sum = nullptr;   ///< and the right hand side
  RowFindings* findings = nullptr;

  [[nodiscard]] KOKKOS_FUNCTION int unknowns() const { return factors + (fits_bias ? 1 : 0); }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t count(std::int32_t row) const {
    return offsets[row + 1] - offsets[row];
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(std::int64_t e) const {
    return columns ? columns[e] : e;
  }
  [[nodiscard]] KOKKOS_FUNCTION bool is_weighted() const { return is_implicit || precision != 1; }

  struct Coefficients {
    Real g, h;
  };
  /// Explicit: g·(x·y - t)², t what the biases leave of the rating. Implicit: (1 + α·value)·(x·y -
  /// 1)² and α₀·(x·y)² for what is not observed.
  [[nodiscard]] KOKKOS_FUNCTION Coefficients coefficients(std::int32_t row, std::int64_t e) const {
    if (!columns) return {Real(1), Real(1)};
    if (is_implicit) {
      Real const sure = Kokkos::fma(confidence, values[e], Real(1));
      Real const g = counts_all_pairs ? sure : sure - unobserved;
      return {g, scores ? Kokkos::fma(-g, scores[e], sure) : sure};
    }
    Real t = values[e] - mean;
    if (y_bias) t -= y_bias[columns[e]];
    if (fixed_bias) t -= fixed_bias[row];
    if (scores) t -= scores[e];
    return {precision, precision * t};
  }

  /// Entry i of y, for i < unknowns().
  [[nodiscard]] KOKKOS_FUNCTION Real factor(std::int64_t e, int i) const {
    return i < factors ? y[column(e) * y_pitch + i] : Real(1);
  }
  [[nodiscard]] KOKKOS_FUNCTION Real row_regularization(std::int32_t row) const {
    if (count_exponent == 0) return static_cast<Real>(regularization);
    if (count_exponent == 1)  // without a call, which costs kernels registers
      return static_cast<Real>(regularization * (static_cast<double>(count(row)) + count_shift));
    return static_cast<Real>(
        regularization *
        Kokkos::pow(static_cast<double>(count(row)) + count_shift, count_exponent));
  }
  /// Entry i of the right hand side besides the ratings' part.
  [[nodiscard]] KOKKOS_FUNCTION Real rhs(std::int32_t row, int i) const {
    Real value = common_rhs ? common_rhs[i] : Real(0);
    if (adds) {
      Real const* const all = x_all + row * x_pitch;
      value = Kokkos::fma(-row_regularization(row), all[x_offset + i], value);
      if (common_rows) {
        Real product = 0;
        for (int p = 0; p < factors_all; ++p)
          product = Kokkos::fma(common_rows[i * common_pitch + p], all[p], product);
        value = Kokkos::fma(-common_scale, product, value);
      }
    }
    return value;
  }
  /// Entry i of (s·C + λ·I)·v.
  [[nodiscard]] KOKKOS_FUNCTION Real common_product(Real const* v, int i, Real lambda) const {
    Real const own = lambda * v[i];
    if (!common || i >= factors) return own;
    Real product = 0;
    for (int j = 0; j < factors; ++j) product += common[j * common_pitch + i] * v[j];
    return own + common_scale * product;
  }
  [[nodiscard]] KOKKOS_FUNCTION Real normal(std::int32_t row, int i) const {
    return random_normal<Real>(seed, stream,
                               (static_cast<std::uint64_t>(row) << 32U) | std::uint32_t(i));
  }
  /// The solution without ratings and anything common is 0, whatever λ is.
  [[nodiscard]] KOKKOS_FUNCTION bool is_cold(std::int32_t row) const {
    return count(row) == 0 && !common_rhs && !sampled;
  }
  /// Unknown i of such a row.
  KOKKOS_FUNCTION void clear(std::int32_t row, int i) const {
    if (i < factors)
      x[row * x_pitch + i] = 0;
    else
      x_bias[row] = 0;
  }
  KOKKOS_FUNCTION void store(std::int32_t row, int i, Real value) const {
    if (i < factors) {
      Real& to = x[row * x_pitch + i];
      to = adds ? to + value : value;
    } else {
      x_bias[row] = value;
    }
  }
  KOKKOS_FUNCTION void report(std::uint32_t flags) const {
    if (flags & row_not_finite)
      Kokkos::atomic_add(&findings->not_finite, std::uint64_t{1});
    else if (flags & row_singular)
      Kokkos::atomic_add(&findings->singular, std::uint64_t{1});
  }
};

/// A pivot below this share of its diagonal entry is rounding error: its unknown is left at 0.
template <class Real>
KOKKOS_FUNCTION Real least_pivot_share() {
  return 8 * Kokkos::Experimental::epsilon_v<Real>;
}

/// Ratings of one chain of additions, but for tensor cores; the sums of chunks are added in
/// ascending order.
inline constexpr int row_chunk = 512;
/// Ratings that one team or thread deals with, a whole number of chunks; the sums of longer rows'
/// segments are added in ascending order.
inline constexpr std::int64_t row_segment = 8 * row_chunk;

}  // namespace carroll::detail
