// SPDX-License-Identifier: BSD-3-Clause
// Measures of rankings against their definitions, of a model and of lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/ranking_metrics.hpp>
#include <cmath>

#include "gemm_instances.hpp"
#include "misuse/complaint.hpp"
#include "recommenders/predict/models.hpp"
#include "recommenders/predict/ranked.hpp"
#include "reduction_instances.hpp"
#include "support/copy.hpp"

namespace {

using namespace carroll::test;

template <class Real>
class RankingTest : public testing::Test {
 protected:
  using Ids = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Memory>;
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RankingTest, Reals);

TYPED_TEST(RankingTest, RankingMeasures) {
  constexpr int users = 40, items = 60;
  auto const triples = random_triples<TypeParam>(users, items, .2, 33);
  HostTriples<TypeParam> train, test;
  for (std::size_t e = 0; e < triples.count(); ++e) {
    // Users below 3 are only tested, those above 36 only learnt from.
    bool const to_test = triples.users[e] < 3 || (triples.users[e] <= 36 && e % 3 == 0);
    (to_test ? test : train).add(triples.users[e], triples.items[e], triples.values[e]);
  }
  carroll::RatingsOptions const extents{.users = users, .items = items};
  auto const train_ratings = train.ratings(extents), test_ratings = test.ratings(extents);
  auto const model = random_model(users, items, 6, true, 15);
  auto const users_known = known<TypeParam>(train.users, users);
  auto const items_known = known<TypeParam>(train.items, items);
  auto const train_pairs = train.by_pair(), test_pairs = test.by_pair();
  for (int const at : {1, 5, 20, 1000})
    for (double const from : {never, 3.}) {
      Measured sums;
      int counted = 0, cold = 0;
      std::vector<std::int32_t> all_users;
      std::vector<std::vector<std::int32_t>> lists;
      for (int u = 0; u < users; ++u) {
        std::vector<double> scores;
        std::vector<bool> relevant;
        for (int i = 0; i < items; ++i) {
          scores.push_back(
              train_pairs.count({u, i}) ? never : expected(model, users_known, items_known, u, i));
          auto const tested = test_pairs.find({u, i});
          relevant.push_back(tested != test_pairs.end() && tested->second >= from);
        }
        auto const best = ranked(scores, std::size_t(std::min(at, items)));
        all_users.push_back(u);
        lists.push_back(best.ids);
        if (std::count(relevant.begin(), relevant.end(), true) == 0) continue;
        auto const own = measured(best.ids, relevant);
        sums.precision += own.precision;
        sums.recall += own.recall;
        sums.map += own.map;
        sums.ndcg += own.ndcg;
        sums.hit_rate += own.hit_rate;
        ++counted;
        cold += !users_known[std::size_t(u)];
      }
      auto const expect_measures = [&](carroll::RankingMetrics const& metrics) {
        EXPECT_EQ(metrics.users, counted);
        EXPECT_NEAR(metrics.precision, sums.precision / counted, 1e-13);
        EXPECT_NEAR(metrics.recall, sums.recall / counted, 1e-13);
        EXPECT_NEAR(metrics.map, sums.map / counted, 1e-13);
        EXPECT_NEAR(metrics.ndcg, sums.ndcg / counted, 1e-13);
        EXPECT_NEAR(metrics.hit_rate, sums.hit_rate / counted, 1e-13);
        EXPECT_GT(metrics.hit_rate, 0);
      };
      auto const metrics =
          carroll::ranking_metrics(Exec(), on_device<TypeParam>(model), train_ratings, test_ratings,
                                   {.at = at, .relevant_from = from});
      expect_measures(metrics);
      EXPECT_EQ(metrics.cold_users, cold);
      typename TestFixture::Ids const ids("ids", all_users.size(), lists[0].size());
      auto const mirror = Kokkos::create_mirror_view(ids);
      for (std::size_t t = 0; t < lists.size(); ++t)
        for (std::size_t place = 0; place < lists[t].size(); ++place)
          mirror(t, place) = lists[t][place];
      carroll::test::deep_copy(ids, mirror);
      expect_measures(
          carroll::ranking_metrics(Exec(), on_device(all_users), ids, test_ratings, from));
    }
}

TYPED_TEST(RankingTest, RankingMeasuresOfNobody) {
  auto const model = on_device<TypeParam>(random_model(4, 5, 2, false, 1));
  auto const none = HostTriples<TypeParam>{}.ratings({.users = 4, .items = 5});
  auto const metrics = carroll::ranking_metrics(Exec(), model, none, none);
  EXPECT_EQ(metrics.users, 0);
  EXPECT_EQ(metrics.ndcg, 0);
  EXPECT_NE(complaint([&] {
              (void)carroll::ranking_metrics(Exec(), model, none, none, {.at = 0});
            }).find("at is 0"),
            std::string::npos);
  std::vector<std::int32_t> const users{0, 4};
  typename TestFixture::Ids const ids("ids", 2, 3);
  EXPECT_NE(complaint([&] {
              (void)carroll::ranking_metrics(Exec(), on_device(users), ids, none);
            }).find("user 1 is 4, must be from 0 to 3"),
            std::string::npos);
}

}  // namespace
