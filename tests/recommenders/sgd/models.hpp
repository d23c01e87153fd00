// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/sgd.hpp>
#include <cstddef>
#include <vector>

#include "recommenders/ratings/triples.hpp"

namespace carroll::test {

/// A model on the host, by rows.
template <class Real>
struct ModelEntries {
  std::vector<Real> U, V, user_bias, item_bias;
  Real mean = 0;

  bool operator==(ModelEntries const&) const = default;
};

template <class Real>
FactorModel<Real, Memory> empty_model(int users, int items, int factors, bool biases = true) {
  using Model = FactorModel<Real, Memory>;
  auto const size = [](int n) { return static_cast<std::size_t>(n); };
  Model model;
  model.U = typename Model::Factors("U", size(users), size(factors));
  model.V = typename Model::Factors("V", size(items), size(factors));
  if (biases) {
    model.user_bias = typename Model::Biases("user_bias", size(users));
    model.item_bias = typename Model::Biases("item_bias", size(items));
  }
  return model;
}

template <class Real>
ModelEntries<Real> host_model(FactorModel<Real, Memory> const& model) {
  auto const flat = [](auto const& factors) {
    auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), factors);
    std::vector<Real> values;
    for (std::size_t i = 0; i < copy.extent(0); ++i)
      for (std::size_t f = 0; f < copy.extent(1); ++f) values.push_back(copy(i, f));
    return values;
  };
  return {flat(model.U), flat(model.V), on_host(model.user_bias), on_host(model.item_bias),
          model.mean};
}

/// The order in which carroll::sgd visits ratings, which tests of their own look at.
template <class Real>
detail::SgdSchedule<Real> schedule_of(Ratings<Real, Memory> const& ratings, int blocks,
                                      std::uint64_t seed) {
  auto const& rows = ratings.by_user();
  return {on_host(rows.offsets),
          on_host(rows.columns),
          on_host(rows.values),
          rows.column_count,
          blocks,
          seed};
}

}  // namespace carroll::test
