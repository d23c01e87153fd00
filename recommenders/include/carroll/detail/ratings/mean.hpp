// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/ratings/check.hpp>
#include <carroll/ratings/rows.hpp>
#include <carroll/sum.hpp>
#include <cstdint>

namespace carroll::detail {

/// The mean of all ratings, 0 of none; NaN if one of them is no finite number. By the tree of
/// carroll::sum. Fences some times.
template <class ExecSpace, class Real, class MemorySpace>
Real mean_rating(ExecSpace const& exec, RatingRows<Real, MemorySpace> const& rows) {
  std::int64_t const count = rows.rating_count();
  if (count == 0) return 0;
  using Find = FirstNonFinite<decltype(rows.values)>;
  if (first_found(exec, 0, count, Find{rows.values}) < count)
    return Kokkos::Experimental::quiet_NaN_v<Real>;
  return sum(exec, rows.values).value / static_cast<Real>(count);
}

}  // namespace carroll::detail
