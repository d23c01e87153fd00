// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/split/marks.hpp>
#include <carroll/error.hpp>
#include <carroll/ratings.hpp>
#include <carroll/ratings/split.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

/// Ratings to learn from and ratings to be asked about.
///
///   auto [train, test] = carroll::split_ratings(exec, ratings, {.fraction = 0.1, .seed = 7});
///   auto parts = carroll::split_ratings(exec, ratings, times, {.split =
///   carroll::Split::temporal});
///
/// Both parts have all users and items. What is kept back at random is a function of the seed, the
/// user and the item alone: each rating with the probability `fraction`, or `leave_out` of each
/// user, who keeps all if these are not more than that many.
///
/// Temporal: the latest ratings of all, as many as come up to `fraction` of them, but never some of
/// one instant without the others. `times` are Ratings of the same users and items, whose values
/// are the times: std::uint32_t and the like have their place in a double.
///
/// O(count·log(users)) work, for leave_out times `leave_out`; temporal sorts. Fences `exec`. Misuse
/// throws std::invalid_argument, want of memory AllocationError.
namespace carroll {

template <class Real, class MemorySpace>
struct RatingsSplit {
  Ratings<Real, MemorySpace> train, test;
};

namespace detail {

template <class ExecSpace, class Real, class MemorySpace>
RatingsSplit<Real, MemorySpace> part(ExecSpace const& exec,
                                     Ratings<Real, MemorySpace> const& ratings,
                                     Marks<MemorySpace> const& marks) {
  std::int64_t const count = ratings.count();
  std::int64_t marked = 0;
  Kokkos::parallel_reduce("carroll::split_ratings::count", Range<ExecSpace>(exec, 0, count),
                          CountMarks<MemorySpace>{marks}, marked);
  using Lists = Triples<Real, MemorySpace>;
  auto const without = Lists::make(exec, count - marked), with = Lists::make(exec, marked);
  Kokkos::parallel_scan("carroll::split_ratings::part", Range<ExecSpace>(exec, 0, count),
                        Part<Real, MemorySpace>{ratings.by_user(), marks, without, with});
  RatingsSplit<Real, MemorySpace> parts;
  RatingsAccess::keep(exec, parts.train, without, ratings.users(), ratings.items());
  RatingsAccess::keep(exec, parts.test, with, ratings.users(), ratings.items());
  return parts;
}

inline void require_usable(char const* function, SplitOptions const& options) {
  require(options.fraction >= 0 && options.fraction <= 1, function, [&] {
    return "fraction is " + std::to_string(options.fraction) + ", must be from 0 to 1";
  });
  require(options.leave_out >= 0, function, [&] {
    return "leave_out is " + std::to_string(options.leave_out) + ", must not be negative";
  });
}

}  // namespace detail

template <ExecutionSpace ExecSpace, class Real, class MemorySpace>
[[nodiscard]] RatingsSplit<Real, MemorySpace> split_ratings(
    ExecSpace const& exec, Ratings<Real, MemorySpace> const& ratings,
    SplitOptions const& options = {}) {
  constexpr char const* function = "carroll::split_ratings";
  detail::require_usable(function, options);
  detail::require(options.split != Split::temporal, function,
                  [&] { return "Split::temporal needs times: another argument"; });
  auto const marks = detail::allocate<detail::Marks<MemorySpace>>(
      exec, "carroll::split_ratings::marks", ratings.count());
  auto const& rows = ratings.by_user();
  if (options.split == Split::random) {
    using Mark = detail::MarkAtRandom<Real, MemorySpace>;
    Kokkos::parallel_for("carroll::split_ratings::random",
                         detail::Range<ExecSpace>(exec, 0, ratings.count()),
                         Mark{rows, marks, options.seed, options.fraction});
  } else if (ratings.users() > 0) {
    using Mark = detail::MarkOfEach<ExecSpace, Real>;
    Kokkos::parallel_for("carroll::split_ratings::leave_out",
                         Kokkos::TeamPolicy<ExecSpace>(exec, ratings.users(), Kokkos::AUTO),
                         Mark{rows, marks, options.seed, options.leave_out});
  }
  return detail::part(exec, ratings, marks);
}

template <ExecutionSpace ExecSpace, class Real, class Time, class MemorySpace>
[[nodiscard]] RatingsSplit<Real, MemorySpace> split_ratings(
    ExecSpace const& exec, Ratings<Real, MemorySpace> const& ratings,
    Ratings<Time, MemorySpace> const& times, SplitOptions const& options) {
  if (options.split != Split::temporal) return split_ratings(exec, ratings, options);
  constexpr char const* function = "carroll::split_ratings";
  detail::require_usable(function, options);
  std::int64_t const count = ratings.count();
  using Rows = RatingRows<Real, MemorySpace>;
  using TimeRows = RatingRows<Time, MemorySpace>;
  Rows const& rows = ratings.by_user();
  TimeRows const& time_rows = times.by_user();
  detail::require(times.count() == count && times.users() == ratings.users() &&
                      times.items() == ratings.items(),
                  function, [&] {
                    return "there are " + std::to_string(times.count()) + " times and " +
                           std::to_string(count) + " ratings, must be of the same users and items";
                  });
  std::int64_t const other =
      detail::first_found(exec, 0, count, detail::FirstOtherPair<Rows, TimeRows>{rows, time_rows});
  detail::require(other == count, function,
                  [&] { return "times must be of the same users and items as the ratings"; });

  auto const wanted =
      static_cast<std::int64_t>(std::floor(options.fraction * static_cast<double>(count)));
  Time last = std::numeric_limits<Time>::lowest();
  auto const marks =
      detail::allocate<detail::Marks<MemorySpace>>(exec, "carroll::split_ratings::marks", count);
  if (wanted < count) {
    using Values = Kokkos::View<Time*, Kokkos::LayoutRight, MemorySpace>;
    auto const sorted = detail::allocate<Values>(exec, "carroll::split_ratings::times", count);
    detail::copy_view(exec, sorted, time_rows.values);
    Kokkos::sort(exec, sorted);
    last = detail::entry(exec, sorted, count - wanted - 1);
    using Mark = detail::MarkLater<TimeRows, MemorySpace>;
    Kokkos::parallel_for("carroll::split_ratings::later", detail::Range<ExecSpace>(exec, 0, count),
                         Mark{time_rows, marks, last});
  } else {
    Kokkos::deep_copy(exec, marks, 1);
  }
  return detail::part(exec, ratings, marks);
}

}  // namespace carroll
