// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/baseline.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/neighbours/types.hpp>
#include <cmath>
#include <cstdint>

namespace carroll::detail {

/// What the rating of a column by a row is measured from: row(i) + column(u). It is also what is
/// predicted where there is no neighbour, except without a centring: `mean` then.
template <class MemorySpace>
struct RatingLevels {
  Kokkos::View<double*, MemorySpace> row, column;
  Centring centring = Centring::zero;
  double mean = 0;  ///< of all ratings

  [[nodiscard]] KOKKOS_FUNCTION double at(std::int32_t i, std::int32_t u) const {
    return row(i) + column(u);
  }
  /// For a row or a column that may be none of those there are.
  [[nodiscard]] KOKKOS_FUNCTION double alone(std::int32_t i, std::int32_t u) const {
    if (centring == Centring::zero) return mean;
    double const of_row = in(i, row) ? row(i) : mean;
    return in(u, column) ? of_row + column(u) : of_row;
  }
  [[nodiscard]] KOKKOS_FUNCTION bool knows(std::int32_t i, std::int32_t u) const {
    return in(i, row) && in(u, column);
  }

 private:
  KOKKOS_FUNCTION static bool in(std::int32_t i, Kokkos::View<double*, MemorySpace> const& of) {
    return i >= 0 && static_cast<std::size_t>(i) < of.extent(0);
  }
};

/// level(i) := the row's mean, or that of all ratings where it has none; or bias(i) + mean.
template <class ExecSpace, class MemorySpace>
struct RowLevelKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  std::int64_t const* offsets;
  bool of_sums;  ///< `level` holds sums of rows, else `bias` is added to the mean
  double mean;
  Kokkos::View<double const*, MemorySpace> bias;
  Kokkos::View<double*, MemorySpace> level;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto const count = static_cast<double>(offsets[i + 1] - offsets[i]);
    if (!of_sums)
      level(i) = mean + bias(i);
    else
      level(i) = count > 0 ? level(i) / count : mean;
  }
};

/// The levels of compared `rows`, whose ratings by column are `columns`; their mean is not finite
/// if a rating is not. Fences.
template <class ExecSpace, class Real, class MemorySpace>
RatingLevels<MemorySpace> rating_levels(ExecSpace const& exec,
                                        RatingRows<Real, MemorySpace> const& rows,
                                        RatingRows<Real, MemorySpace> const& columns,
                                        NeighbourOptions const& options) {
  using Levels = Kokkos::View<double*, MemorySpace>;
  RatingLevels<MemorySpace> levels;
  levels.centring = options.centring;
  levels.row = allocate<Levels>(exec, "carroll::neighbours::row_levels", rows.row_count);
  levels.mean = mean_rating(exec, rows, levels.row);
  Kokkos::View<double const*, MemorySpace> bias;
  if (options.centring == Centring::baseline && std::isfinite(levels.mean)) {
    bool const of_items = options.between == Between::items;
    auto const baseline = of_items ? rating_baseline(exec, columns, rows, options.baseline)
                                   : rating_baseline(exec, rows, columns, options.baseline);
    // Not levels.mean, which adds in another order.
    levels.mean = baseline.mean;
    levels.column = of_items ? baseline.user_bias : baseline.item_bias;
    bias = of_items ? baseline.item_bias : baseline.user_bias;
  } else {
    levels.column = allocate<Levels>(exec, "carroll::neighbours::column_levels", rows.column_count);
    Kokkos::deep_copy(exec, levels.column, 0.0);
  }
  if (options.centring == Centring::zero) {
    Kokkos::deep_copy(exec, levels.row, 0.0);
  } else if (std::isfinite(levels.mean)) {
    using Kernel = RowLevelKernel<ExecSpace, MemorySpace>;
    Kokkos::parallel_for("carroll::neighbours::row_levels",
                         typename Kernel::Policy(exec, 0, rows.row_count),
                         Kernel{rows.offsets.data(), options.centring == Centring::row_mean,
                                levels.mean, bias, levels.row});
  }
  return levels;
}

}  // namespace carroll::detail
