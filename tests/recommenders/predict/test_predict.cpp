// SPDX-License-Identifier: BSD-3-Clause
// Predictions and their errors against sums in plain double precision.
#include <gtest/gtest.h>

#include <carroll/predict.hpp>
#include <carroll/rating_metrics.hpp>
#include <cmath>
#include <limits>

#include "misuse/complaint.hpp"
#include "recommenders/predict/models.hpp"
#include "reduction_instances.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

template <class Real>
class PredictTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(PredictTest, Reals);

TYPED_TEST(PredictTest, AllPairsWithColdOnes) {
  for (int const factors : {0, 1, 15, 16, 17, 64, 129})
    for (bool const biases : {false, true}) {
      auto const triples = random_triples<TypeParam>(12, 20, .08, 3);
      auto const train = triples.ratings({.users = 12, .items = 20});
      auto const model = random_model(12, 20, factors, biases, 8);
      auto const users_known = known<TypeParam>(triples.users, 12);
      auto const items_known = known<TypeParam>(triples.items, 20);
      std::vector<std::int32_t> users, items;
      std::vector<double> wanted;
      std::int64_t cold_users = 0, cold_items = 0;
      for (int u = -1; u <= 12; ++u)
        for (int i = -1; i <= 20; ++i) {
          users.push_back(u);
          items.push_back(i);
          wanted.push_back(expected(model, users_known, items_known, u, i));
          cold_users += u < 0 || u == 12 || !users_known[static_cast<std::size_t>(u)];
          cold_items += i < 0 || i == 20 || !items_known[static_cast<std::size_t>(i)];
        }
      Kokkos::View<TypeParam*, Memory> const out("out", users.size());
      auto const info = carroll::predict(Exec(), on_device<TypeParam>(model), train,
                                         on_device(users), on_device(items), out);
      EXPECT_EQ(info.status, Status::success);
      EXPECT_EQ(info.cold_users, cold_users);
      EXPECT_EQ(info.cold_items, cold_items);
      auto const found = on_host(out);
      for (std::size_t e = 0; e < wanted.size(); ++e)
        ASSERT_EQ(static_cast<double>(found[e]), wanted[e]) << users[e] << " " << items[e];
    }
}

TYPED_TEST(PredictTest, TheCoursesExample) {
  // Alice and Eat Pray Love in two dimensions, of §5.2.13: 3 + 0.47·5.63·0.38 − 0.30·3.23·0.18.
  HostModel const model{1, 1, 2, {.47 * 5.63, -.30 * 3.23}, {.38, .18}, {}, {}, 3};
  Kokkos::View<TypeParam*, Memory> const out("out", 1);
  std::vector<std::int32_t> const zero{0};
  auto const info =
      carroll::predict(Exec(), on_device<TypeParam>(model), on_device(zero), on_device(zero), out);
  EXPECT_EQ(info.cold_users, 0);
  EXPECT_NEAR(static_cast<double>(on_host(out)[0]), 3.831, 5e-4);
}

TYPED_TEST(PredictTest, StaysWithinARange) {
  auto const model = random_model(5, 6, 8, true, 4);
  std::vector<std::int32_t> users, items;
  for (int u = 0; u < 5; ++u)
    for (int i = 0; i < 6; ++i) {
      users.push_back(u);
      items.push_back(i);
    }
  Kokkos::View<TypeParam*, Memory> const out("out", users.size());
  (void)carroll::predict(Exec(), on_device<TypeParam>(model), on_device(users), on_device(items),
                         out, {.lowest = 3, .highest = 4});
  auto const found = on_host(out);
  std::vector<bool> const all_users(5, true), all_items(6, true);
  for (std::size_t e = 0; e < users.size(); ++e)
    EXPECT_EQ(static_cast<double>(found[e]),
              std::clamp(expected(model, all_users, all_items, users[e], items[e]), 3., 4.));
}

TYPED_TEST(PredictTest, SayWhatIsNoNumber) {
  auto host = random_model(3, 3, 4, false, 4);
  host.V[5] = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::int32_t> const users{0, 1}, items{0, 1};
  Kokkos::View<TypeParam*, Memory> const out("out", 2);
  auto const info = carroll::predict(Exec(), on_device<TypeParam>(host), on_device(users),
                                     on_device(items), out, {.lowest = 0, .highest = 5});
  EXPECT_EQ(info.status, Status::non_finite);
  EXPECT_TRUE(std::isnan(on_host(out)[1]));
  EXPECT_FALSE(std::isnan(on_host(out)[0]));
}

TYPED_TEST(PredictTest, RefuseWhatDoesNotFit) {
  auto model = on_device<TypeParam>(random_model(3, 3, 4, true, 4));
  std::vector<std::int32_t> const two{0, 1}, three{0, 1, 2};
  Kokkos::View<TypeParam*, Memory> const out("out", 2);
  auto const says = [&](auto const& users, auto const& train) {
    return complaint([&] {
      (void)carroll::predict(Exec(), model, train, on_device(users), on_device(two), out);
    });
  };
  carroll::Ratings<TypeParam, Memory> const none;
  EXPECT_NE(says(three, none).find("3 users, 2 items and 2 predictions"), std::string::npos);
  auto const other = random_triples<TypeParam>(5, 3, 1, 1).ratings();
  EXPECT_NE(says(two, other).find("ratings are of 5 users and 3 items"), std::string::npos);
  model.user_bias = Kokkos::View<TypeParam*, Memory>("bias", 2);
  EXPECT_NE(says(two, none).find("user_bias is 2, must be empty or 3"), std::string::npos);
  model.V = Kokkos::View<TypeParam**, Kokkos::LayoutRight, Memory>("V", 3, 5);
  EXPECT_NE(says(two, none).find("must be of one number of factors"), std::string::npos);
}

TYPED_TEST(PredictTest, ErrorsAgainstPlainSums) {
  Random random(1);
  for (int const n : {0, 1, 7, 5000}) {
    std::vector<TypeParam> a, b;
    double squares = 0, sizes = 0;
    for (int e = 0; e < n; ++e) {
      a.push_back(static_cast<TypeParam>(random.normal()));
      b.push_back(static_cast<TypeParam>(random.normal()));
      double const d = static_cast<double>(a.back()) - static_cast<double>(b.back());
      squares += d * d;
      sizes += std::abs(d);
    }
    auto const metrics = carroll::rating_metrics(Exec(), on_device(a), on_device(b));
    EXPECT_EQ(metrics.count, n);
    EXPECT_EQ(metrics.status, Status::success);
    EXPECT_NEAR(metrics.rmse, n > 0 ? std::sqrt(squares / n) : 0, 1e-13);
    EXPECT_NEAR(metrics.mae, n > 0 ? sizes / n : 0, 1e-13);
  }
}

}  // namespace
