// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/als/types.hpp>
#include <carroll/detail/als/checks.hpp>
#include <carroll/detail/host_copy.hpp>
#include <carroll/distributed/als/layout.hpp>
#include <carroll/distributed/detail/signature.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <limits>
#include <string>

/// What callers may ask alternating least squares over ranks for: std::invalid_argument for what
/// they may not.
namespace carroll::distributed::detail {

/// Ratings that a rank has, by user and by item.
struct AlsRatings {
  std::int64_t by_user, by_item;
};

inline Signature& sign(Signature& signature, AlsOptions const& o) {
  return signature.with(o.feedback)
      .with(o.biases)
      .with(o.regularization)
      .with(o.count_exponent)
      .with(o.item_damping)
      .with(o.user_damping)
      .with(o.confidence)
      .with(o.unobserved_weight)
      .with(o.counts_all_pairs)
      .with(o.solver)
      .with(o.steps)
      .with(o.block)
      .with(o.iterations)
      .with(o.start)
      .with(o.start_scale)
      .with(o.seed)
      .with(o.objective)
      .with(o.residual);
}

inline void require_layout(char const* function, int ranks, AlsLayout const& layout) {
  using carroll::detail::require;
  require(layout.users.ranks() == ranks && layout.items.ranks() == ranks, function, [&] {
    return "the layout is of " + std::to_string(layout.users.ranks()) + " ranks for users and " +
           std::to_string(layout.items.ranks()) + " for items, must be of " + std::to_string(ranks);
  });
  for (auto const* rows : {&layout.users, &layout.items}) {
    require(
        rows->offsets.front() == 0 && std::is_sorted(rows->offsets.begin(), rows->offsets.end()),
        function, [] { return std::string("the layout's offsets must rise from 0"); });
    require(rows->length() <= std::numeric_limits<std::int32_t>::max(), function, [&] {
      return "the layout has " + std::to_string(rows->length()) + " rows, at most 2^31 - 1 may be";
    });
  }
}

/// The rows that a rank has of one side, as the layout says, with all of the other as columns.
template <class Rows>
void require_rows(char const* function, char const* name, Rows const& rows, std::int64_t count,
                  std::int64_t columns) {
  carroll::detail::require(rows.row_count == count && rows.column_count == columns, function, [&] {
    return std::string(name) + " has " + std::to_string(rows.row_count) + " rows and " +
           std::to_string(rows.column_count) + " columns, must have " + std::to_string(count) +
           " and " + std::to_string(columns) + " by the layout";
  });
}

/// The same, and that they can be read. Fences.
template <class ExecSpace, class Rows>
void require_readable_rows(char const* function, char const* name, ExecSpace const& exec,
                           Rows const& rows, std::int64_t count, std::int64_t columns) {
  require_rows(function, name, rows, count, columns);
  carroll::detail::require_ratings(function, exec, rows);
  auto const offsets = carroll::detail::on_host(exec, rows.offsets);
  carroll::detail::require(offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()) &&
                               offsets.back() == rows.rating_count(),
                           function, [&] {
                             return std::string(name) + ".offsets must rise from 0 to " +
                                    std::to_string(rows.rating_count()) + ", the number of ratings";
                           });
}

inline void require_same_ratings(char const* function, AlsRatings const& all) {
  carroll::detail::require(all.by_user == all.by_item, function, [&] {
    return "the ranks have " + std::to_string(all.by_user) + " ratings by user and " +
           std::to_string(all.by_item) + " by item, must be the same ones";
  });
}

/// A workspace is for the rows that it was made of.
inline void require_same_ratings(char const* function, char const* name, std::int64_t count,
                                 std::int64_t wanted) {
  carroll::detail::require(count == wanted, function, [&] {
    return std::string(name) + " has " + std::to_string(count) +
           " ratings, must have those of the workspace, " + std::to_string(wanted);
  });
}

/// Factors of all rows, one behind the other: they are sent as they are.
template <class View>
void require_whole_factors(char const* function, char const* name, View const& view,
                           std::int64_t rows, std::int64_t factors) {
  carroll::detail::require_factor_rows(function, name, view, rows, factors);
  carroll::detail::require(
      rows < 2 || factors == 0 || static_cast<std::int64_t>(view.stride(0)) == factors, function,
      [&] {
        return std::string(name) + " has rows " + std::to_string(view.stride(0)) +
               " entries apart, must have no gaps (LayoutRight, " + std::to_string(factors) + ")";
      });
}

}  // namespace carroll::distributed::detail
