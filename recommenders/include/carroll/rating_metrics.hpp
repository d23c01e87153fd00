// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/asum.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/ratings/triples.hpp>
#include <carroll/dot.hpp>
#include <carroll/error.hpp>
#include <carroll/metrics/types.hpp>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>

/// Root mean square and mean absolute error of predictions.
///
///   auto metrics = carroll::rating_metrics(exec, predictions, ratings);   // metrics.rmse, .mae
///
/// Strided Views of rank 1 and one length, over float or double each. Differences are taken and
/// added in double precision, in the canonical tree of `sum`: the same bits for any number of
/// threads, on hosts and devices. Takes 8 bytes an entry. Fences `exec`.
namespace carroll {

namespace detail {

template <class Predictions, class Values>
struct TakeDifferences {
  Predictions predictions;
  Values values;
  Kokkos::View<double*, Kokkos::LayoutRight, typename Predictions::memory_space> into;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    into(e) = static_cast<double>(predictions(e)) - static_cast<double>(values(e));
  }
};

}  // namespace detail

template <ExecutionSpace ExecSpace, class Predictions, class Values>
[[nodiscard]] RatingMetrics rating_metrics(ExecSpace const& exec, Predictions const& predictions,
                                           Values const& ratings) {
  static_assert(ReadableView<Predictions, ExecSpace, 1> && ReadableView<Values, ExecSpace, 1>,
                "carroll::rating_metrics: predictions and ratings must be strided Views of float "
                "or double, of rank 1, in memory that the execution space can access");
  detail::require_extents("carroll::rating_metrics", "ratings",
                          {static_cast<long long>(ratings.extent(0))},
                          {static_cast<long long>(predictions.extent(0))});
  auto const count = static_cast<std::int64_t>(predictions.extent(0));
  using Differences =
      Kokkos::View<double*, Kokkos::LayoutRight, typename Predictions::memory_space>;
  auto const differences =
      detail::allocate<Differences>(exec, "carroll::rating_metrics::differences", count);
  using Take =
      detail::TakeDifferences<typename Predictions::const_type, typename Values::const_type>;
  Kokkos::parallel_for("carroll::rating_metrics::differences",
                       detail::Range<ExecSpace>(exec, 0, count),
                       Take{predictions, ratings, differences});
  auto const squares = dot(exec, differences, differences);
  auto const sizes = asum(exec, differences);
  RatingMetrics metrics;
  metrics.status = squares.status == Status::success ? sizes.status : squares.status;
  metrics.count = count;
  if (count > 0) {
    metrics.rmse = std::sqrt(squares.value / static_cast<double>(count));
    metrics.mae = sizes.value / static_cast<double>(count);
  }
  return metrics;
}

}  // namespace carroll
