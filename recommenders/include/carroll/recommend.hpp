// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/predict/views.hpp>
#include <carroll/detail/recommend/base.hpp>
#include <carroll/detail/recommend/best.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/ratings.hpp>
#include <carroll/status.hpp>
#include <cstdint>
#include <limits>

/// The items with the largest predictions, for each of some users; those that they have rated in
/// `train` are left out.
///
///   auto info = carroll::recommend(exec, model, train, users, ids, scores);
///
///   users    q, std::int32_t: indices into the model, any number of times
///   ids      q×N, std::int32_t, written: best first, of equal scores the lower index first
///   scores   q×N, written: the model's predictions; ids and scores may have any strided layout
///
/// N, the columns of ids, is anything from 0 to the number of items. A user with fewer than N items
/// to be recommended has −1 and −∞ behind the last one; items whose score is −∞ are never
/// recommended. The ranking is of all items, never of a sample.
///
/// Cold users and items, those without a rating in `train` and users outside of the model, get the
/// bias-only answer (see predict.hpp). With `seen` false nothing is left out.
///
/// All items are scored: 2·q·items·k flops of `gemm`, for tiles of users whose scores take
/// `tile_bytes` (by default 256 MiB on devices, 8 MiB on hosts), and are read once for the best, on
/// devices twice.
/// Allocates that, and as much as `gemm_workspace` says. The same bits for any number of threads
/// and for each user whatever users are asked for. Fences `exec`.
///
/// A user whose scores have NaN or +∞ gets −1 and NaN, and the status is non_finite. Misuse throws
/// std::invalid_argument before anything is written; want of memory AllocationError.
namespace carroll {

struct RecommendOptions {
  bool seen = true;             ///< leave out what users have rated
  std::int64_t tile_bytes = 0;  ///< of scores held at a time; 0: the default
};

struct RecommendInfo {
  Status status = Status::success;  ///< or non_finite
  std::int64_t cold_users = 0;      ///< of those asked for
  std::int64_t cold_items = 0;      ///< of all items
  std::int64_t not_full = 0;        ///< users with fewer than N items
};

namespace detail {

/// `more(exec, problem, tile)` adds to the products of the factors.
template <class ExecSpace, class Real, class MemorySpace, class Users, class Ids, class Scores,
          class More>
RecommendInfo recommend_with(ExecSpace const& exec, FactorModel<Real, MemorySpace> const& model,
                             Ratings<Real, MemorySpace> const& train, Users const& users,
                             Ids const& ids, Scores const& scores, RecommendOptions const& options,
                             More const& more) {
  constexpr char const* function = "carroll::recommend";
  static_assert(detail::is_index_list<Users, ExecSpace>,
                "carroll::recommend: users must be a strided View of std::int32_t, of rank 1, in "
                "memory that the execution space can access");
  detail::assert_best<ExecSpace, Real, Ids, Scores>();
  detail::require_model(function, model);
  detail::require_train(function, model, train);
  detail::BestProblem<Real, MemorySpace> problem;
  detail::bind_best(function, problem, users, ids, scores, model.items());
  detail::require(options.tile_bytes >= 0, function,
                  [&] { return "tile_bytes is " + std::to_string(options.tile_bytes); });
  problem.left = model.U;
  problem.V = model.V;
  problem.bias = model.user_bias;
  problem.cold_by_seen = true;
  auto const& seen = train.by_user();
  problem.offsets = seen.offsets;
  // Who has rated nothing is found by the offsets, also where nothing is left out.
  problem.leaves_out_seen = options.seen;
  problem.seen = seen.columns;
  auto const cold = detail::cold_rows(exec, train.by_item());
  problem.cold_items = cold;
  problem.mean = model.mean;
  if (detail::lanes<ExecSpace> == 1 || model.item_bias.extent(0) > 0)
    problem.base = detail::item_base(exec, model, train.by_item());
  auto const counts =
      detail::find_best(exec, function, problem, {.tile_bytes = options.tile_bytes}, more);
  return {counts[int(detail::BestCount::bad)] > 0 ? Status::non_finite : Status::success,
          counts[int(detail::BestCount::cold)], static_cast<std::int64_t>(cold.extent(0)),
          counts[int(detail::BestCount::not_full)]};
}

}  // namespace detail

template <ExecutionSpace ExecSpace, class Real, class MemorySpace, class Users, class Ids,
          class Scores>
[[nodiscard]] RecommendInfo recommend(ExecSpace const& exec,
                                      FactorModel<Real, MemorySpace> const& model,
                                      Ratings<Real, MemorySpace> const& train, Users const& users,
                                      Ids const& ids, Scores const& scores,
                                      RecommendOptions const& options = {}) {
  return detail::recommend_with(exec, model, train, users, ids, scores, options,
                                detail::NoMoreScores{});
}

}  // namespace carroll
