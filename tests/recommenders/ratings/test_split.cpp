// SPDX-License-Identifier: BSD-3-Clause
// Splits: nothing lost, nothing twice; how many, which, and that neither order nor company matters.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/split_ratings.hpp>
#include <cmath>
#include <set>

#include "misuse/complaint.hpp"
#include "recommenders/ratings/triples.hpp"

namespace {

using namespace carroll::test;
using carroll::Split;
using Pairs = std::map<std::pair<int, int>, double>;

template <class Real>
Pairs pairs_of(carroll::Ratings<Real, Memory> const& ratings) {
  auto const offsets = on_host(ratings.by_user().offsets);
  auto const columns = on_host(ratings.by_user().columns);
  auto const values = on_host(ratings.by_user().values);
  Pairs pairs;
  for (int u = 0; u < ratings.users(); ++u)
    for (auto e = offsets[static_cast<std::size_t>(u)];
         e < offsets[static_cast<std::size_t>(u) + 1]; ++e)
      pairs[{u, columns[static_cast<std::size_t>(e)]}] = values[static_cast<std::size_t>(e)];
  return pairs;
}

/// Pairs of both parts, which must be those of the whole.
template <class Real>
std::pair<Pairs, Pairs> checked(carroll::Ratings<Real, Memory> const& ratings,
                                carroll::RatingsSplit<Real, Memory> const& parts) {
  EXPECT_EQ(parts.train.users(), ratings.users());
  EXPECT_EQ(parts.test.users(), ratings.users());
  EXPECT_EQ(parts.train.items(), ratings.items());
  EXPECT_EQ(parts.test.items(), ratings.items());
  Pairs train = pairs_of(parts.train), test = pairs_of(parts.test), all = train;
  all.insert(test.begin(), test.end());
  EXPECT_EQ(all.size(), train.size() + test.size());
  EXPECT_EQ(all, pairs_of(ratings));
  // Both ways round hold the same.
  EXPECT_EQ(parts.train.by_item().rating_count(), parts.train.count());
  EXPECT_EQ(parts.test.by_item().rating_count(), parts.test.count());
  return {train, test};
}

TEST(SplitRatings, AtRandomKeepsAFraction) {
  auto const ratings = random_triples<float>(200, 150, .3, 1).ratings();
  Exec const exec;
  for (double const fraction : {0., .1, .5, 1.}) {
    auto const [train, test] =
        checked(ratings, carroll::split_ratings(exec, ratings, {.fraction = fraction, .seed = 3}));
    double const n = static_cast<double>(ratings.count());
    EXPECT_NEAR(static_cast<double>(test.size()), fraction * n,
                5 * std::sqrt(n * fraction * (1 - fraction)));
  }
  auto const other = carroll::split_ratings(exec, ratings, {.fraction = .5, .seed = 4});
  auto const one = carroll::split_ratings(exec, ratings, {.fraction = .5, .seed = 3});
  EXPECT_NE(pairs_of(one.test), pairs_of(other.test));
}

TEST(SplitRatings, AtRandomDependsOnThePairAlone) {
  auto const triples = random_triples<double>(60, 50, .4, 2);
  HostTriples<double> half;
  for (std::size_t e = 0; e < triples.count(); ++e)
    if (triples.items[e] % 2 == 0) half.add(triples.users[e], triples.items[e], 7);
  Exec const exec;
  carroll::SplitOptions const options{.fraction = .3, .seed = 9};
  auto const whole = pairs_of(carroll::split_ratings(exec, triples.ratings(), options).test);
  auto const part = pairs_of(carroll::split_ratings(exec, half.ratings(), options).test);
  std::size_t shared = 0;
  for (auto const& [pair, value] : whole) shared += pair.second % 2 == 0;
  EXPECT_GT(shared, 0U);
  EXPECT_EQ(part.size(), shared);
  for (auto const& [pair, value] : part) EXPECT_TRUE(whole.count(pair));
}

TEST(SplitRatings, LeavesSomeOfEachUserOut) {
  auto triples = random_triples<float>(80, 40, .1, 5);
  for (int i = 0; i < 40; ++i) triples.add(80, i, 1);
  auto const ratings = triples.ratings();
  auto const before = pairs_of(ratings);
  for (int const k : {0, 1, 3}) {
    auto const [train, test] = checked(
        ratings, carroll::split_ratings(Exec(), ratings,
                                        {.split = Split::leave_out, .leave_out = k, .seed = 11}));
    for (int u = 0; u <= 80; ++u) {
      auto const of = [&](Pairs const& pairs) {
        return std::count_if(pairs.begin(), pairs.end(),
                             [&](auto const& entry) { return entry.first.first == u; });
      };
      EXPECT_EQ(of(test), of(before) > k ? k : 0) << "user " << u;
    }
  }
}

TEST(SplitRatings, LeavesOutEachItemEquallyOften) {
  HostTriples<float> triples;
  for (int u = 0; u < 4000; ++u)
    for (int i = 0; i < 4; ++i) triples.add(u, i, 1);
  auto const test =
      pairs_of(carroll::split_ratings(Exec(), triples.ratings(),
                                      {.split = Split::leave_out, .leave_out = 1, .seed = 2})
                   .test);
  int counts[4] = {};
  for (auto const& [pair, value] : test) ++counts[pair.second];
  for (int const count : counts) EXPECT_NEAR(count, 1000, 5 * std::sqrt(750.));
}

TEST(SplitRatings, TemporalKeepsTheLatest) {
  auto const triples = random_triples<float>(50, 50, .3, 6);
  HostTriples<double> times;
  Random random(7);
  for (std::size_t e = 0; e < triples.count(); ++e)
    times.add(triples.users[e], triples.items[e], 881250949. + random.index(100));
  Exec const exec;
  auto const ratings = triples.ratings();
  auto const times_of = times.by_pair();
  for (double const fraction : {0., .2, .999, 1.}) {
    auto const [train, test] =
        checked(ratings, carroll::split_ratings(exec, ratings, times.ratings(),
                                                {.split = Split::temporal, .fraction = fraction}));
    EXPECT_LE(static_cast<double>(test.size()), fraction * static_cast<double>(ratings.count()));
    EXPECT_EQ(train.empty(), fraction == 1.);
    double latest = 0, earliest = 1e300;
    for (auto const& [pair, value] : train) latest = std::max(latest, times_of.at(pair));
    for (auto const& [pair, value] : test) earliest = std::min(earliest, times_of.at(pair));
    EXPECT_LT(latest, earliest);
    // One instant more would have been too many.
    std::size_t next = 0;
    for (auto const& [pair, value] : train) next += times_of.at(pair) == latest;
    if (!train.empty()) {
      EXPECT_GT(static_cast<double>(test.size() + next),
                std::floor(fraction * static_cast<double>(ratings.count())));
    }
  }
}

TEST(SplitRatings, RefuseWhatCannotBe) {
  auto const triples = random_triples<float>(9, 9, .3, 6);
  auto const ratings = triples.ratings();
  Exec const exec;
  auto const says = [&](carroll::SplitOptions const& options) {
    return complaint([&] { (void)carroll::split_ratings(exec, ratings, options); });
  };
  EXPECT_NE(says({.fraction = 1.5}).find("must be from 0 to 1"), std::string::npos);
  EXPECT_NE(says({.fraction = std::nan("")}).find("must be from 0 to 1"), std::string::npos);
  EXPECT_NE(says({.leave_out = -1}).find("must not be negative"), std::string::npos);
  EXPECT_NE(says({.split = Split::temporal}).find("needs times"), std::string::npos);
  auto const other = random_triples<double>(9, 9, .3, 8).ratings({.users = 9, .items = 9});
  EXPECT_NE(complaint([&] {
              (void)carroll::split_ratings(exec, ratings, other, {.split = Split::temporal});
            }).find("same users and items"),
            std::string::npos);
}

}  // namespace
