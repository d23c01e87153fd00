// SPDX-License-Identifier: BSD-3-Clause
// The order of ratings: each once; blocks of a step share no user and no item; those of an item
// follow one another in a block; blocks of about equal size; the seed alone decides.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "recommenders/sgd/models.hpp"

namespace {

using namespace carroll::test;
using Schedule = carroll::detail::SgdSchedule<float>;

/// A few items with most of the ratings.
HostTriples<float> skewed_triples(int users, int items, std::uint64_t seed) {
  Random random(seed);
  HostTriples<float> triples;
  for (int u = 0; u < users; ++u)
    for (int i = 0; i < items; ++i)
      if (random.chance(2.0 / (1 + i))) triples.add(u, i, static_cast<float>(u * items + i));
  return triples;
}

void expect_sound(Schedule const& schedule, HostTriples<float> const& triples, int users,
                  int items) {
  int const p = schedule.blocks;
  ASSERT_EQ(schedule.begins.size(), static_cast<std::size_t>(p) * static_cast<std::size_t>(p) + 1);
  std::map<std::pair<int, int>, double> found;
  std::vector<int> user_at(static_cast<std::size_t>(users)),
      item_at(static_cast<std::size_t>(items));
  for (int u = 0; u < users; ++u) user_at[std::size_t(schedule.users.place[std::size_t(u)])] = u;
  for (int i = 0; i < items; ++i) item_at[std::size_t(schedule.items.place[std::size_t(i)])] = i;
  for (int row = 0; row < p; ++row)
    for (int column = 0; column < p; ++column) {
      auto const block = static_cast<std::size_t>(row * p + column);
      std::set<int> items_before;
      int item_before = -1;
      for (auto e = schedule.begins[block]; e < schedule.begins[block + 1]; ++e) {
        auto const& rating = schedule.ratings[std::size_t(e)];
        int const u = user_at[std::size_t(rating.user)], i = item_at[std::size_t(rating.item)];
        EXPECT_EQ(schedule.users.group[std::size_t(u)], row);
        EXPECT_EQ(schedule.items.group[std::size_t(i)], column);
        EXPECT_TRUE(found.emplace(std::pair(u, i), rating.value).second);
        if (i != item_before) {
          EXPECT_TRUE(items_before.insert(i).second);
        }
        item_before = i;
      }
    }
  EXPECT_EQ(found, triples.by_pair());
}

TEST(SgdSchedule, VisitsEachRatingOnceInBlocksAndRuns) {
  for (auto const& [users, items] : {std::pair(1, 1), {90, 40}, {7, 300}}) {
    auto const triples = skewed_triples(users, items, 3);
    auto const ratings = triples.ratings({.users = users, .items = items});
    for (int const p : {1, 2, 5, 40}) {
      SCOPED_TRACE(testing::Message() << users << '×' << items << ", " << p);
      expect_sound(schedule_of(ratings, p, 1), triples, users, items);
    }
  }
}

TEST(SgdSchedule, IsBalanced) {
  auto const ratings = random_triples<float>(400, 300, 0.2, 4).ratings();
  auto const schedule = schedule_of(ratings, 10, 0);
  EXPECT_LT(schedule.balance, 1.25);
  EXPECT_GE(schedule.balance, 1);
}

TEST(SgdSchedule, IsDecidedByTheSeed) {
  auto const ratings = random_triples<float>(40, 30, 0.3, 4).ratings();
  auto const order = [&](std::uint64_t seed) {
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    for (auto const& rating : schedule_of(ratings, 4, seed).ratings)
      pairs.emplace_back(rating.user, rating.item);
    return pairs;
  };
  EXPECT_EQ(order(5), order(5));
  EXPECT_NE(order(5), order(6));
}

TEST(SgdSchedule, HasBlocksByTheProblem) {
  EXPECT_EQ(Schedule::blocks_for(0, 5, 5), 1);
  EXPECT_EQ(Schedule::blocks_for(80000, 943, 1682), 44);
  EXPECT_EQ(Schedule::blocks_for(80000, 943, 3), 3);
  EXPECT_EQ(Schedule::blocks_for(9'000'000, 69878, 10677), 474);
}

}  // namespace
