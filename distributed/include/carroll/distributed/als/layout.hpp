// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/host_copy.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/error.hpp>
#include <carroll/ratings.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace carroll::distributed {

/// How the rows of both factor matrices are shared out.
struct AlsLayout {
  BlockLayout users, items;
  friend bool operator==(AlsLayout const&, AlsLayout const&) = default;
};

namespace detail {

/// Consecutive rows for each rank, with as even an amount of work as whole rows allow: that of a
/// row by Cholesky, 2·ratings·(k² + 3k) + k³/3 + 2k², in units of that of a rating.
inline BlockLayout balanced_rows(char const* function, char const* name, int ranks,
                                 std::span<std::int64_t const> offsets, std::int64_t factors) {
  carroll::detail::require(
      !offsets.empty() && offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()),
      function, [&] { return std::string(name) + " must rise from 0"; });
  auto const k = static_cast<double>(factors);
  double const of_row = (k * k / 3 + 2 * k) / (2 * (k + 3));
  double work = 0;
  auto const count = [&](std::size_t row) { return offsets[row + 1] - offsets[row]; };
  auto const work_of = [&](std::size_t row) {
    return count(row) == 0 ? 0.0 : static_cast<double>(count(row)) + of_row;
  };
  std::size_t const rows = offsets.size() - 1;
  for (std::size_t row = 0; row < rows; ++row) work += work_of(row);
  BlockLayout layout;
  double done = 0;
  std::size_t at = 0;
  for (int rank = 1; rank <= ranks; ++rank) {
    double const wanted = work * rank / ranks;
    // On to the row after which no more is missing than would be too much.
    for (; at < rows && (rank == ranks || done + work_of(at) - wanted <= wanted - done); ++at)
      done += work_of(at);
    layout.offsets.push_back(static_cast<std::int64_t>(at));
  }
  return layout;
}

}  // namespace detail

/// Users and items in consecutive blocks for each rank, of as even an amount of work as whole rows
/// allow for `factors` factors by Cholesky. `user_offsets`: of all users, m + 1, how many ratings
/// there are before each; `item_offsets` likewise. Any other layout will do, too; the bits of
/// results are the same. Throws std::invalid_argument for offsets that do not rise from 0, fewer
/// than one rank, factors below 0.
inline AlsLayout als_layout(int ranks, std::span<std::int64_t const> user_offsets,
                            std::span<std::int64_t const> item_offsets, std::int64_t factors) {
  constexpr char const* function = "carroll::distributed::als_layout";
  carroll::detail::require(ranks >= 1 && factors >= 0, function, [&] {
    return "there are " + std::to_string(ranks) + " ranks and " + std::to_string(factors) +
           " factors, must be at least 1 and 0";
  });
  return {detail::balanced_rows(function, "user_offsets", ranks, user_offsets, factors),
          detail::balanced_rows(function, "item_offsets", ranks, item_offsets, factors)};
}

/// The same for all ratings. Copies their offsets to the host, with two fences of `exec`.
template <ExecutionSpace ExecSpace, class Real>
[[nodiscard]] AlsLayout als_layout(ExecSpace const& exec, int ranks,
                                   Ratings<Real, typename ExecSpace::memory_space> const& ratings,
                                   std::int64_t factors) {
  auto const offsets = [&](auto const& rows) {
    auto host = carroll::detail::on_host(exec, rows.offsets);
    if (host.empty()) host.push_back(0);
    return host;
  };
  return als_layout(ranks, offsets(ratings.by_user()), offsets(ratings.by_item()), factors);
}

}  // namespace carroll::distributed
