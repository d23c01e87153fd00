// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/factor_model.hpp>
#include <carroll/status.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "contract/new_instance.hpp"
#include "hostile/round.hpp"
#include "recommenders/ratings/triples.hpp"
#include "support/copy.hpp"

namespace carroll::test {

template <class Real>
inline constexpr char const* real_name = sizeof(Real) == 4 ? "float" : "double";

inline std::size_t place(int index) {
  return static_cast<std::size_t>(index);
}

/// From `least` to `most`, small ones more often.
inline int log_uniform(Random& random, int least, int most) {
  double const drawn = std::exp(random.uniform() * std::log((most + 1.) / std::max(least, 1)));
  return std::clamp(static_cast<int>(drawn * std::max(least, 1)) - (least == 0 ? 1 : 0), least,
                    most);
}

/// What ratings are.
enum class Values { halves, normal, constant, large, small, mixed };
inline char const* name_of(Values values) {
  char const* const names[] = {"halves", "normal", "constant", "large", "small", "mixed"};
  return names[static_cast<int>(values)];
}
template <class Real>
Real any_value(Random& random, Values values) {
  switch (values) {
    case Values::halves: return static_cast<Real>(1 + random.index(10)) / 2;
    case Values::normal: return static_cast<Real>(random.normal());
    case Values::constant: return static_cast<Real>(3.7);
    case Values::large: return static_cast<Real>(std::ldexp(random.symmetric(), 20));
    case Values::small: return static_cast<Real>(std::ldexp(random.symmetric(), -20));
    case Values::mixed: break;
  }
  return static_cast<Real>(std::ldexp(random.symmetric(), random.index(13) - 6));
}

/// Ratings as they come: some of the users and items have none, maybe one item has many.
template <class Real>
struct DrawnRatings {
  int users = 0, items = 0;
  Values values = Values::halves;
  HostTriples<Real> triples;
  std::string text;

  DrawnRatings(Random& random, int most_users, int most_items, Values of_what, double long_item)
      : users(log_uniform(random, 1, most_users)),
        items(log_uniform(random, 1, most_items)),
        values(of_what) {
    bool const is_long = random.chance(long_item);
    if (is_long) users = std::max(users, 520 + random.index(4500));
    double const density = is_long ? random.uniform() * 8 / users : std::pow(random.uniform(), 2);
    double const empty = random.chance(0.5) ? 0.2 * random.uniform() : 0;
    std::vector<bool> no_user, no_item;
    for (int u = 0; u < users; ++u) no_user.push_back(random.chance(empty));
    for (int i = 0; i < items; ++i) no_item.push_back(random.chance(empty));
    int const favourite = is_long ? random.index(items) : -1;
    std::vector<std::pair<int, int>> pairs;
    for (int u = 0; u < users; ++u)
      for (int i = 0; i < items; ++i)
        if (!no_user[place(u)] && !no_item[place(i)] && (i == favourite || random.chance(density)))
          pairs.emplace_back(u, i);
    random.shuffle(pairs);
    for (auto const& [u, i] : pairs) triples.add(u, i, any_value<Real>(random, values));
    text = std::string(real_name<Real>) + ", " + std::to_string(users) + " users, " +
           std::to_string(items) + " items, " + std::to_string(triples.count()) + " ratings, " +
           name_of(values) + (is_long ? ", a long item" : "");
  }
  [[nodiscard]] Ratings<Real, Memory> ratings() const {
    return triples.ratings({.users = users, .items = items});
  }
};

/// Rows of a View of rank 2 one after the other, or a View of rank 1, on the host.
template <class View>
std::vector<typename View::non_const_value_type> entries(View const& view) {
  if constexpr (int(View::rank) == 1) {
    return on_host(view);
  } else {
    using T = typename View::non_const_value_type;
    Kokkos::View<T**, Kokkos::LayoutRight, Memory> const packed("carroll_test::packed",
                                                                view.extent(0), view.extent(1));
    carroll::test::deep_copy(packed, view);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), packed);
    return std::vector<T>(host.data(), host.data() + host.size());
  }
}

/// The same bits, those of NaN, too.
template <class T>
bool same_entries(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
template <class T>
bool all_finite_in(std::vector<T> const& a) {
  return std::all_of(a.begin(), a.end(), [](T x) { return std::isfinite(x); });
}
template <class T>
bool all_nan_in(std::vector<T> const& a) {
  return std::all_of(a.begin(), a.end(), [](T x) { return std::isnan(x); });
}

/// A model's numbers, one after the other.
template <class Real>
std::vector<Real> entries(FactorModel<Real, Memory> const& model) {
  std::vector<Real> all = entries(model.U);
  for (auto const& more : {entries(model.V), entries(model.user_bias), entries(model.item_bias),
                           std::vector<Real>{model.mean}})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// A View of rank 1 whose entries are `stride` apart, with those values.
template <class T>
auto strided(std::vector<T> const& values, int stride) {
  Kokkos::View<T**, Kokkos::LayoutRight, Memory> const room("carroll_test::strided", values.size(),
                                                            place(stride));
  auto const host = Kokkos::create_mirror_view(room);
  for (std::size_t e = 0; e < values.size(); ++e) host(e, 0) = values[e];
  carroll::test::deep_copy(room, host);
  return Kokkos::subview(room, Kokkos::ALL, 0);
}

template <class Real>
Real not_finite(Random& random) {
  using Limits = std::numeric_limits<Real>;
  Real const values[] = {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()};
  return values[random.index(3)];
}

/// The rows with one value replaced, by both ways of looking at them.
template <class Real>
RatingRows<Real, Memory> with_value(RatingRows<Real, Memory> rows, std::size_t e, Real value) {
  auto values = on_host(rows.values);
  values.at(e) = value;
  rows.values = on_device(values);
  return rows;
}

/// Some rows of others, in that order.
template <class Real>
RatingRows<Real, Memory> chosen_rows(RatingRows<Real, Memory> const& rows,
                                     std::vector<int> const& chosen) {
  auto const offsets = on_host(rows.offsets);
  auto const columns = on_host(rows.columns);
  auto const values = on_host(rows.values);
  std::vector<std::int64_t> begins{0};
  std::vector<std::int32_t> taken;
  std::vector<Real> ratings;
  for (int const r : chosen) {
    for (auto e = offsets[place(r)]; e < offsets[place(r + 1)]; ++e) {
      taken.push_back(columns[static_cast<std::size_t>(e)]);
      ratings.push_back(values[static_cast<std::size_t>(e)]);
    }
    begins.push_back(static_cast<std::int64_t>(taken.size()));
  }
  auto result = rows;
  result.offsets = on_device(begins);
  result.columns = on_device(taken);
  result.values = on_device(ratings);
  result.row_count = static_cast<std::int32_t>(chosen.size());
  return result;
}

/// What is said when this is called; empty if it goes through.
template <class Call>
std::string said(Call const& call) {
  try {
    call();
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return {};
}

}  // namespace carroll::test
