// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/error.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstddef>
#include <string>

namespace carroll::detail {

/// Throws unless the ratings can be the same both ways, as far as sizes say.
template <class Real, class MemorySpace>
void require_transposed(char const* function, RatingRows<Real, MemorySpace> const& by_user,
                        RatingRows<Real, MemorySpace> const& by_item) {
  auto const sizes = [](RatingRows<Real, MemorySpace> const& rows) {
    return std::to_string(rows.rating_count()) + " ratings in " + std::to_string(rows.row_count) +
           " rows over " + std::to_string(rows.column_count) + " columns";
  };
  auto const sound = [](RatingRows<Real, MemorySpace> const& rows) {
    return rows.row_count >= 0 && rows.column_count >= 0 &&
           rows.values.extent(0) == rows.columns.extent(0) &&
           (rows.row_count == 0 ? rows.rating_count() == 0
                                : rows.offsets.extent(0) == std::size_t(rows.row_count) + 1);
  };
  require(sound(by_user) && sound(by_item) && by_user.row_count == by_item.column_count &&
              by_user.column_count == by_item.row_count &&
              by_user.rating_count() == by_item.rating_count(),
          function, [&] {
            return "by user there are " + sizes(by_user) + ", by item " + sizes(by_item) +
                   ", must be the same ratings both ways";
          });
}

}  // namespace carroll::detail
