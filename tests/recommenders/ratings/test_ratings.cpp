// SPDX-License-Identifier: BSD-3-Clause
// Ratings against maps on the host: both ways round, duplicates, empty rows, one long row, strided
// Views, and triples that are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/ratings.hpp>
#include <limits>
#include <stdexcept>
#include <string>

#include "recommenders/ratings/triples.hpp"
#include "support/copy.hpp"

namespace {

using namespace carroll::test;
using carroll::Duplicates;
using carroll::RatingsOptions;

/// Do the rows hold these pairs, ascending, and nothing else?
template <class Real>
void expect_rows(carroll::RatingRows<Real, Memory> const& rows,
                 std::map<std::pair<int, int>, double> const& wanted, int row_count,
                 int column_count, bool transposed) {
  std::map<std::pair<int, int>, double> sorted;
  for (auto const& [pair, value] : wanted)
    sorted[transposed ? std::pair(pair.second, pair.first) : pair] = value;
  auto const offsets = on_host(rows.offsets);
  auto const columns = on_host(rows.columns);
  auto const values = on_host(rows.values);
  ASSERT_EQ(rows.row_count, row_count);
  ASSERT_EQ(rows.column_count, column_count);
  ASSERT_EQ(offsets.size(), static_cast<std::size_t>(row_count) + 1);
  ASSERT_EQ(offsets.front(), 0);
  ASSERT_EQ(offsets.back(), static_cast<std::int64_t>(sorted.size()));
  ASSERT_EQ(columns.size(), sorted.size());
  ASSERT_EQ(values.size(), sorted.size());
  auto next = sorted.begin();
  for (int r = 0; r < row_count; ++r) {
    auto const row = static_cast<std::size_t>(r);
    for (auto e = offsets[row]; e < offsets[row + 1]; ++e, ++next) {
      auto const entry = static_cast<std::size_t>(e);
      ASSERT_EQ(next->first, std::pair(r, int{columns[entry]}));
      ASSERT_EQ(next->second, static_cast<double>(values[entry]));
    }
  }
}

template <class Real>
void expect_ratings(carroll::Ratings<Real, Memory> const& ratings,
                    std::map<std::pair<int, int>, double> const& wanted, int users, int items) {
  EXPECT_EQ(ratings.count(), static_cast<std::int64_t>(wanted.size()));
  EXPECT_EQ(ratings.users(), users);
  EXPECT_EQ(ratings.items(), items);
  expect_rows(ratings.by_user(), wanted, users, items, false);
  expect_rows(ratings.by_item(), wanted, items, users, true);
}

template <class Real>
class RatingsTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RatingsTest, Reals);

TYPED_TEST(RatingsTest, HoldTheTriples) {
  for (auto const& [users, items] : {std::pair(1, 1), {7, 3}, {300, 50}, {40, 700}, {2, 70000}}) {
    auto const triples = random_triples<TypeParam>(users, items, .3, 5);
    expect_ratings(triples.ratings({.users = users, .items = items}), triples.by_pair(), users,
                   items);
  }
}

TYPED_TEST(RatingsTest, CountUsersAndItemsThemselves) {
  HostTriples<TypeParam> triples;
  triples.add(4, 2, 1);
  triples.add(0, 9, 2);
  expect_ratings(triples.ratings(), triples.by_pair(), 5, 10);
  expect_ratings(triples.ratings({.users = 1000, .items = 2000}), triples.by_pair(), 1000, 2000);
  expect_ratings(HostTriples<TypeParam>{}.ratings(), {}, 0, 0);
  expect_ratings(HostTriples<TypeParam>{}.ratings({.users = 3, .items = 2}), {}, 3, 2);
  EXPECT_EQ((carroll::Ratings<TypeParam, Memory>{}).count(), 0);
}

TYPED_TEST(RatingsTest, TakeALongRowAndFarIndices) {
  HostTriples<TypeParam> triples;
  for (int i = 0; i < 100000; ++i) triples.add(1, (i * 7919) % 100003, TypeParam(i % 9));
  triples.add(70000, 5, 1);
  expect_ratings(triples.ratings(), triples.by_pair(), 70001, 100003);
}

TYPED_TEST(RatingsTest, JoinDuplicates) {
  auto triples = random_triples<TypeParam>(60, 40, .2, 11);
  auto const once = triples.count();
  std::map<std::pair<int, int>, double> sums;
  for (std::size_t e = 0; e < once; e += 3)
    for (int again = 0; again < 1 + int(e % 2); ++again)
      triples.add(triples.users[e], triples.items[e], TypeParam(e % 5) / 4);
  for (std::size_t e = 0; e < triples.count(); ++e)
    sums[{triples.users[e], triples.items[e]}] += static_cast<double>(triples.values[e]);
  auto const options = [](Duplicates duplicates) {
    return RatingsOptions{.users = 60, .items = 40, .duplicates = duplicates};
  };
  expect_ratings(triples.ratings(options(Duplicates::sum)), sums, 60, 40);
  expect_ratings(triples.ratings(options(Duplicates::last)), triples.by_pair(), 60, 40);
}

TYPED_TEST(RatingsTest, TakeStridedViews) {
  auto const triples = random_triples<TypeParam>(20, 30, .4, 3);
  auto const n = triples.count();
  Kokkos::View<std::int32_t* [2], Kokkos::LayoutRight, Memory> const indices("indices", n);
  carroll::test::deep_copy(Kokkos::subview(indices, Kokkos::ALL, 0), on_device(triples.users));
  carroll::test::deep_copy(Kokkos::subview(indices, Kokkos::ALL, 1), on_device(triples.items));
  carroll::Ratings const ratings(Exec(), Kokkos::subview(indices, Kokkos::ALL, 0),
                                 Kokkos::subview(indices, Kokkos::ALL, 1),
                                 on_device(triples.values), {.users = 20, .items = 30});
  expect_ratings(ratings, triples.by_pair(), ratings.users(), ratings.items());
}

template <class Real>
std::string refusal_of(HostTriples<Real> const& triples, RatingsOptions const& options = {}) {
  try {
    (void)triples.ratings(options);
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return "nothing";
}

TYPED_TEST(RatingsTest, NameTheTripleThatIsNone) {
  auto const good = random_triples<TypeParam>(20, 30, .4, 3);
  auto const with = [&](int user, int item, TypeParam value) {
    auto triples = good;
    triples.users[17] = user;
    triples.items[17] = item;
    triples.values[17] = value;
    triples.values[18] = std::numeric_limits<TypeParam>::quiet_NaN();  // the first is named
    return refusal_of(triples, {.users = 20, .items = 30});
  };
  EXPECT_EQ(with(-1, 0, 1), "carroll::Ratings: triple 17: its user is -1, must be from 0 to 19");
  EXPECT_EQ(with(20, 0, 1), "carroll::Ratings: triple 17: its user is 20, must be from 0 to 19");
  EXPECT_EQ(with(0, -7, 1), "carroll::Ratings: triple 17: its item is -7, must be from 0 to 29");
  EXPECT_EQ(with(0, 30, 1), "carroll::Ratings: triple 17: its item is 30, must be from 0 to 29");
  for (TypeParam const x :
       {std::numeric_limits<TypeParam>::infinity(), -std::numeric_limits<TypeParam>::infinity(),
        std::numeric_limits<TypeParam>::quiet_NaN()})
    EXPECT_NE(with(0, 0, x).find("triple 17: its rating is "), std::string::npos);
}

TYPED_TEST(RatingsTest, NameTheFirstDuplicates) {
  HostTriples<TypeParam> triples;
  for (auto const& [user, item] : {std::pair(3, 1), {0, 5}, {3, 2}, {0, 5}, {0, 5}, {3, 1}})
    triples.add(user, item, 1);
  EXPECT_EQ(refusal_of(triples).substr(0, 65),
            "carroll::Ratings: triples 1 and 3 are both of user 0 and item 5; ");
}

TYPED_TEST(RatingsTest, RefuseSumsThatOverflow) {
  HostTriples<TypeParam> triples;
  for (int k = 0; k < 2; ++k) triples.add(2, 1, std::numeric_limits<TypeParam>::max());
  EXPECT_EQ(refusal_of(triples, {.duplicates = Duplicates::sum}),
            "carroll::Ratings: the sum of the ratings of item 1 by user 2 is not a finite number");
}

TYPED_TEST(RatingsTest, RefuseLengthsThatDiffer) {
  auto triples = random_triples<TypeParam>(20, 30, .1, 3);
  triples.users.pop_back();
  EXPECT_NE(refusal_of(triples).find("must be as many of each"), std::string::npos);
  EXPECT_NE(refusal_of(HostTriples<TypeParam>{}, {.users = -1}).find("-1 users"),
            std::string::npos);
}

}  // namespace
