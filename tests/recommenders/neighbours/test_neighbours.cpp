// SPDX-License-Identifier: BSD-3-Clause
// Neighbours against the formulas on small random ratings: every similarity, centring and
// direction; shrinkage, least common counts, the signed form; ties; equal ratings; rows without
// ratings; misuse.
#include <gtest/gtest.h>

#include <carroll/neighbours.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "recommenders/neighbours/lists.hpp"
#include "recommenders/neighbours/oracle.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::Between;
using carroll::Centring;
using carroll::NeighbourOptions;
using carroll::Similarity;

constexpr Similarity all_similarities[] = {Similarity::pearson, Similarity::pearson_corated,
                                           Similarity::cosine, Similarity::cosine_rows,
                                           Similarity::euclid};

template <class Real>
class NeighboursTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NeighboursTest, Scalars);

/// Lists must hold similarities that are right, in order, of all rows that are neighbours beyond
/// doubt, and of none that are not.
template <class Real>
void expect_lists(NeighbourLists<Real> const& lists, NeighbourOracle const& oracle,
                  NeighbourOptions const& options) {
  double const tolerance = neighbour_tolerance<Real>(oracle.columns());
  for (int i = 0; i < oracle.rows(); ++i) {
    std::set<int> seen;
    double before = std::numeric_limits<double>::infinity();
    int last = -1;
    for (int k = 0; k < lists.listed(); ++k) {
      int const j = lists.id(i, k);
      auto const s = static_cast<double>(lists.similarity(i, k));
      if (j < 0) {
        EXPECT_EQ(s, 0);
        continue;
      }
      EXPECT_TRUE(seen.insert(j).second);
      auto const wanted = oracle.similarity(i, j);
      ASSERT_TRUE(wanted) << i << ' ' << j;
      EXPECT_NEAR(s, *wanted, tolerance) << i << ' ' << j;
      if (!options.signed_weights) {
        EXPECT_GT(s, 0);
      }
      EXPECT_TRUE(s < before || (s == before && j > last)) << i << ' ' << k;
      before = s;
      last = j;
    }
    // Whoever is left out is less like the row than all in the list.
    bool const full = static_cast<int>(seen.size()) == lists.listed();
    double const least = full ? before : options.signed_weights ? -2 : 0;
    for (int j = 0; j < oracle.rows(); ++j) {
      auto const s = oracle.similarity(i, j);
      if (s && seen.count(j) == 0) {
        EXPECT_LE(*s, least + tolerance) << i << ' ' << j;
      }
    }
  }
}

TYPED_TEST(NeighboursTest, AreThoseOfTheFormulas) {
  auto const triples = random_triples<TypeParam>(37, 23, 0.35, 7);
  auto const ratings = triples.ratings({.users = 38, .items = 24});  // one of each without ratings
  for (Between const between : {Between::users, Between::items})
    for (Similarity const similarity : all_similarities)
      for (Centring const centring : {Centring::zero, Centring::row_mean, Centring::baseline})
        for (bool const signed_weights : {false, true})
          for (int const listed : {1, 5, 40}) {
            NeighbourOptions const options{.between = between,
                                           .similarity = similarity,
                                           .centring = centring,
                                           .shrinkage = listed == 5 ? 3.5 : 0,
                                           .least_common = listed == 5 ? 3 : 1,
                                           .signed_weights = signed_weights};
            SCOPED_TRACE(testing::Message() << to_string(between) << ' ' << to_string(similarity)
                                            << ' ' << to_string(centring) << ' ' << listed);
            NeighbourLists<TypeParam> const lists(ratings, options, listed);
            expect_lists(lists, NeighbourOracle(triples, 38, 24, options), options);
          }
}

// Surprise's and the course's correlations differ, as one has the means of common ratings.
TEST(Neighbours, MeansOfWholeRowsAreNotThoseOfCommonRatings) {
  HostTriples<double> triples;
  for (auto const& [u, i, r] :
       {std::tuple(0, 0, 5.0), {0, 1, 3.0}, {0, 2, 1.0}, {1, 0, 4.0}, {1, 1, 2.0}, {1, 3, 3.0}})
    triples.add(u, i, r);
  auto const ratings = triples.ratings();
  NeighbourLists<double> const whole(ratings, {.between = Between::users}, 1);
  // (5−3)(4−3) + (3−3)(2−3) = 2 over √4·√2
  EXPECT_NEAR(whole.similarity(0, 0), 2 / std::sqrt(8.0), 1e-15);
  NeighbourLists<double> const common(
      ratings, {.between = Between::users, .similarity = Similarity::pearson_corated}, 1);
  EXPECT_NEAR(common.similarity(0, 0), 1, 1e-15);
}

TYPED_TEST(NeighboursTest, EqualRowsAreInOrderOfTheirIndex) {
  HostTriples<TypeParam> triples;
  for (int i = 0; i < 70; ++i)
    for (int u = 0; u < 5; ++u) triples.add(u, i, static_cast<TypeParam>(1 + (u + i % 2) % 3));
  NeighbourLists<TypeParam> const lists(triples.ratings(), {}, 20);
  for (int i = 0; i < 70; ++i)
    for (int k = 0; k < 20; ++k) {
      int const nth = 2 * k + i % 2;  // of its kind
      EXPECT_EQ(lists.id(i, k), nth < i ? nth : nth + 2);
    }
}

// Without care, a correlation of roundings.
TYPED_TEST(NeighboursTest, EqualRatingsCorrelateWithNothing) {
  for (Similarity const similarity : {Similarity::pearson, Similarity::pearson_corated}) {
    Random random(3);
    HostTriples<TypeParam> triples;
    for (int u = 0; u < 300; ++u) {
      triples.add(u, 0, TypeParam(3.7));
      triples.add(u, 1, static_cast<TypeParam>(random.uniform()));
      triples.add(u, 2, TypeParam(4));
    }
    NeighbourLists<TypeParam> const lists(triples.ratings(), {.similarity = similarity}, 2);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(lists.id(i, 0), -1) << to_string(similarity) << ' ' << i;
  }
}

TYPED_TEST(NeighboursTest, ARowCanBeLong) {
  HostTriples<TypeParam> triples;
  int const users = 200000;
  for (int u = 0; u < users; ++u) {
    triples.add(u, 0, static_cast<TypeParam>(1 + u % 5));
    if (u % 2 == 0) triples.add(u, 1, static_cast<TypeParam>(1 + u % 5));
    if (u % 1000 == 0) triples.add(u, 2, static_cast<TypeParam>(5 - u / 1000 % 5));
  }
  NeighbourLists<TypeParam> const lists(
      triples.ratings(), {.similarity = Similarity::pearson_corated, .shrinkage = 1000}, 2);
  EXPECT_EQ(lists.id(0, 0), 1);
  EXPECT_NEAR(static_cast<double>(lists.similarity(0, 0)), 1e5 / 101000, epsilon<TypeParam>);
}

TEST(Neighbours, NothingIsAskedOfNothing) {
  carroll::Ratings<double, Memory> const none;
  EXPECT_EQ(NeighbourLists<double>(none, {}, 3).info().status, carroll::Status::success);
  auto const ratings = random_triples<double>(4, 4, 0.5, 1).ratings();
  EXPECT_EQ(NeighbourLists<double>(ratings, {}, 0).info().status, carroll::Status::success);
}

TYPED_TEST(NeighboursTest, RatingsThatAreNoNumbersAreSaidSo) {
  auto const good = random_triples<TypeParam>(9, 8, 0.5, 2).ratings();
  auto users = good.by_user(), items = good.by_item();
  for (TypeParam const bad :
       {std::numeric_limits<TypeParam>::quiet_NaN(), std::numeric_limits<TypeParam>::infinity()}) {
    auto values = on_host(users.values);
    values[4] = bad;
    users.values = on_device(values);
    auto item_values = on_host(items.values);
    item_values[4] = bad;
    items.values = on_device(item_values);
    Kokkos::View<std::int32_t**, Memory> const ids("ids", 8, 3);
    Kokkos::View<TypeParam**, Memory> const similarities("similarities", 8, 3);
    auto const info = carroll::neighbours(Exec(), users, items, ids, similarities);
    EXPECT_EQ(info.status, carroll::Status::non_finite);
    auto const id_copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ids);
    auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), similarities);
    for (int i = 0; i < 8; ++i)
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(id_copy(i, k), -1);
        EXPECT_TRUE(std::isnan(copy(i, k)));
      }
  }
}

TEST(Neighbours, MisuseIsRefused) {
  auto const ratings = random_triples<double>(6, 5, 0.5, 1).ratings();
  Kokkos::View<std::int32_t**, Memory> const ids("ids", 5, 3), short_ids("ids", 4, 3);
  Kokkos::View<double**, Memory> const similarities("similarities", 5, 3);
  auto const refused = [&](auto const& i, NeighbourOptions const& options, char const* text) {
    try {
      (void)carroll::neighbours(Exec(), ratings, i, similarities, options);
      ADD_FAILURE() << text;
    } catch (std::invalid_argument const& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  refused(short_ids, {}, "similar_ids is 4×3, must be 5×3");
  refused(ids, {.between = Between::users}, "similar_ids is 5×3, must be 6×3");
  refused(ids, {.shrinkage = -1}, "shrinkage");
  refused(ids, {.shrinkage = std::nan("")}, "shrinkage");
  refused(ids, {.nearest = -1}, "nearest");
  EXPECT_THROW(
      (void)carroll::neighbours(Exec(), ratings.by_user(), ratings.by_user(), ids, similarities),
      std::invalid_argument);
}

}  // namespace
