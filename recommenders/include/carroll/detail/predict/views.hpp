// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/error.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/ratings.hpp>
#include <cstdint>
#include <limits>
#include <string>

/// What the callers of predictions and recommendations hand over, checked.
namespace carroll::detail {

template <class View, class ExecSpace>
inline constexpr bool is_index_list = is_triple_view<View, ExecSpace, std::int32_t>;

template <class ExecSpace, class Real, class Users, class Items, class Predictions>
consteval void assert_pairs() {
  static_assert(is_index_list<Users, ExecSpace> && is_index_list<Items, ExecSpace>,
                "carroll::predict: users and items must be strided Views of std::int32_t, of rank "
                "1, in memory that the execution space can access");
  static_assert(is_output_of<Predictions, ExecSpace, Real> && rank_of<Predictions>() == 1,
                "carroll::predict: predictions must be a writable strided View of the model's "
                "scalar type, of rank 1, in memory that the execution space can access");
}

/// Throws std::invalid_argument unless the Views of a model fit together.
template <class Real, class MemorySpace>
void require_model(char const* function, FactorModel<Real, MemorySpace> const& model) {
  require(model.U.extent(1) == model.V.extent(1), function, [&] {
    return "the model's U is " + view_extents_text(model.U) + " and its V " +
           view_extents_text(model.V) + ", must be of one number of factors";
  });
  auto const require_bias = [&](char const* name, auto const& bias, auto const& factors) {
    require(bias.extent(0) == 0 || bias.extent(0) == factors.extent(0), function, [&] {
      return std::string("the model's ") + name + " is " + view_extents_text(bias) +
             ", must be empty or " + std::to_string(factors.extent(0));
    });
  };
  require_bias("user_bias", model.user_bias, model.U);
  require_bias("item_bias", model.item_bias, model.V);
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  require(model.users() <= most && model.items() <= most, function, [&] {
    return "the model is for " + std::to_string(model.users()) + " users and " +
           std::to_string(model.items()) + " items, must be at most " + std::to_string(most);
  });
}

/// … and are of as many users and items as the ratings.
template <class Real, class MemorySpace>
void require_train(char const* function, FactorModel<Real, MemorySpace> const& model,
                   Ratings<Real, MemorySpace> const& train) {
  require(train.users() == model.users() && train.items() == model.items(), function, [&] {
    return "the ratings are of " + std::to_string(train.users()) + " users and " +
           std::to_string(train.items()) + " items, must be of the model's, " +
           std::to_string(model.users()) + " and " + std::to_string(model.items());
  });
}

template <class Users, class Items, class Predictions>
void require_pairs(char const* function, Users const& users, Items const& items,
                   Predictions const& predictions) {
  require(users.extent(0) == predictions.extent(0) && items.extent(0) == predictions.extent(0),
          function, [&] {
            return "there are " + std::to_string(users.extent(0)) + " users, " +
                   std::to_string(items.extent(0)) + " items and " +
                   std::to_string(predictions.extent(0)) + " predictions, must be as many of each";
          });
}

}  // namespace carroll::detail
