// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/factor_model.hpp>
#include <cstdint>

#include "recommenders/ratings/triples.hpp"
#include "support/copy.hpp"

namespace carroll::test {

/// A model as the oracles read it.
struct HostModel {
  int users = 0, items = 0, factors = 0;
  std::vector<double> U, V, user_bias, item_bias;
  double mean = 0;

  [[nodiscard]] double product(int u, int i) const {
    double sum = 0;
    for (int l = 0; l < factors; ++l)
      sum += U[static_cast<std::size_t>(u * factors + l)] *
             V[static_cast<std::size_t>(i * factors + l)];
    return sum;
  }
};

/// Small whole numbers over 8: all sums are exact in float, so that oracles see the same ties.
inline HostModel random_model(int users, int items, int factors, bool biases, std::uint64_t seed) {
  Random random(seed);
  HostModel model{users, items, factors, {}, {}, {}, {}, biases ? 3.5 : 0};
  auto const fill = [&](std::vector<double>& values, int count) {
    for (int e = 0; e < count; ++e) values.push_back((random.index(17) - 8) / 8.);
  };
  fill(model.U, users * factors);
  fill(model.V, items * factors);
  if (biases) {
    fill(model.user_bias, users);
    fill(model.item_bias, items);
  }
  return model;
}

template <class Real>
FactorModel<Real, Memory> on_device(HostModel const& host) {
  FactorModel<Real, Memory> model;
  auto const matrix = [](std::vector<double> const& values, int rows, int cols) {
    Kokkos::View<Real**, Kokkos::LayoutRight, Memory> const view(
        "factors", static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
    auto const mirror = Kokkos::create_mirror_view(view);
    for (int i = 0; i < rows; ++i)
      for (int l = 0; l < cols; ++l)
        mirror(i, l) = static_cast<Real>(values[static_cast<std::size_t>(i * cols + l)]);
    carroll::test::deep_copy(view, mirror);
    return view;
  };
  auto const vector = [](std::vector<double> const& values) {
    return on_device(std::vector<Real>(values.begin(), values.end()));
  };
  model.U = matrix(host.U, host.users, host.factors);
  model.V = matrix(host.V, host.items, host.factors);
  model.user_bias = vector(host.user_bias);
  model.item_bias = vector(host.item_bias);
  model.mean = static_cast<Real>(host.mean);
  return model;
}

/// Who has a rating.
template <class Real>
std::vector<bool> known(std::vector<std::int32_t> const& indices, int count) {
  std::vector<bool> is_known(static_cast<std::size_t>(count), false);
  for (auto const index : indices) is_known[static_cast<std::size_t>(index)] = true;
  return is_known;
}

/// The prediction, with the bias-only answer for who is not known.
inline double expected(HostModel const& model, std::vector<bool> const& known_users,
                       std::vector<bool> const& known_items, int u, int i) {
  auto const is = [](std::vector<bool> const& all, int index) {
    return index >= 0 && index < static_cast<int>(all.size()) &&
           all[static_cast<std::size_t>(index)];
  };
  bool const user = is(known_users, u), item = is(known_items, i);
  double rating = model.mean;
  if (user && !model.user_bias.empty()) rating += model.user_bias[static_cast<std::size_t>(u)];
  if (item && !model.item_bias.empty()) rating += model.item_bias[static_cast<std::size_t>(i)];
  if (user && item) rating += model.product(u, i);
  return rating;
}

}  // namespace carroll::test
