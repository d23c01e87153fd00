// SPDX-License-Identifier: BSD-3-Clause
// The N best against a sort of all: ties, items seen, cold users and items, any N, tiles, both
// selections.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/recommend.hpp>
#include <carroll/similar_items.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "gemm_instances.hpp"
#include "misuse/complaint.hpp"
#include "recommenders/predict/models.hpp"
#include "recommenders/predict/ranked.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

template <class Real>
class RecommendTest : public testing::Test {
 protected:
  using Ids = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Memory>;
  using Scores = Kokkos::View<Real**, Kokkos::LayoutLeft, Memory>;

  static void expect_rows(Ids const& ids, Scores const& scores, std::vector<Ranked> const& wanted) {
    auto const host_ids = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ids);
    auto const host_scores = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), scores);
    for (std::size_t t = 0; t < wanted.size(); ++t)
      for (std::size_t place = 0; place < wanted[t].ids.size(); ++place) {
        ASSERT_EQ(host_ids(t, place), wanted[t].ids[place]) << "row " << t << ", " << place;
        ASSERT_EQ(static_cast<double>(host_scores(t, place)), wanted[t].scores[place]);
      }
  }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RecommendTest, Reals);

TYPED_TEST(RecommendTest, TheBestOfASort) {
  for (auto const& [users, items, factors] :
       {std::tuple(1, 1, 1), {5, 3, 2}, {9, 64, 4}, {30, 65, 3}, {7, 1000, 9}, {40, 300, 0}}) {
    auto const triples = random_triples<TypeParam>(users, items, .05, 21);
    auto const train = triples.ratings({.users = users, .items = items});
    auto const model = random_model(users, items, factors, true, 8);
    auto const users_known = known<TypeParam>(triples.users, users);
    auto const items_known = known<TypeParam>(triples.items, items);
    auto const pairs = triples.by_pair();
    std::vector<std::int32_t> asked;
    for (int u = users; u >= -1; --u) asked.push_back(u);
    std::int64_t cold = 0;
    for (auto const u : asked)
      cold += u < 0 || u >= users || !users_known[static_cast<std::size_t>(u)];
    for (int const wanted : {0, 1, 10, items})
      for (bool const seen : {true, false}) {
        if (wanted > items) continue;
        std::vector<Ranked> lists;
        std::int64_t not_full = 0;
        for (auto const u : asked) {
          std::vector<double> scores;
          for (int i = 0; i < items; ++i)
            scores.push_back(seen && pairs.count({u, i})
                                 ? never
                                 : expected(model, users_known, items_known, u, i));
          lists.push_back(ranked(scores, static_cast<std::size_t>(wanted)));
          not_full += wanted > 0 && lists.back().ids.back() == -1;
        }
        // Tiles of one row, of some, of all.
        for (std::int64_t const tile : {1, 3 * items * int(sizeof(TypeParam)), 0}) {
          typename TestFixture::Ids const ids("ids", asked.size(), std::size_t(wanted));
          typename TestFixture::Scores const scores("scores", asked.size(), std::size_t(wanted));
          auto const info =
              carroll::recommend(Exec(), on_device<TypeParam>(model), train, on_device(asked), ids,
                                 scores, {.seen = seen, .tile_bytes = tile});
          this->expect_rows(ids, scores, lists);
          if (wanted == 0) continue;
          EXPECT_EQ(info.status, Status::success);
          EXPECT_EQ(info.cold_users, cold);
          EXPECT_EQ(info.not_full, not_full);
          EXPECT_EQ(info.cold_items, std::count(items_known.begin(), items_known.end(), false));
        }
      }
  }
}

/// The selection of devices on whatever the tests run on, with near scratch and without room there.
TYPED_TEST(RecommendTest, TeamsSelectTheSame) {
  constexpr int items = 40000;
  auto const model = random_model(6, items, 3, false, 5);
  auto const device = on_device<TypeParam>(model);
  std::vector<std::int32_t> const asked{5, 0, 1, 2, 3, 4};
  auto const rows = on_device(asked);
  Kokkos::View<TypeParam*, Memory> const base("base", items);
  for (int const wanted : {1, 100, 128, 129, 20000}) {
    typename TestFixture::Ids const ids("ids", asked.size(), std::size_t(wanted));
    typename TestFixture::Scores const scores("scores", asked.size(), std::size_t(wanted));
    std::vector<Ranked> lists;
    for (auto const u : asked) {
      std::vector<double> all;
      for (int i = 0; i < items; ++i) all.push_back(model.product(u, i));
      lists.push_back(ranked(all, static_cast<std::size_t>(wanted)));
    }
    for (auto const selection :
         {carroll::detail::Selection::teams, carroll::detail::Selection::threads}) {
      carroll::detail::BestProblem<TypeParam, Memory> problem;
      carroll::detail::bind_best("test", problem, rows, ids, scores, items);
      problem.left = device.U;
      problem.V = device.V;
      problem.base = base;
      // As many threads as there are on a host, a device's on a device.
      for (int const threads : {0, std::min(Exec().concurrency(), 64)}) {
        auto const counts =
            carroll::detail::find_best(Exec(), "test", problem, {selection, 0, threads});
        this->expect_rows(ids, scores, lists);
        EXPECT_EQ(counts[int(carroll::detail::BestCount::not_full)], 0);
      }
    }
  }
}

TYPED_TEST(RecommendTest, SayWhoseScoresAreNoNumbers) {
  auto host = random_model(3, 50, 4, false, 4);
  host.U[4] = std::numeric_limits<double>::quiet_NaN();  // of user 1
  auto const train = random_triples<TypeParam>(3, 50, .5, 2).ratings({.users = 3, .items = 50});
  std::vector<std::int32_t> const asked{0, 1, 2};
  typename TestFixture::Ids const ids("ids", 3, 5);
  typename TestFixture::Scores const scores("scores", 3, 5);
  auto const info =
      carroll::recommend(Exec(), on_device<TypeParam>(host), train, on_device(asked), ids, scores);
  EXPECT_EQ(info.status, Status::non_finite);
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ids);
  auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), scores);
  for (std::size_t place = 0; place < 5; ++place) {
    EXPECT_GE(found(0, place), 0);
    EXPECT_EQ(found(1, place), -1);
    EXPECT_TRUE(std::isnan(values(1, place)));
    EXPECT_GE(found(2, place), 0);
  }
}

TYPED_TEST(RecommendTest, RefuseWhatDoesNotFit) {
  auto const model = on_device<TypeParam>(random_model(3, 4, 2, false, 4));
  auto const train = random_triples<TypeParam>(3, 4, 1, 2).ratings();
  std::vector<std::int32_t> const asked{0, 1};
  auto const says = [&](std::size_t rows, std::size_t wanted, std::size_t scored,
                        std::int64_t tile) {
    typename TestFixture::Ids const ids("ids", rows, wanted);
    typename TestFixture::Scores const scores("scores", 2, scored);
    return complaint([&] {
      (void)carroll::recommend(Exec(), model, train, on_device(asked), ids, scores,
                               {.tile_bytes = tile});
    });
  };
  EXPECT_NE(says(2, 5, 5, 0).find("the 5 best, must be at most for the 4 items"),
            std::string::npos);
  EXPECT_NE(says(3, 2, 2, 0).find("ids is 3×2, must be 2×2"), std::string::npos);
  EXPECT_NE(says(2, 2, 3, 0).find("scores is 2×3, must be 2×2"), std::string::npos);
  EXPECT_NE(says(2, 2, 2, -1).find("tile_bytes is -1"), std::string::npos);
  EXPECT_EQ(says(2, 2, 2, 0), "");
}

TYPED_TEST(RecommendTest, SimilarItems) {
  constexpr int items = 200, factors = 5;
  Random random(3);
  std::vector<double> rows;
  for (int e = 0; e < items * factors; ++e) rows.push_back(random.symmetric());
  for (int l = 0; l < factors; ++l) rows[std::size_t(7 * factors + l)] = 0;
  // Far ends of the range change no angle.
  double const far = sizeof(TypeParam) == 4 ? 1e30 : 1e250;
  for (int l = 0; l < factors; ++l) rows[std::size_t(9 * factors + l)] *= far;
  for (int l = 0; l < factors; ++l) rows[std::size_t(11 * factors + l)] /= far;
  HostModel const model{0, items, factors, {}, rows, {}, {}, 0};
  auto const V = on_device<TypeParam>(model).V;
  std::vector<std::int32_t> const asked{0, 7, 9, 11, 199, -1, 200};
  typename TestFixture::Ids const ids("ids", asked.size(), 20);
  typename TestFixture::Scores const cosines("cosines", asked.size(), 20);
  auto const info = carroll::similar_items(Exec(), V, on_device(asked), ids, cosines);
  EXPECT_EQ(info.status, Status::success);
  EXPECT_EQ(info.unknown, 2);
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ids);
  auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), cosines);
  auto const unit = [&](int i) {
    std::vector<double> row(rows.begin() + i * factors, rows.begin() + (i + 1) * factors);
    double const largest = std::abs(*std::max_element(
        row.begin(), row.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
    double length = 0;
    for (double& x : row) x = largest > 0 ? x / largest : 0;
    for (double const x : row) length += x * x;
    for (double& x : row) x = length > 0 ? x / std::sqrt(length) : 0;
    return row;
  };
  double const eps = std::numeric_limits<TypeParam>::epsilon();
  for (std::size_t t = 0; t < asked.size(); ++t) {
    if (asked[t] < 0 || asked[t] >= items) {
      EXPECT_EQ(found(t, 0), -1);
      continue;
    }
    auto const own = unit(asked[t]);
    std::vector<double> all;
    for (int i = 0; i < items; ++i) {
      auto const other = unit(i);
      all.push_back(i == asked[t] ? never
                                  : std::inner_product(own.begin(), own.end(), other.begin(), 0.));
    }
    auto const best = ranked(all, 20);
    std::vector<bool> used(items, false);
    for (std::size_t place = 0; place < 20; ++place) {
      // Rounding may exchange what lies that close.
      ASSERT_NEAR(static_cast<double>(values(t, place)), best.scores[place], 20 * eps);
      auto const id = static_cast<std::size_t>(found(t, place));
      ASSERT_NEAR(all.at(id), best.scores[place], 20 * eps);
      ASSERT_FALSE(used[id]);
      used[id] = true;
    }
  }
}

}  // namespace
