// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/ratings.hpp>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "support/copy.hpp"
#include "support/random.hpp"

namespace carroll::test {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

/// What stands in the host's vector, in the memory of the execution space.
template <class T>
Kokkos::View<T*, Memory> on_device(std::vector<T> const& values) {
  Kokkos::View<T*, Memory> const view("test", values.size());
  carroll::test::deep_copy(view, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                     values.data(), values.size()));
  return view;
}

/// The other way round.
template <class View>
std::vector<typename View::non_const_value_type> on_host(View const& view) {
  std::vector<typename View::non_const_value_type> values(view.extent(0));
  using Host = Kokkos::View<typename View::non_const_value_type*, Kokkos::HostSpace,
                            Kokkos::MemoryUnmanaged>;
  carroll::test::deep_copy(Host(values.data(), values.size()), view);
  return values;
}

/// Ratings as a caller has them.
template <class Real>
struct HostTriples {
  std::vector<std::int32_t> users, items;
  std::vector<Real> values;

  void add(int user, int item, Real value) {
    users.push_back(user);
    items.push_back(item);
    values.push_back(value);
  }
  [[nodiscard]] std::size_t count() const { return values.size(); }
  [[nodiscard]] Ratings<Real, Memory> ratings(RatingsOptions const& options = {}) const {
    return Ratings<Real, Memory>(Exec(), on_device(users), on_device(items), on_device(values),
                                 options);
  }
  [[nodiscard]] std::map<std::pair<int, int>, double> by_pair() const {
    std::map<std::pair<int, int>, double> pairs;
    for (std::size_t e = 0; e < count(); ++e)
      pairs[{users[e], items[e]}] = static_cast<double>(values[e]);
    return pairs;
  }
};

/// Each pair of a user and an item with that probability, in a random order; values 0.5, 1, …, 5.
template <class Real>
HostTriples<Real> random_triples(int users, int items, double density, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::pair<int, int>> pairs;
  for (int u = 0; u < users; ++u)
    for (int i = 0; i < items; ++i)
      if (random.chance(density)) pairs.emplace_back(u, i);
  random.shuffle(pairs);
  HostTriples<Real> triples;
  for (auto const& [u, i] : pairs) triples.add(u, i, static_cast<Real>(1 + random.index(10)) / 2);
  return triples;
}

}  // namespace carroll::test
