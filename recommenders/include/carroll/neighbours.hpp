// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/neighbours/calls.hpp>
#include <carroll/detail/predict/views.hpp>
#include <carroll/error.hpp>
#include <carroll/neighbours/types.hpp>
#include <carroll/ratings.hpp>
#include <carroll/ratings/rows.hpp>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

/// The nearest neighbours of users or of items, and ratings predicted from them.
///
///   auto info = carroll::neighbours(exec, by_user, by_item, similar_ids, similarities,
///                                   {.between = carroll::Between::items, .shrinkage = 50});
///   auto info = carroll::predict_neighbours(exec, by_user, by_item, users, items, predictions);
///
///   by_user, by_item   the same ratings both ways (carroll::Ratings has both); read only
///
/// Which rows are like which, and how predictions are made, is told with NeighbourOptions
/// (neighbours/types.hpp). Sums grow in the order of a row's columns and neighbours are in order of
/// similarity, then of index, so that all results are the same bits for any number of threads and
/// on all devices. Counts of common columns are exact to 2^24 with float.
///
/// Σ d² steps, d the ratings of a column of what is compared (for items, of each user), of 16 bytes
/// each (of 32 for Similarity::pearson_corated), which caches hold; a table of as much for each
/// rating, and for each team at work a row of sums, are allocated, see `bytes` of the info.
namespace carroll {

namespace detail {

/// Of lists of neighbours, a row for each user or item that is compared: how many these are.
template <class Real, class MemorySpace, class IdView, class SimilarityView>
long long require_lists(char const* function, RatingRows<Real, MemorySpace> const& by_user,
                        RatingRows<Real, MemorySpace> const& by_item, IdView const& similar_ids,
                        SimilarityView const& similarities, NeighbourOptions const& options) {
  require_transposed(function, by_user, by_item);
  require_usable(function, options);
  long long const rows = options.between == Between::users ? by_user.row_count : by_item.row_count;
  auto const listed = static_cast<long long>(similar_ids.extent(1));
  require_extents(function, "similar_ids", {static_cast<long long>(similar_ids.extent(0)), listed},
                  {rows, listed});
  require_extents(function, "similarities",
                  {static_cast<long long>(similarities.extent(0)),
                   static_cast<long long>(similarities.extent(1))},
                  {rows, listed});
  return rows;
}

}  // namespace detail

/// The most similar rows of each.
///
///   similar_ids    rows × K std::int32_t; row i: its K most similar other rows, the most similar
///                  first, equals by index; −1 where there are not so many. Overwritten.
///   similarities   rows × K of the ratings' type: theirs, 0 where there are not so many.
///                  Overwritten.
///
/// rows are users or items as the options say. With a rating that is NaN or infinite the status is
/// non_finite, ids are −1 and similarities NaN. Fences `exec`. Misuse throws std::invalid_argument
/// with actual and required sizes before anything is written.
template <ExecutionSpace ExecSpace, class Real, class IdView, class SimilarityView>
NeighbourInfo neighbours(ExecSpace const& exec,
                         RatingRows<Real, typename ExecSpace::memory_space> const& by_user,
                         RatingRows<Real, typename ExecSpace::memory_space> const& by_item,
                         IdView const& similar_ids, SimilarityView const& similarities,
                         NeighbourOptions const& options = {}) {
  static_assert(StridedView<IdView> && int(IdView::rank) == 2 &&
                    std::same_as<typename IdView::value_type, std::int32_t> &&
                    AccessibleView<IdView, ExecSpace>,
                "carroll::neighbours: similar_ids must be a strided View of std::int32_t, of rank "
                "2, in memory that the execution space can access");
  static_assert(WritableView<SimilarityView, ExecSpace, 2> &&
                    std::same_as<typename SimilarityView::value_type, Real>,
                "carroll::neighbours: similarities must be a strided View of the ratings' type, of "
                "rank 2, in memory that the execution space can access");
  constexpr char const* function = "carroll::neighbours";
  long long const rows =
      detail::require_lists(function, by_user, by_item, similar_ids, similarities, options);
  auto const kept = static_cast<long long>(similar_ids.extent(1));
  NeighbourInfo info;
  if (rows == 0 || kept == 0) return info;
  detail::ComparedRatings<ExecSpace, Real> compared(exec, by_user, by_item, options);
  if (!compared.finite()) {
    info.status = Status::non_finite;
    Kokkos::deep_copy(exec, similar_ids, -1);
    Kokkos::deep_copy(exec, similarities, std::numeric_limits<Real>::quiet_NaN());
  } else {
    compared.prepare(exec, options, false);
    auto teams = detail::row_teams<Real>(exec, compared.problem.width, rows,
                                         static_cast<std::int32_t>(kept));
    auto const memory = detail::allocate_teams(exec, teams);
    using Take = detail::TakeNearest<ExecSpace, Real, IdView, SimilarityView>;
    detail::compare_rows("carroll::neighbours::compare", exec, compared.problem, teams,
                         Take{similar_ids, similarities});
    info.bytes = compared.bytes + memory.span();
  }
  exec.fence(function);
  return info;
}

namespace detail {

/// What both ways of predicting have in common: answer(compared, queries, sorted, info).
template <class ExecSpace, class Real, class Users, class Items, class Predictions, class Answer>
NeighbourPredictionInfo predict_by(
    char const* function, ExecSpace const& exec,
    RatingRows<Real, typename ExecSpace::memory_space> const& by_user,
    RatingRows<Real, typename ExecSpace::memory_space> const& by_item, Users const& users,
    Items const& items, Predictions const& predictions, NeighbourOptions const& options,
    Answer const& answer) {
  using Memory = typename ExecSpace::memory_space;
  static_assert(is_index_list<Users, ExecSpace> && is_index_list<Items, ExecSpace>,
                "carroll::predict_neighbours: users and items must be strided Views of "
                "std::int32_t, of rank 1, in memory that the execution space can access");
  static_assert(WritableView<Predictions, ExecSpace, 1> &&
                    std::same_as<typename Predictions::value_type, Real>,
                "carroll::predict_neighbours: predictions must be a strided View of the ratings' "
                "type, of rank 1, in memory that the execution space can access");
  auto const count = static_cast<long long>(predictions.extent(0));
  require_extents(function, "users", {static_cast<long long>(users.extent(0))}, {count});
  require_extents(function, "items", {static_cast<long long>(items.extent(0))}, {count});
  NeighbourPredictionInfo info;
  if (count == 0) return info;
  ComparedRatings<ExecSpace, Real> compared(exec, by_user, by_item, options);
  if (!compared.finite()) {
    info.status = Status::non_finite;
    Kokkos::deep_copy(exec, predictions, std::numeric_limits<Real>::quiet_NaN());
    exec.fence(function);
    return info;
  }
  bool const of_users = options.between == Between::users;
  // Copies without gaps, which memory spaces can exchange.
  auto const packed = [&]<class T>(auto const& view, T) {
    auto const copy =
        allocate<Kokkos::View<T*, Memory>>(exec, "carroll::neighbours::queries", count);
    Kokkos::deep_copy(exec, copy, view);
    return copy;
  };
  auto const user_copy = packed(users, std::int32_t{}), item_copy = packed(items, std::int32_t{});
  RatingQueries<Real, Memory> const queries{
      compared.levels,
      of_users ? user_copy : item_copy,
      of_users ? item_copy : user_copy,
      allocate<Kokkos::View<Real*, Memory>>(exec, "carroll::neighbours::predictions", count),
      allocate<Kokkos::View<std::uint8_t*, Memory>>(exec, "carroll::neighbours::alone", count),
      options.lowest,
      options.highest};
  SortedQueries const sorted(on_host(exec, compared.rows.offsets),
                             on_host(exec, compared.columns.offsets), on_host(exec, queries.rows),
                             on_host(exec, queries.columns));
  info.cold_users = of_users ? sorted.cold_rows : sorted.cold_columns;
  info.cold_items = of_users ? sorted.cold_columns : sorted.cold_rows;
  info.bytes = compared.bytes + static_cast<std::size_t>(count) * (9 + sizeof(Real)) +
               answer(compared, queries, sorted);
  Kokkos::deep_copy(exec, predictions, queries.predictions);
  for (std::uint8_t const alone : on_host(exec, queries.alone)) info.bias_only += alone;
  return info;
}

}  // namespace detail

/// Ratings of items by users, each from the `options.nearest` most similar of all rows that rated
/// what is asked for: items of the same user, or users of the same item.
///
///   users, items   of each prediction; an index that no rating has is a cold user or item
///   predictions    of the ratings' type; overwritten
///
/// r̂ = level + Σ sim·(r − its level) / Σ sim, where levels are what the centring says, over
/// neighbours in their order; the level alone, counted in the info, where there is no neighbour or
/// Σ sim = 0. Rows are compared as in `neighbours`, those that a prediction is asked for, and
/// nothing is kept of them: the form that Surprise computes from a matrix of all similarities.
/// Sorts the queries on the host, fences `exec` some times.
template <ExecutionSpace ExecSpace, class Real, class Users, class Items, class Predictions>
NeighbourPredictionInfo predict_neighbours(
    ExecSpace const& exec, RatingRows<Real, typename ExecSpace::memory_space> const& by_user,
    RatingRows<Real, typename ExecSpace::memory_space> const& by_item, Users const& users,
    Items const& items, Predictions const& predictions, NeighbourOptions const& options = {}) {
  using Memory = typename ExecSpace::memory_space;
  constexpr char const* function = "carroll::predict_neighbours";
  detail::require_transposed(function, by_user, by_item);
  detail::require_usable(function, options);
  auto const answer = [&](auto& compared, auto const& queries, auto const& sorted) {
    using Bare = detail::BareAnswerKernel<ExecSpace, Real, Memory>;
    Kokkos::parallel_for("carroll::neighbours::levels",
                         typename Bare::Policy(exec, 0, queries.predictions.extent(0)),
                         Bare{queries});
    if (sorted.order.empty() || options.nearest == 0) return std::size_t{0};
    std::size_t const before = compared.bytes;
    compared.prepare(exec, options, true);
    auto teams = detail::row_teams<Real>(exec, compared.problem.width, compared.rows.row_count,
                                         options.nearest);
    auto const memory = detail::allocate_teams(exec, teams);
    using Take = detail::TakeQueries<ExecSpace, Real, Memory>;
    Take const take{queries, compared.columns, compared.deviations,
                    detail::on_device<Memory>(exec, sorted.begins),
                    detail::on_device<Memory>(exec, sorted.order)};
    detail::compare_rows("carroll::neighbours::predict", exec, compared.problem, teams, take);
    exec.fence(function);
    return compared.bytes - before + memory.span() +
           (sorted.begins.size() + sorted.order.size()) * sizeof(std::int64_t);
  };
  return detail::predict_by(function, exec, by_user, by_item, users, items, predictions, options,
                            answer);
}

/// The same from lists that `neighbours` made with the same options: from the first
/// `options.nearest` of a row's list that rated what is asked for. With lists that hold all
/// neighbours these are the same bits; shorter lists are faster, and may have none that did.
template <ExecutionSpace ExecSpace, class Real, class IdView, class SimilarityView, class Users,
          class Items, class Predictions>
NeighbourPredictionInfo predict_neighbours(
    ExecSpace const& exec, RatingRows<Real, typename ExecSpace::memory_space> const& by_user,
    RatingRows<Real, typename ExecSpace::memory_space> const& by_item, IdView const& similar_ids,
    SimilarityView const& similarities, Users const& users, Items const& items,
    Predictions const& predictions, NeighbourOptions const& options = {}) {
  static_assert(StridedView<IdView> && int(IdView::rank) == 2 &&
                    std::same_as<typename IdView::non_const_value_type, std::int32_t> &&
                    AccessibleView<IdView, ExecSpace>,
                "carroll::predict_neighbours: similar_ids must be a strided View of std::int32_t, "
                "of rank 2, in memory that the execution space can access");
  static_assert(ReadableView<SimilarityView, ExecSpace, 2> &&
                    std::same_as<typename SimilarityView::non_const_value_type, Real>,
                "carroll::predict_neighbours: similarities must be a strided View of the ratings' "
                "type, of rank 2, in memory that the execution space can access");
  constexpr char const* function = "carroll::predict_neighbours";
  detail::require_lists(function, by_user, by_item, similar_ids, similarities, options);
  auto const answer = [&](auto& compared, auto const& queries, auto const&) {
    using Kernel = detail::ListAnswerKernel<ExecSpace, Real, IdView, SimilarityView>;
    Kokkos::parallel_for("carroll::neighbours::predict",
                         typename Kernel::Policy(exec, 0, queries.predictions.extent(0)),
                         Kernel{queries, compared.rows, compared.number, similar_ids, similarities,
                                options.nearest});
    return std::size_t{0};
  };
  return detail::predict_by(function, exec, by_user, by_item, users, items, predictions, options,
                            answer);
}

/// The same three of carroll::Ratings.
template <ExecutionSpace ExecSpace, class Real, class IdView, class SimilarityView>
NeighbourInfo neighbours(ExecSpace const& exec,
                         Ratings<Real, typename ExecSpace::memory_space> const& ratings,
                         IdView const& similar_ids, SimilarityView const& similarities,
                         NeighbourOptions const& options = {}) {
  return neighbours(exec, ratings.by_user(), ratings.by_item(), similar_ids, similarities, options);
}
template <ExecutionSpace ExecSpace, class Real, class Users, class Items, class Predictions>
NeighbourPredictionInfo predict_neighbours(
    ExecSpace const& exec, Ratings<Real, typename ExecSpace::memory_space> const& ratings,
    Users const& users, Items const& items, Predictions const& predictions,
    NeighbourOptions const& options = {}) {
  return predict_neighbours(exec, ratings.by_user(), ratings.by_item(), users, items, predictions,
                            options);
}
template <ExecutionSpace ExecSpace, class Real, class IdView, class SimilarityView, class Users,
          class Items, class Predictions>
NeighbourPredictionInfo predict_neighbours(
    ExecSpace const& exec, Ratings<Real, typename ExecSpace::memory_space> const& ratings,
    IdView const& similar_ids, SimilarityView const& similarities, Users const& users,
    Items const& items, Predictions const& predictions, NeighbourOptions const& options = {}) {
  return predict_neighbours(exec, ratings.by_user(), ratings.by_item(), similar_ids, similarities,
                            users, items, predictions, options);
}

}  // namespace carroll
