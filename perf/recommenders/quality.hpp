// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/random.hpp>
#include <carroll/ratings.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

/// What measures how well a method predicts ratings that it has not seen.
namespace carroll::perf {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;
using Real = float;

/// Triples on the host.
struct Triples {
  std::vector<std::int32_t> users, items;
  std::vector<Real> values;

  [[nodiscard]] std::size_t count() const { return values.size(); }
  void add(std::int32_t user, std::int32_t item, Real value) {
    users.push_back(user);
    items.push_back(item);
    values.push_back(value);
  }
  /// Lines that begin with user, item and rating, with tabs, commas or blanks between them.
  void read(std::string const& path) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::fopen(path.c_str(), "r"),
                                                               &std::fclose);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    char line[256];
    for (int number = 1; std::fgets(line, sizeof line, file.get()); ++number) {
      int user = 0, item = 0;
      float value = 0;
      if (std::sscanf(line, "%d%*[,\t ]%d%*[,\t ]%f", &user, &item, &value) != 3)
        throw std::runtime_error(path + ": line " + std::to_string(number) + " is no rating");
      add(user, item, value);
    }
  }
};

template <class T>
auto on_device(std::vector<T> const& host) {
  Kokkos::View<T*, Memory> device(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ratings"),
                                  host.size());
  Kokkos::deep_copy(device, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                host.data(), host.size()));
  return device;
}

/// What a method is given: ratings to learn from, and pairs to predict.
struct Task {
  Exec exec;
  Ratings<Real, Memory> ratings;
  Kokkos::View<std::int32_t*, Memory> users, items;  ///< of the pairs
  double least = 0, most = 0;                        ///< of the ratings
};

/// One way of running a method. `predict` writes a prediction for each pair.
struct Setting {
  std::string name;
  std::function<void(Task const&, Kokkos::View<Real*, Memory> const&)> predict;
};

struct Method {
  std::string name;
  std::function<std::vector<Setting>(std::string const& data)> settings;
};

inline Task task(Triples const& train, Triples const& test, std::int32_t users,
                 std::int32_t items) {
  Task t;
  RatingsOptions options;
  options.users = users;
  options.items = items;
  t.ratings = Ratings(t.exec, on_device(train.users), on_device(train.items),
                      on_device(train.values), options);
  t.users = on_device(test.users);
  t.items = on_device(test.items);
  auto const [least, most] = std::minmax_element(train.values.begin(), train.values.end());
  t.least = static_cast<double>(*least);
  t.most = static_cast<double>(*most);
  return t;
}

/// Root mean square error, predictions being cut off to the range of the ratings learnt from.
inline double rmse(Task const& t, Setting const& setting, Triples const& test) {
  Kokkos::View<Real*, Memory> predictions("predictions", test.count());
  setting.predict(t, predictions);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), predictions);
  double sum = 0;
  for (std::size_t p = 0; p < test.count(); ++p) {
    double const value = std::clamp(static_cast<double>(host(p)), t.least, t.most);
    double const miss = value - static_cast<double>(test.values[p]);
    sum += miss * miss;
  }
  return std::sqrt(sum / static_cast<double>(test.count()));
}

/// A tenth of the ratings, by counter-based random numbers, is set apart.
inline void set_apart(Triples const& all, Triples& train, Triples& validation) {
  for (std::size_t e = 0; e < all.count(); ++e) {
    auto const bits = detail::philox(
        20, {static_cast<std::uint32_t>(e), static_cast<std::uint32_t>(e >> 32U), 0, 0});
    (bits[0] % 10 == 0 ? validation : train).add(all.users[e], all.items[e], all.values[e]);
  }
}

}  // namespace carroll::perf
