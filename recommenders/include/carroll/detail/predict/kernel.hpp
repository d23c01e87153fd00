// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/predict/dot.hpp>
#include <carroll/factor_model.hpp>
#include <cstdint>

namespace carroll::detail {

struct PredictCounts {
  std::int64_t cold_users = 0, cold_items = 0, bad = 0;
};

/// A thread a pair.
template <class Real, class MemorySpace, class Users, class Items, class Predictions>
struct PredictPairs {
  using value_type = PredictCounts;
  using Offsets = Kokkos::View<std::int64_t const*, Kokkos::LayoutRight, MemorySpace>;
  FactorModel<Real, MemorySpace> model;
  Offsets user_offsets, item_offsets;
  std::int64_t user_count, item_count;
  bool by_ratings;  ///< is who has none cold?
  Users users;
  Items items;
  Predictions predictions;
  double lowest, highest;

  [[nodiscard]] KOKKOS_FUNCTION bool is_cold(std::int64_t index, std::int64_t count,
                                             Offsets const& offsets) const {
    if (index < 0 || index >= count) return true;
    return by_ratings && offsets(index) == offsets(index + 1);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t e, PredictCounts& counts) const {
    std::int64_t const u = users(e), i = items(e);
    bool const cold_user = is_cold(u, user_count, user_offsets);
    bool const cold_item = is_cold(i, item_count, item_offsets);
    Real rating = model.mean;
    if (!cold_item && model.item_bias.extent(0) > 0) rating += model.item_bias(i);
    if (!cold_user && model.user_bias.extent(0) > 0) rating += model.user_bias(u);
    auto const factors = static_cast<std::int64_t>(model.U.extent(1));
    if (!cold_user && !cold_item && factors > 0)
      rating += factor_dot<Real>(&model.U(u, 0), &model.V(i, 0), factors);
    counts.cold_users += cold_user ? 1 : 0;
    counts.cold_items += cold_item ? 1 : 0;
    counts.bad += Kokkos::isfinite(rating) ? 0 : 1;
    if (rating < lowest) rating = static_cast<Real>(lowest);
    if (rating > highest) rating = static_cast<Real>(highest);
    predictions(e) = rating;
  }
  KOKKOS_FUNCTION void init(PredictCounts& counts) const { counts = PredictCounts{}; }
  KOKKOS_FUNCTION void join(PredictCounts& to, PredictCounts const& from) const {
    to.cold_users += from.cold_users;
    to.cold_items += from.cold_items;
    to.bad += from.bad;
  }
};

}  // namespace carroll::detail
