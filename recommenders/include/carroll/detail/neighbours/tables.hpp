// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/neighbours/levels.hpp>
#include <carroll/detail/neighbours/problem.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstdint>

/// What the sums of pairs are made of, a number or some for each rating.
namespace carroll::detail {

/// The number of a rating that sums are formed of.
template <class MemorySpace>
struct RatingNumber {
  RatingLevels<MemorySpace> levels;
  Kokkos::View<double const*, MemorySpace> shifts;  ///< of pearson_corated
  Similarity similarity;

  template <class Real>
  KOKKOS_FUNCTION Real of(Real rating, std::int32_t row, std::int32_t column) const {
    auto const value = static_cast<double>(rating);
    if (similarity == Similarity::pearson_corated) return static_cast<Real>(value - shifts(row));
    if (similarity != Similarity::pearson) return rating;
    return deviation(rating, row, column);
  }
  /// 0 where the rating and what it is measured from differ by roundings alone: the correlation of
  /// a row of equal ratings is one of these roundings otherwise.
  template <class Real>
  KOKKOS_FUNCTION Real deviation(Real rating, std::int32_t row, std::int32_t column) const {
    double const level = levels.at(row, column), x = static_cast<double>(rating) - level;
    double const tiny = 64 * static_cast<double>(Kokkos::Experimental::epsilon_v<double>);
    return Kokkos::fabs(x) <= tiny * Kokkos::fabs(level) ? Real(0) : static_cast<Real>(x);
  }
};

/// Shifts and norms of rows. Ratings about their mean, but the mean rounded to halves: whole and
/// half ratings stay such numbers, whose sums of products have no error, so that common ratings
/// that are all equal have no spread at all.
template <class ExecSpace, class Real, class MemorySpace>
struct RowFactsKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  RatingRows<Real, MemorySpace> rows;
  Similarity similarity;
  Kokkos::View<double*, MemorySpace> facts;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t const begin = rows.offsets(i), end = rows.offsets(i + 1);
    double sum = 0;
    for (std::int64_t e = begin; e < end; ++e) {
      auto const r = static_cast<double>(rows.values(e));
      sum += similarity == Similarity::cosine_rows ? rounded_product(r, r) : r;
    }
    if (similarity == Similarity::cosine_rows)
      facts(i) = Kokkos::sqrt(sum);
    else
      facts(i) = end > begin ? Kokkos::round(2 * sum / static_cast<double>(end - begin)) / 2 : 0;
  }
};

/// numbers(e) of the ratings by row.
template <class ExecSpace, class Real, class MemorySpace>
struct RowNumbersKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  RatingRows<Real, MemorySpace> rows;
  RatingNumber<MemorySpace> number;
  Real* numbers;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (std::int64_t e = rows.offsets(i); e < rows.offsets(i + 1); ++e)
      numbers[e] =
          number.template of<Real>(rows.values(e), static_cast<std::int32_t>(i), rows.columns(e));
  }
};

/// terms(f, :) of the ratings by column, and, where wanted, by how much they are off their levels.
template <class ExecSpace, class Real, class MemorySpace>
struct ColumnTermsKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  RatingRows<Real, MemorySpace> columns;
  RatingNumber<MemorySpace> number;
  int width;
  Real* terms;
  Real* deviations;  ///< or null

  KOKKOS_FUNCTION void operator()(std::int64_t u) const {
    auto const column = static_cast<std::int32_t>(u);
    for (std::int64_t f = columns.offsets(u); f < columns.offsets(u + 1); ++f) {
      std::int32_t const row = columns.columns(f);
      Real const rating = columns.values(f), x = number.template of<Real>(rating, row, column);
      Real* const t = terms + f * width;
      t[0] = x;
      t[1] = Real(1);
      if (width >= 4) {
        t[2] = rounded_product(x, x);
        t[3] = Real(1);
      }
      if (width == 8) {
        t[4] = Real(1);
        t[5] = x;
        t[6] = t[7] = Real(0);
      }
      if (deviations) deviations[f] = number.template deviation<Real>(rating, row, column);
    }
  }
};

}  // namespace carroll::detail
