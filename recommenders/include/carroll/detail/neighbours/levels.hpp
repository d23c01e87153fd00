// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/biases.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/ratings/mean.hpp>
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

/// level(i) := the row's mean, or that of all ratings where it has none. A thread each, and a sum
/// in the order of the row.
template <class ExecSpace, class Real, class MemorySpace>
struct RowMeanKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  RatingRows<Real, MemorySpace> rows;
  double mean;
  Kokkos::View<double*, MemorySpace> level;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t const begin = rows.offsets(i), end = rows.offsets(i + 1);
    double sum = 0;
    for (std::int64_t e = begin; e < end; ++e) sum += static_cast<double>(rows.values(e));
    level(i) = end > begin ? sum / static_cast<double>(end - begin) : mean;
  }
};

/// level(i) := mean + bias(i).
template <class ExecSpace, class Real, class MemorySpace>
struct BiasLevelKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  typename FactorModel<Real, MemorySpace>::Biases bias;
  double mean;
  Kokkos::View<double*, MemorySpace> level;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    level(i) = mean + static_cast<double>(bias(i));
  }
};

/// The levels of compared rows, by users or items as the options say; their mean is NaN if a rating
/// is no finite number. Fences.
template <class ExecSpace, class Real, class MemorySpace>
RatingLevels<MemorySpace> rating_levels(ExecSpace const& exec,
                                        RatingRows<Real, MemorySpace> const& by_user,
                                        RatingRows<Real, MemorySpace> const& by_item,
                                        NeighbourOptions const& options) {
  bool const of_users = options.between == Between::users;
  auto const& rows = of_users ? by_user : by_item;
  using Levels = Kokkos::View<double*, MemorySpace>;
  RatingLevels<MemorySpace> levels;
  levels.centring = options.centring;
  levels.row = allocate<Levels>(exec, "carroll::neighbours::row_levels", rows.row_count);
  levels.column = allocate<Levels>(exec, "carroll::neighbours::column_levels", rows.column_count);
  Kokkos::deep_copy(exec, levels.row, 0.0);
  Kokkos::deep_copy(exec, levels.column, 0.0);
  levels.mean = static_cast<double>(mean_rating(exec, by_user));
  if (!std::isfinite(levels.mean) || options.centring == Centring::zero) return levels;
  if (options.centring == Centring::row_mean) {
    using Kernel = RowMeanKernel<ExecSpace, Real, MemorySpace>;
    Kokkos::parallel_for("carroll::neighbours::row_means",
                         typename Kernel::Policy(exec, 0, rows.row_count),
                         Kernel{rows, levels.mean, levels.row});
    return levels;
  }
  auto const model = fit_biases(exec, by_user, by_item, options.biases);
  auto const set = [&](auto const& bias, double mean, Levels const& to) {
    using Kernel = BiasLevelKernel<ExecSpace, Real, MemorySpace>;
    Kokkos::parallel_for("carroll::neighbours::bias_levels",
                         typename Kernel::Policy(exec, 0, std::int64_t(to.extent(0))),
                         Kernel{bias, mean, to});
  };
  levels.mean = static_cast<double>(model.mean);
  set(of_users ? model.user_bias : model.item_bias, levels.mean, levels.row);
  set(of_users ? model.item_bias : model.user_bias, 0, levels.column);
  return levels;
}

}  // namespace carroll::detail
