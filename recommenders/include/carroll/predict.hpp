// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/predict/kernel.hpp>
#include <carroll/detail/predict/views.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/ratings.hpp>
#include <carroll/status.hpp>
#include <cstdint>
#include <limits>

/// Ratings as a model expects them, of pairs of users and items:
///
///   r̂(u, i) = mean + item_bias(i) + user_bias(u) + U(u, :)·V(i, :)
///
///   auto info = carroll::predict(exec, model, train, users, items, predictions);
///
///   users, items   q of each, std::int32_t
///   predictions    q, written
///
/// Cold users and items are those without a rating in `train`, and all indices outside of the
/// model's extents: nothing is known of them, neither factors nor a bias. A pair with one gets the
/// bias-only answer, mean + the bias of the other one, and is counted in the info. Without `train`
/// only indices outside are cold.
///
/// The options may hold predictions within a range. O(q·k) work; sums of a fixed order: the same
/// bits for any number of threads and on hosts and devices. Fences `exec` once. A model whose
/// factors or biases are no finite numbers, or a sum that overflows, makes predictions that are
/// none: Status::non_finite. Misuse throws std::invalid_argument before anything is written.
namespace carroll {

struct PredictOptions {
  double lowest = -std::numeric_limits<double>::infinity();  ///< smaller predictions become this
  double highest = std::numeric_limits<double>::infinity();  ///< larger predictions become this
};

struct PredictInfo {
  Status status = Status::success;  ///< or non_finite
  std::int64_t cold_users = 0;      ///< pairs whose user is cold
  std::int64_t cold_items = 0;      ///< pairs whose item is cold
};

template <ExecutionSpace ExecSpace, class Real, class MemorySpace, class Users, class Items,
          class Predictions>
[[nodiscard]] PredictInfo predict(ExecSpace const& exec,
                                  FactorModel<Real, MemorySpace> const& model,
                                  Ratings<Real, MemorySpace> const& train, Users const& users,
                                  Items const& items, Predictions const& predictions,
                                  PredictOptions const& options = {}) {
  constexpr char const* function = "carroll::predict";
  detail::assert_pairs<ExecSpace, Real, Users, Items, Predictions>();
  detail::require_model(function, model);
  detail::require_pairs(function, users, items, predictions);
  bool const any = train.users() > 0 || train.items() > 0;
  if (any) detail::require_train(function, model, train);
  detail::require(options.lowest <= options.highest, function, [&] {
    return "lowest is " + std::to_string(options.lowest) + ", must not be above highest, " +
           std::to_string(options.highest);
  });
  using Kernel = detail::PredictPairs<Real, MemorySpace, typename Users::const_type,
                                      typename Items::const_type, Predictions>;
  detail::PredictCounts counts;
  Kokkos::parallel_reduce(
      "carroll::predict", detail::Range<ExecSpace>(exec, 0, std::int64_t(predictions.extent(0))),
      Kernel{model, train.by_user().offsets, train.by_item().offsets,
             static_cast<std::int64_t>(model.users()), static_cast<std::int64_t>(model.items()),
             any, users, items, predictions, options.lowest, options.highest},
      counts);
  exec.fence("carroll::predict");
  return {counts.bad > 0 ? Status::non_finite : Status::success, counts.cold_users,
          counts.cold_items};
}

/// The same where all users and items of the model count as known.
template <ExecutionSpace ExecSpace, class Real, class MemorySpace, class Users, class Items,
          class Predictions>
[[nodiscard]] PredictInfo predict(ExecSpace const& exec,
                                  FactorModel<Real, MemorySpace> const& model, Users const& users,
                                  Items const& items, Predictions const& predictions,
                                  PredictOptions const& options = {}) {
  return predict(exec, model, Ratings<Real, MemorySpace>(), users, items, predictions, options);
}

}  // namespace carroll
