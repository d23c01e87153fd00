// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/ratings/build.hpp>
#include <carroll/detail/ratings/check.hpp>
#include <carroll/error.hpp>
#include <carroll/ratings/rows.hpp>
#include <carroll/ratings/types.hpp>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

namespace carroll {

template <class Real, class MemorySpace>
class Ratings;

namespace detail {

/// A strided View of rank 1 over Value that kernels of Exec can read.
template <class View, class Exec, class Value>
inline constexpr bool is_triple_view = false;
template <class View, class Exec, class Value>
requires StridedView<View> && AccessibleView<View, Exec>
inline constexpr bool is_triple_view<View, Exec, Value> =
    int(View::rank) == 1 && std::same_as<typename View::non_const_value_type, Value>;

/// The inside of Ratings, for functions that make others from some.
struct RatingsAccess {
  /// From triples that are sorted by user, then by item, without duplicates. Fences.
  template <class ExecSpace, class Real, class MemorySpace>
  static void keep(ExecSpace const& exec, Ratings<Real, MemorySpace>& ratings,
                   Triples<Real, MemorySpace> const& sorted, std::int32_t users,
                   std::int32_t items) {
    ratings.keep(exec, sorted, users, items);
  }
};

}  // namespace detail

/// Sparse ratings of items by users, by user and by item.
///
///   carroll::Ratings ratings(exec, users, items, values);   // three Views of one length
///   auto rows = ratings.by_user();                          // rows.offsets, .columns, .values
///
/// Rating e is `values(e)`, float or double, of item `items(e)` by user `users(e)`, std::int32_t
/// from 0; the Views may have any stride and any order of triples, and are not kept. Each user's
/// ratings are kept ascending by item and each item's ascending by user, 2·count·(4 + sizeof(Real))
/// bytes and offsets of 64 bits; as much again is taken meanwhile.
///
/// Made on `exec` by stable sorts, a pass for each 8 bits of an index, so that the result is the
/// same for any number of threads: O(count) work. Fences `exec`; what is held may be read by any
/// later work on it.
///
/// Throws std::invalid_argument, naming the triple, for an index that is negative or not below
/// the users or items of the options, for a rating that is NaN or infinite, for two ratings of one
/// item by one user unless the options say what becomes of them, and for Views of different
/// lengths; AllocationError for want of memory.
///
/// Copies share the memory.
template <class Real, class MemorySpace>
class Ratings {
  static_assert(RealScalar<Real>, "carroll::Ratings: Real must be float or double");

 public:
  using value_type = Real;
  using memory_space = MemorySpace;
  using Rows = RatingRows<Real, MemorySpace>;

  /// No users, no items.
  Ratings() = default;

  template <ExecutionSpace ExecSpace, class Users, class Items, class Values>
  Ratings(ExecSpace const& exec, Users const& users, Items const& items, Values const& values,
          RatingsOptions const& options = {}) {
    static_assert(std::same_as<typename ExecSpace::memory_space, MemorySpace>,
                  "carroll::Ratings: MemorySpace must be that of the execution space");
    static_assert(detail::is_triple_view<Users, ExecSpace, std::int32_t>,
                  "carroll::Ratings: users must be a strided View of std::int32_t, of rank 1, in "
                  "memory that the execution space can access");
    static_assert(detail::is_triple_view<Items, ExecSpace, std::int32_t>,
                  "carroll::Ratings: items must be a strided View of std::int32_t, of rank 1, in "
                  "memory that the execution space can access");
    static_assert(detail::is_triple_view<Values, ExecSpace, Real>,
                  "carroll::Ratings: values must be a strided View of float or double, of rank 1, "
                  "in memory that the execution space can access");
    build(exec, users, items, values, options);
  }

  /// A row for each user; columns are items.
  [[nodiscard]] Rows const& by_user() const { return by_user_; }
  /// A row for each item; columns are users.
  [[nodiscard]] Rows const& by_item() const { return by_item_; }
  [[nodiscard]] std::int32_t users() const { return by_user_.row_count; }
  [[nodiscard]] std::int32_t items() const { return by_user_.column_count; }
  [[nodiscard]] std::int64_t count() const { return by_user_.rating_count(); }

 private:
  friend struct detail::RatingsAccess;
  using Triples = detail::Triples<Real, MemorySpace>;
  static constexpr char const* function_ = "carroll::Ratings";

  template <class ExecSpace, class Users, class Items, class Values>
  void build(ExecSpace const& exec, Users const& users, Items const& items, Values const& values,
             RatingsOptions options);

  template <class ExecSpace, class Users, class Items>
  [[nodiscard]] Triples merged(ExecSpace const& exec, Triples const& sorted, Users const& users,
                               Items const& items, Duplicates duplicates) const;

  /// From triples that are sorted by user, then by item, without duplicates.
  template <class ExecSpace>
  void keep(ExecSpace const& exec, Triples const& sorted, std::int32_t users, std::int32_t items) {
    by_user_ = detail::rating_rows(exec, sorted, users, items);
    auto transposed = Triples::make(exec, sorted.count());
    auto other = Triples::make(exec, sorted.count());
    detail::copy_view(exec, transposed.rows, sorted.cols);
    detail::copy_view(exec, transposed.cols, sorted.rows);
    detail::copy_view(exec, transposed.values, sorted.values);
    detail::sort_triples(exec, transposed, other, true, items);
    by_item_ = detail::rating_rows(exec, transposed, items, users);
    exec.fence("carroll::Ratings");
  }

  Rows by_user_, by_item_;
};

template <ExecutionSpace ExecSpace, class Users, class Items, class Values>
Ratings(ExecSpace const&, Users const&, Items const&, Values const&, RatingsOptions const& = {})
    -> Ratings<typename Values::non_const_value_type, typename ExecSpace::memory_space>;

template <class Real, class MemorySpace>
template <class ExecSpace, class Users, class Items, class Values>
void Ratings<Real, MemorySpace>::build(ExecSpace const& exec, Users const& users,
                                       Items const& items, Values const& values,
                                       RatingsOptions options) {
  auto const count = static_cast<std::int64_t>(values.extent(0));
  detail::require(
      users.extent(0) == values.extent(0) && items.extent(0) == values.extent(0), function_, [&] {
        return "there are " + std::to_string(users.extent(0)) + " users, " +
               std::to_string(items.extent(0)) + " items and " + std::to_string(values.extent(0)) +
               " values of the ratings, must be as many of each";
      });
  detail::require(options.users >= 0 && options.items >= 0, function_, [&] {
    return "the options say " + std::to_string(options.users) + " users and " +
           std::to_string(options.items) + " items, neither may be negative";
  });
  auto triples = Triples::make(exec, count), other = Triples::make(exec, count);
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  using Read = detail::ReadTriples<Real, MemorySpace, typename Users::const_type,
                                   typename Items::const_type, typename Values::const_type>;
  detail::TripleFindings found;
  Kokkos::parallel_reduce("carroll::ratings::read", detail::Range<ExecSpace>(exec, 0, count),
                          Read{users, items, values, options.users > 0 ? options.users : most,
                               options.items > 0 ? options.items : most, triples},
                          found);
  exec.fence("carroll::Ratings: read");
  if (found.first_bad < count) {
    std::int64_t const e = found.first_bad;
    detail::refuse_triple(function_, e, detail::entry(exec, triples.rows, e),
                          detail::entry(exec, triples.cols, e),
                          detail::entry(exec, triples.values, e), options);
  }
  std::int32_t const user_count = options.users > 0 ? options.users : found.largest_user + 1;
  std::int32_t const item_count = options.items > 0 ? options.items : found.largest_item + 1;
  detail::sort_triples(exec, triples, other, false, item_count);
  detail::sort_triples(exec, triples, other, true, user_count);
  other = {};
  keep(exec, merged(exec, triples, users, items, options.duplicates), user_count, item_count);
}

template <class Real, class MemorySpace>
template <class ExecSpace, class Users, class Items>
detail::Triples<Real, MemorySpace> Ratings<Real, MemorySpace>::merged(ExecSpace const& exec,
                                                                      Triples const& sorted,
                                                                      Users const& users,
                                                                      Items const& items,
                                                                      Duplicates duplicates) const {
  std::int64_t const count = sorted.count();
  std::int64_t const repeat =
      detail::first_found(exec, 0, count, detail::FirstRepeat<Real, MemorySpace>{sorted});
  if (repeat == count) return sorted;
  if (duplicates == Duplicates::refuse) {
    std::int32_t const user = detail::entry(exec, sorted.rows, repeat);
    std::int32_t const item = detail::entry(exec, sorted.cols, repeat);
    using First = detail::FirstOfPair<typename Users::const_type, typename Items::const_type>;
    First const pair{users, items, user, item};
    std::int64_t const first = detail::first_found(exec, 0, count, pair);
    std::int64_t const second = detail::first_found(exec, first + 1, count, pair);
    throw std::invalid_argument(
        std::string(function_) + ": triples " + std::to_string(first) + " and " +
        std::to_string(second) + " are both of user " + std::to_string(user) + " and item " +
        std::to_string(item) +
        "; the options may say that they are summed or that the last counts");
  }
  using Merge = detail::MergeRepeats<Real, MemorySpace>;
  std::int64_t kept = 0;
  Kokkos::parallel_scan("carroll::ratings::merge", detail::Range<ExecSpace>(exec, 0, count),
                        Merge{sorted, {}, duplicates}, kept);
  exec.fence("carroll::Ratings: merge");
  auto const result = Triples::make(exec, kept);
  Kokkos::parallel_scan("carroll::ratings::merge", detail::Range<ExecSpace>(exec, 0, count),
                        Merge{sorted, result, duplicates});
  using Finite = detail::FirstNonFinite<typename Triples::Values>;
  std::int64_t const bad = detail::first_found(exec, 0, kept, Finite{result.values});
  detail::require(bad == kept, function_, [&] {
    return "the sum of the ratings of item " +
           std::to_string(detail::entry(exec, result.cols, bad)) + " by user " +
           std::to_string(detail::entry(exec, result.rows, bad)) + " is not a finite number";
  });
  return result;
}

}  // namespace carroll
