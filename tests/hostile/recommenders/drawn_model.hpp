// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hostile/recommenders/drawn.hpp"
#include "recommenders/predict/models.hpp"
#include "recommenders/predict/ranked.hpp"

namespace carroll::test {

/// A model, what its users have rated, and what may be asked.
template <class Real>
struct DrawnModel {
  DrawnRatings<Real> drawn;
  HostModel model;
  Ratings<Real, Memory> train;
  std::vector<bool> known_users, known_items;
  std::map<std::pair<int, int>, double> rated;
  std::string text;

  explicit DrawnModel(Random& random)
      : drawn(random, 80, random.chance(0.1) ? 3000 : 150, Values::halves, 0.05) {
    int const k = log_uniform(random, 0, random.chance(0.1) ? 300 : 30);
    model = random_model(drawn.users, drawn.items, k, random.chance(0.5),
                         static_cast<std::uint64_t>(random.index(100000)));
    // Equal items, whose order is that of their indices.
    for (int t = random.index(20); t > 0 && drawn.items > 1; --t) {
      int const from = random.index(drawn.items), to = random.index(drawn.items);
      for (int l = 0; l < k; ++l) model.V[place(to * k + l)] = model.V[place(from * k + l)];
      if (!model.item_bias.empty()) model.item_bias[place(to)] = model.item_bias[place(from)];
    }
    train = drawn.ratings();
    known_users = known<Real>(drawn.triples.users, drawn.users);
    known_items = known<Real>(drawn.triples.items, drawn.items);
    rated = drawn.triples.by_pair();
    text = drawn.text + ", k " + std::to_string(k) + (model.user_bias.empty() ? "" : ", biases");
  }
  [[nodiscard]] double score(int u, int i) const {
    return expected(model, known_users, known_items, u, i);
  }
  [[nodiscard]] std::vector<double> scores(int u, bool seen) const {
    std::vector<double> all;
    for (int i = 0; i < drawn.items; ++i)
      all.push_back(seen && rated.count({u, i}) > 0 ? never : score(u, i));
    return all;
  }
};

/// Lists of any strided layout.
template <class Real>
struct Lists {
  Kokkos::View<std::int32_t***, Kokkos::LayoutLeft, Memory> room;
  Kokkos::View<Real***, Kokkos::LayoutRight, Memory> more;
  Lists(std::size_t rows, std::size_t wanted, Random& random)
      : room("carroll_test::ids", place(1 + random.index(3)), rows, wanted),
        more("carroll_test::scores", rows, wanted, place(1 + random.index(3))) {}
  [[nodiscard]] auto ids() const { return Kokkos::subview(room, 0, Kokkos::ALL, Kokkos::ALL); }
  [[nodiscard]] auto scores() const { return Kokkos::subview(more, Kokkos::ALL, Kokkos::ALL, 0); }
};

}  // namespace carroll::test
