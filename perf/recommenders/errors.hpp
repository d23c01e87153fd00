// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/predict.hpp>
#include <carroll/rating_metrics.hpp>
#include <cstddef>
#include <cstdint>

#include "recommenders/contender.hpp"

namespace carroll::perf {

/// The row of each rating.
struct RowOfRating {
  Kokkos::View<std::int64_t const*, Kokkos::LayoutRight, Exec::memory_space> offsets;
  Kokkos::View<std::int32_t*, Exec::memory_space> rows;
  KOKKOS_FUNCTION void operator()(std::int32_t row) const {
    for (std::int64_t e = offsets(row); e < offsets(row + 1); ++e) rows(e) = row;
  }
};

/// Root mean square error of what a model learnt from `train` says of `ratings`.
inline double rmse(Exec const& exec, BenchModel const& model, BenchRatings const& train,
                   BenchRatings const& ratings) {
  auto const rows = ratings.by_user();
  auto const count = static_cast<std::size_t>(ratings.count());
  Kokkos::View<std::int32_t*, Exec::memory_space> const users("carroll_perf::users", count);
  Kokkos::View<float*, Exec::memory_space> const predictions("carroll_perf::predictions", count);
  Kokkos::parallel_for("carroll_perf::row_of_rating",
                       Kokkos::RangePolicy<Exec>(exec, 0, ratings.users()),
                       RowOfRating{rows.offsets, users});
  (void)predict(exec, model, train, users, rows.columns, predictions);
  return rating_metrics(exec, predictions, rows.values).rmse;
}

}  // namespace carroll::perf
