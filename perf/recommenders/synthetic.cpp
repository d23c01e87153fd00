// SPDX-License-Identifier: BSD-3-Clause
#include "recommenders/synthetic.hpp"

#include <algorithm>
#include <carroll/detail/random.hpp>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>

namespace carroll::perf {
namespace {

constexpr std::uint64_t seed = 25;
constexpr int planted = 8;
enum Stream : std::uint32_t { degrees, user_factors, item_factors, ranks, draws, noises };

std::size_t place(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

double normal(Stream stream, std::int64_t index) {
  return detail::random_normal<double>(seed, stream, static_cast<std::uint64_t>(index));
}
/// 64 random bits, the n-th of a row.
std::uint64_t bits(Stream stream, std::int32_t row, std::uint32_t n) {
  auto const words = detail::philox(seed, {n, static_cast<std::uint32_t>(row), stream, 1});
  return std::uint64_t{words[0]} << 32U | words[1];
}

/// Ratings of each user, whose sum is the shape's.
std::vector<std::int32_t> user_degrees(RatingsShape const& shape) {
  std::int32_t const most = std::min(shape.most, shape.items);
  if (shape.count < std::int64_t{shape.least} * shape.users ||
      shape.count > std::int64_t{most} * shape.users)
    throw std::invalid_argument("synthetic_ratings: " + shape.name + " has no room for its count");
  std::vector<double> weights(place(shape.users));
  for (std::int32_t u = 0; u < shape.users; ++u) weights[u] = std::exp(1.1 * normal(degrees, u));
  // What the bounds take away the other users get.
  std::vector<std::int32_t> result(weights.size());
  auto const sum_with = [&](double scale) {
    std::int64_t sum = 0;
    for (std::size_t u = 0; u < weights.size(); ++u) {
      result[u] = static_cast<std::int32_t>(
          std::clamp(std::floor(scale * weights[u]), double(shape.least), double(most)));
      sum += result[u];
    }
    return sum;
  };
  double low = 0, high = 1;
  while (sum_with(high) < shape.count) high *= 2;
  for (int halving = 0; halving < 60; ++halving) {
    double const middle = (low + high) / 2;
    (sum_with(middle) <= shape.count ? low : high) = middle;
  }
  std::int64_t missing = shape.count - sum_with(low);
  for (std::size_t u = 0; missing > 0; u = (u + 1) % result.size())
    if (result[u] < most) {
      ++result[u];
      --missing;
    }
  return result;
}

/// Draws ranks by their weight: bisection of the sums of weights, narrowed by a table.
class ItemDraw {
 public:
  explicit ItemDraw(std::int32_t items) : sums_(place(items)), first_(cells + 1) {
    double sum = 0;
    for (std::int32_t i = 0; i < items; ++i) sums_[i] = sum += std::pow(i + 10.0, -0.9);
    std::int32_t i = 0;
    for (std::size_t cell = 0; cell <= cells; ++cell) {
      while (i + 1 < items && sums_[i] < sum * double(cell) / cells) ++i;
      first_[cell] = i;
    }
  }
  [[nodiscard]] std::int32_t rank(std::uint64_t random) const {
    double const x = double(random >> 11U) * 0x1p-53;
    auto const cell = static_cast<std::size_t>(x * cells);
    auto const begin = sums_.begin() + first_[cell], end = sums_.begin() + first_[cell + 1];
    return static_cast<std::int32_t>(std::lower_bound(begin, end, x * sums_.back()) -
                                     sums_.begin());
  }

 private:
  static constexpr std::size_t cells = 1U << 16U;
  std::vector<double> sums_;
  std::vector<std::int32_t> first_;
};

std::vector<float> planted_factors(Stream stream, std::int32_t rows) {
  std::vector<float> factors(place(rows) * (planted + 1));  // the last is a bias
  for (std::size_t i = 0; i < factors.size(); ++i)
    factors[i] = static_cast<float>(0.45 * normal(stream, static_cast<std::int64_t>(i)));
  return factors;
}

/// Items by rank: which one is popular says nothing of its index.
std::vector<std::int32_t> items_by_rank(std::int32_t items) {
  std::vector<std::int32_t> order(place(items));
  std::iota(order.begin(), order.end(), 0);
  for (std::int32_t i = items - 1; i > 0; --i)
    std::swap(order[i], order[bits(ranks, i, 0) % (static_cast<std::uint64_t>(i) + 1)]);
  return order;
}

}  // namespace

SyntheticRatings synthetic_ratings(RatingsShape const& shape) {
  auto const degree = user_degrees(shape);
  std::vector<std::int64_t> begins(degree.size() + 1);
  for (std::size_t u = 0; u < degree.size(); ++u) begins[u + 1] = begins[u] + degree[u];
  ItemDraw const draw(shape.items);
  auto const order = items_by_rank(shape.items);
  auto const U = planted_factors(user_factors, shape.users);
  auto const V = planted_factors(item_factors, shape.items);
  SyntheticRatings ratings;
  ratings.users.resize(place(shape.count));
  ratings.items.resize(place(shape.count));
  ratings.values.resize(place(shape.count));
#ifdef _OPENMP
#pragma omp parallel
#endif
  {
    std::vector<std::int32_t> last_user(place(shape.items), -1);  // that has taken a rank
#ifdef _OPENMP
#pragma omp for schedule(dynamic, 64)
#endif
    for (std::int32_t u = 0; u < shape.users; ++u) {
      std::uint32_t n = 0;
      for (std::int64_t e = begins[u]; e < begins[u + 1]; ++e) {
        std::int32_t rank = draw.rank(bits(draws, u, n++));
        for (int again = 0; last_user[rank] == u && again < 16; ++again)
          rank = draw.rank(bits(draws, u, n++));
        while (last_user[rank] == u) rank = rank + 1 < shape.items ? rank + 1 : 0;
        last_user[rank] = u;
        std::int32_t const item = order[rank];
        float const* const x = U.data() + place(u) * (planted + 1);
        float const* const y = V.data() + place(item) * (planted + 1);
        float value = 3.5F + x[planted] + y[planted];
        for (int f = 0; f < planted; ++f) value += x[f] * y[f];
        value += 0.8F * static_cast<float>(normal(noises, e));
        ratings.users[place(e)] = u;
        ratings.items[place(e)] = item;
        ratings.values[place(e)] = std::clamp(std::round(2 * value) / 2, 0.5F, 5.0F);
      }
    }
  }
  return ratings;
}

BenchRatings bench_ratings(Exec const& exec, RatingsShape const& shape) {
  SyntheticRatings const host = synthetic_ratings(shape);
  auto const moved = [&]<class T>(std::vector<T> const& from) {
    Kokkos::View<T*, Exec::memory_space> const to(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "carroll_perf::triples"),
        from.size());
    Kokkos::deep_copy(exec, to,
                      Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          from.data(), from.size()));
    return to;
  };
  auto const users = moved(host.users), items = moved(host.items);
  auto const values = moved(host.values);
  return BenchRatings(exec, users, items, values, {.users = shape.users, .items = shape.items});
}

}  // namespace carroll::perf
