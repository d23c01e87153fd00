// SPDX-License-Identifier: BSD-3-Clause
// Predictions from neighbours: against the formula, from all rows and from lists; the bits of both;
// cold users and items; the course's signed form; the range; numbers of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/neighbours.hpp>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "recommenders/neighbours/lists.hpp"
#include "recommenders/neighbours/oracle.hpp"

namespace {

using namespace carroll::test;
using carroll::Between;
using carroll::Centring;
using carroll::NeighbourOptions;
using carroll::NeighbourPredictionInfo;
using carroll::Similarity;

constexpr int user_count = 31, item_count = 27;

/// All pairs, and some of users and items that nobody knows.
struct AllPairs {
  std::vector<std::int32_t> users, items;
  AllPairs() {
    for (int u = -1; u <= user_count; ++u)
      for (int i = -1; i <= item_count; ++i) {
        users.push_back(u);
        items.push_back(i);
      }
  }
};

template <class Real>
struct Answers {
  NeighbourPredictionInfo info;
  std::vector<Real> values;
};

template <class Real, class ExecSpace = Exec>
Answers<Real> from_all(carroll::Ratings<Real, Memory> const& ratings, AllPairs const& pairs,
                       NeighbourOptions const& options, ExecSpace const& exec = ExecSpace()) {
  Kokkos::View<Real*, Memory> const predictions("predictions", pairs.users.size());
  auto const info = carroll::predict_neighbours(exec, ratings, on_device(pairs.users),
                                                on_device(pairs.items), predictions, options);
  return {info, on_host(predictions)};
}
template <class Real>
Answers<Real> from_lists(carroll::Ratings<Real, Memory> const& ratings,
                         NeighbourLists<Real> const& lists, AllPairs const& pairs,
                         NeighbourOptions const& options) {
  Kokkos::View<Real*, Memory> const predictions("predictions", pairs.users.size());
  auto const info = carroll::predict_neighbours(Exec(), ratings, lists.ids(), lists.similarities(),
                                                on_device(pairs.users), on_device(pairs.items),
                                                predictions, options);
  return {info, on_host(predictions)};
}

template <class Real>
class PredictionsTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PredictionsTest, Scalars);

template <class F>
void for_all_options(F const& f) {
  for (Between const between : {Between::users, Between::items})
    for (Similarity const similarity :
         {Similarity::pearson, Similarity::pearson_corated, Similarity::cosine,
          Similarity::cosine_rows, Similarity::euclid})
      for (Centring const centring : {Centring::zero, Centring::row_mean, Centring::baseline})
        for (bool const signed_weights : {false, true})
          for (int const nearest : {0, 1, 4, 100}) {
            SCOPED_TRACE(testing::Message() << to_string(between) << ' ' << to_string(similarity)
                                            << ' ' << to_string(centring) << ' ' << nearest);
            f(NeighbourOptions{.between = between,
                               .similarity = similarity,
                               .centring = centring,
                               .shrinkage = 2,
                               .least_common = 2,
                               .signed_weights = signed_weights,
                               .nearest = nearest});
          }
}

// The lists are compared with the formulas elsewhere.
TYPED_TEST(PredictionsTest, AreThoseOfTheFormula) {
  auto const triples = random_triples<TypeParam>(user_count - 1, item_count - 1, 0.3, 5);
  auto const ratings = triples.ratings({.users = user_count, .items = item_count});
  AllPairs const pairs;
  for_all_options([&](NeighbourOptions const& options) {
    NeighbourOracle const oracle(triples, user_count, item_count, options);
    NeighbourLists<TypeParam> const lists(ratings, options, 40);
    auto const answers = from_lists(ratings, lists, pairs, options);
    std::int64_t alone = 0, cold_users = 0, cold_items = 0;
    for (std::size_t q = 0; q < pairs.users.size(); ++q) {
      int const u = pairs.users[q], i = pairs.items[q];
      bool const known_user = u >= 0 && u < user_count, known_item = i >= 0 && i < item_count;
      cold_users += u < 0 || u >= user_count - 1;
      cold_items += i < 0 || i >= item_count - 1;
      bool const of_users = options.between == Between::users;
      double product = 0, weight = 0, size = 0;
      if (known_user && known_item) {
        int const row = of_users ? u : i, column = of_users ? i : u;
        for (int k = 0, found = 0; k < lists.listed() && found < options.nearest; ++k) {
          int const other = lists.id(row, k);
          if (other < 0 || !oracle.at(other, column)) continue;
          ++found;
          auto const s = static_cast<double>(lists.similarity(row, k));
          product += s * (*oracle.at(other, column) - oracle.level(other, column));
          weight += s;
          size += std::abs(s);
        }
        bool const bare = weight == 0;
        alone += bare;
        double const level = bare ? oracle.answer_alone(row, column) : oracle.level(row, column);
        double const wanted = bare ? level : level + product / weight;
        // Errors are those of deviations up to 5, as much larger as the weights cancel.
        double const tolerance =
            20 * neighbour_tolerance<TypeParam>(1) * (1 + (bare ? 0 : size / std::abs(weight))) +
            std::abs(wanted) * epsilon<TypeParam>;
        EXPECT_NEAR(static_cast<double>(answers.values[q]), wanted, tolerance) << u << ' ' << i;
      } else {
        ++alone;
        EXPECT_TRUE(std::isfinite(answers.values[q]));
      }
    }
    EXPECT_EQ(answers.info.bias_only, alone);
    EXPECT_EQ(answers.info.cold_users, cold_users);
    EXPECT_EQ(answers.info.cold_items, cold_items);
  });
}

TYPED_TEST(PredictionsTest, FromAllRowsAndFromFullListsAreTheSameBits) {
  auto const triples = random_triples<TypeParam>(user_count - 1, item_count - 1, 0.3, 6);
  auto const ratings = triples.ratings({.users = user_count, .items = item_count});
  AllPairs const pairs;
  for_all_options([&](NeighbourOptions const& options) {
    NeighbourLists<TypeParam> const lists(ratings, options, 40);
    auto const all = from_all(ratings, pairs, options);
    auto const listed = from_lists(ratings, lists, pairs, options);
    EXPECT_EQ(all.values, listed.values);
    EXPECT_EQ(all.info.bias_only, listed.info.bias_only);
  });
}

TYPED_TEST(PredictionsTest, ColdUsersAndItemsGetTheBiasAlone) {
  auto const triples = random_triples<TypeParam>(user_count, item_count, 0.3, 8);
  auto const ratings = triples.ratings({.users = user_count, .items = item_count});
  AllPairs const pairs;
  double mean = 0;
  for (TypeParam const r : triples.values)
    mean += static_cast<double>(r) / static_cast<double>(triples.count());
  double const tolerance = 40 * epsilon<TypeParam>;
  for (Centring const centring : {Centring::zero, Centring::row_mean, Centring::baseline}) {
    NeighbourOptions const options{.centring = centring};
    NeighbourOracle const oracle(triples, user_count, item_count, options);
    auto const answers = from_all(ratings, pairs, options);
    for (std::size_t q = 0; q < pairs.users.size(); ++q) {
      int const u = pairs.users[q], i = pairs.items[q];
      bool const known_user = u >= 0 && u < user_count, known_item = i >= 0 && i < item_count;
      double wanted = mean;
      if (known_item && !known_user && centring == Centring::row_mean) wanted = oracle.row_mean(i);
      if (known_user != known_item && centring == Centring::baseline) continue;  // a part of it
      if (known_user && known_item) continue;
      EXPECT_NEAR(static_cast<double>(answers.values[q]), wanted, tolerance);
    }
  }
}

// Two neighbours whose similarities nearly cancel: the course's form leaves the scale of ratings.
TEST(Predictions, TheSignedFormDivergesAndPositiveNeighboursDoNot) {
  HostTriples<double> triples;
  Random random(11);
  for (int u = 0; u < 60; ++u)
    for (int i = 0; i < 40; ++i)
      if (random.chance(0.3)) triples.add(u, i, 1 + random.index(5));
  auto const ratings = triples.ratings({.users = 60, .items = 40});
  AllPairs const pairs;
  auto const largest = [&](bool signed_weights) {
    auto const answers =
        from_all(ratings, pairs, {.between = Between::users, .signed_weights = signed_weights});
    double most = 0;
    for (double const x : answers.values) most = std::max(most, std::abs(x - 3));
    return most;
  };
  EXPECT_GT(largest(true), 20);
  EXPECT_LT(largest(false), 6.1);
}

TYPED_TEST(PredictionsTest, StayInTheRange) {
  auto const ratings = random_triples<TypeParam>(user_count, item_count, 0.3, 9)
                           .ratings({.users = user_count, .items = item_count});
  NeighbourOptions const options{.signed_weights = true, .lowest = 0.5, .highest = 5};
  bool moved = false;
  for (TypeParam const x : from_all(ratings, AllPairs(), options).values) {
    EXPECT_GE(x, TypeParam(0.5));
    EXPECT_LE(x, TypeParam(5));
    moved = moved || x == TypeParam(5);
  }
  EXPECT_TRUE(moved);
}

/// With one thread, where an instance can be told how many it has.
template <class Space>
Space one_thread() {
  if constexpr (std::is_constructible_v<Space, int>)
    return Space(1);
  else
    return Space();
}

TYPED_TEST(PredictionsTest, AreTheSameBitsForAnyNumberOfThreads) {
  auto const ratings = random_triples<TypeParam>(user_count, item_count, 0.5, 10)
                           .ratings({.users = user_count, .items = item_count});
  AllPairs const pairs;
  for (Similarity const similarity : {Similarity::pearson, Similarity::pearson_corated}) {
    NeighbourOptions const options{.similarity = similarity, .nearest = 5};
    Exec const one = one_thread<Exec>();
    EXPECT_EQ(from_all(ratings, pairs, options).values,
              from_all(ratings, pairs, options, one).values);
    NeighbourLists<TypeParam> const a(ratings, options, 9), b(one, ratings, options, 9);
    for (int i = 0; i < a.rows(); ++i)
      for (int k = 0; k < 9; ++k) {
        EXPECT_EQ(a.id(i, k), b.id(i, k));
        EXPECT_EQ(a.similarity(i, k), b.similarity(i, k));
      }
  }
}

TEST(Predictions, MisuseIsRefused) {
  auto const ratings = random_triples<double>(6, 5, 0.5, 1).ratings();
  auto const users = on_device(std::vector<std::int32_t>{1, 2}),
             one = on_device(std::vector<std::int32_t>{1});
  Kokkos::View<double*, Memory> const two("predictions", 2);
  EXPECT_THROW((void)carroll::predict_neighbours(Exec(), ratings, users, one, two),
               std::invalid_argument);
  EXPECT_THROW((void)carroll::predict_neighbours(Exec(), ratings, one, users, two),
               std::invalid_argument);
  EXPECT_THROW((void)carroll::predict_neighbours(Exec(), ratings, users, users, two,
                                                 {.lowest = 2, .highest = 1}),
               std::invalid_argument);
}

}  // namespace
