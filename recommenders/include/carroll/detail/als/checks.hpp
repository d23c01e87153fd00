// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/als/types.hpp>
#include <carroll/concepts.hpp>
#include <carroll/error.hpp>
#include <carroll/ratings/rows.hpp>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

namespace carroll::detail {

/// Teams of a device have a thread for each tile in a column of tiles.
template <class Real>
inline constexpr std::int64_t most_factors = sizeof(Real) == 4 ? 4096 : 2049;

/// Throws std::invalid_argument unless `value` is finite and at least `least`.
inline void require_number(char const* function, char const* name, double value, double least = 0) {
  require(std::isfinite(value) && value >= least, function, [&] {
    return std::string("options.") + name + " is " + std::to_string(value) +
           ", must be finite and at least " + std::to_string(least);
  });
}

template <class Real>
void require_factors(char const* function, std::int64_t factors) {
  require(factors >= 0 && factors < most_factors<Real>, function, [&] {
    return "there are " + std::to_string(factors) + " factors, must be from 0 to " +
           std::to_string(most_factors<Real> - 1);
  });
}

template <class Real>
void require_usable(char const* function, std::int64_t factors, AlsOptions const& options) {
  require_factors<Real>(function, factors);
  require_number(function, "regularization", options.regularization);
  require_number(function, "count_exponent", options.count_exponent);
  require_number(function, "item_damping", options.item_damping);
  require_number(function, "user_damping", options.user_damping);
  require_number(function, "unobserved_weight", options.unobserved_weight);
  require_number(function, "start_scale", options.start_scale);
  require(std::isfinite(options.confidence), function, [&] {
    return "options.confidence is " + std::to_string(options.confidence) + ", must be finite";
  });
  require(options.iterations >= 0 && options.steps >= 1 && options.block >= 1, function, [&] {
    return "options.iterations, steps and block are " + std::to_string(options.iterations) + ", " +
           std::to_string(options.steps) + " and " + std::to_string(options.block) +
           ", must be at least 0, 1 and 1";
  });
  require(options.feedback == Feedback::explicit_ || options.biases == AlsBiases::zero, function,
          [&] {
            return "options.biases is " + std::string(to_string(options.biases)) +
                   ", must be none with implicit feedback";
          });
  require(
      options.solver != AlsSolver::block_coordinates || options.biases != AlsBiases::fitted,
      function, [] {
        return std::string("options.biases is fitted, which there is not with block_coordinates");
      });
}

/// A matrix whose rows have their entries side by side, as the row kernels read them.
template <class View, class ExecSpace, class Real>
inline constexpr bool is_factor_view = false;
template <class View, class ExecSpace, class Real>
requires ReadableView<View, ExecSpace, 2>
inline constexpr bool is_factor_view<View, ExecSpace, Real> =
    std::same_as<typename View::non_const_value_type, Real>;

template <class View>
void require_factor_rows(char const* function, char const* name, View const& view,
                         std::int64_t rows, std::int64_t factors) {
  require_extents(function, name,
                  {static_cast<long long>(view.extent(0)), static_cast<long long>(view.extent(1))},
                  {rows, factors});
  require(view.extent(1) < 2 || view.stride(1) == 1, function, [&] {
    return std::string(name) + " has entries of a row " + std::to_string(view.stride(1)) +
           " apart, must be side by side (LayoutRight)";
  });
}

/// Whether all entries of a matrix are finite. Fences the instance.
template <class ExecSpace, class View>
bool all_finite(ExecSpace const& exec, View const& view);

template <class Real>
struct FindNonFinite {
  Real const* data;
  std::ptrdiff_t pitch;
  std::int64_t columns;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& found) const {
    if (!Kokkos::isfinite(data[i / columns * pitch + i % columns])) ++found;
  }
};

template <class ExecSpace, class View>
bool all_finite(ExecSpace const& exec, View const& view) {
  using Real = typename View::non_const_value_type;
  auto const columns = static_cast<std::int64_t>(view.extent(1));
  std::int64_t found = 0;
  Kokkos::parallel_reduce(
      "carroll::row_equations::check",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
          exec, 0, static_cast<std::int64_t>(view.extent(0)) * columns),
      FindNonFinite<Real>{view.data(), static_cast<std::ptrdiff_t>(view.stride(0)), columns},
      found);
  exec.fence("carroll::row_equations: check");
  return found == 0;
}

/// The first rating of raw rows that is none: of a column that is not there, or not finite.
template <class Real, class MemorySpace>
struct FindBadRating {
  RatingRows<Real, MemorySpace> rows;
  KOKKOS_FUNCTION void operator()(std::int64_t e, std::int64_t& first) const {
    bool const good = rows.columns(e) >= 0 && rows.columns(e) < rows.column_count &&
                      Kokkos::isfinite(rows.values(e));
    if (!good) first = Kokkos::min(first, e);
  }
};

template <class ExecSpace, class Real, class MemorySpace>
void require_ratings(char const* function, ExecSpace const& exec,
                     RatingRows<Real, MemorySpace> const& rows) {
  require(static_cast<std::int64_t>(rows.offsets.extent(0)) == std::int64_t{rows.row_count} + 1 &&
              rows.columns.extent(0) == rows.values.extent(0),
          function, [&] {
            return "there are " + std::to_string(rows.row_count) + " rows, " +
                   std::to_string(rows.offsets.extent(0)) + " offsets, " +
                   std::to_string(rows.columns.extent(0)) + " columns and " +
                   std::to_string(rows.values.extent(0)) +
                   " values, must be one offset more than rows, and as many columns as values";
          });
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t first = none;
  Kokkos::parallel_reduce(
      "carroll::row_equations::check",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, rows.rating_count()),
      FindBadRating<Real, MemorySpace>{rows}, Kokkos::Min<std::int64_t>(first));
  exec.fence("carroll::row_equations: check");
  require(rows.rating_count() == 0 || first == none, function, [&] {
    return "rating " + std::to_string(first) +
           " is not finite, or of a column that is not from 0 to " +
           std::to_string(rows.column_count - 1);
  });
}

}  // namespace carroll::detail
