// SPDX-License-Identifier: BSD-3-Clause
// The graph filter against its formula on a dense table: scores, order, what has been seen; rows
// without ratings; numbers of threads; misuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/graph_filter.hpp>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "recommenders/ratings/triples.hpp"
#include "recommenders/svd/oracle.hpp"
#include "support/tolerance.hpp"
#include "svd_instances.hpp"

namespace {

using namespace carroll::test;

template <class Real>
class GraphFilterTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GraphFilterTest, Scalars);

constexpr int users = 26, items = 17;

/// Scores of all items for all users.
Table plain_scores(Table const& ratings, int rank, double weight) {
  std::vector<double> user_sums(users), item_sums(items);
  for (std::size_t u = 0; u < users; ++u)
    for (std::size_t i = 0; i < items; ++i) {
      user_sums[u] += ratings[u][i];
      item_sums[i] += ratings[u][i];
    }
  Table normal = ratings;
  for (std::size_t u = 0; u < users; ++u)
    for (std::size_t i = 0; i < items; ++i)
      if (normal[u][i] != 0) normal[u][i] /= std::sqrt(user_sums[u] * item_sums[i]);
  auto const svd = plain_svd(normal);
  Table scores(users, std::vector<double>(items));
  for (std::size_t u = 0; u < users; ++u) {
    for (std::size_t v = 0; v < users; ++v) {
      double share = 0;
      for (std::size_t i = 0; i < items; ++i) share += ratings[u][i] * normal[v][i];
      for (std::size_t j = 0; j < items; ++j) scores[u][j] += share * normal[v][j];
    }
    for (int l = 0; l < rank; ++l) {
      auto const& v = svd.right[std::size_t(l)];
      double part = 0;
      for (std::size_t i = 0; i < items; ++i)
        if (item_sums[i] > 0) part += ratings[u][i] / std::sqrt(item_sums[i]) * v[i];
      for (std::size_t j = 0; j < items; ++j)
        scores[u][j] += weight * part * v[j] * std::sqrt(item_sums[j]);
    }
  }
  return scores;
}

template <class Real>
struct Lists {
  std::vector<std::int32_t> ids;
  std::vector<Real> scores;
  carroll::RecommendInfo info;
};

template <class Real, class ExecSpace = Exec>
Lists<Real> lists_of(carroll::Ratings<Real, Memory> const& ratings,
                     carroll::GraphFilterOptions const& options,
                     std::vector<std::int32_t> const& asked, int wanted,
                     ExecSpace const& exec = ExecSpace()) {
  auto const filter = carroll::graph_filter(exec, ratings, options);
  Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Memory> const ids("ids", asked.size(),
                                                                      std::size_t(wanted));
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> const scores("scores", asked.size(),
                                                                 std::size_t(wanted));
  Lists<Real> lists;
  lists.info = carroll::recommend(exec, filter, on_device(asked), ids, scores);
  auto const id_copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ids);
  auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), scores);
  for (std::size_t q = 0; q < asked.size(); ++q)
    for (int k = 0; k < wanted; ++k) {
      lists.ids.push_back(id_copy(q, k));
      lists.scores.push_back(copy(q, k));
    }
  return lists;
}

TYPED_TEST(GraphFilterTest, ScoresByTheFormula) {
  // A user and an item without ratings at the end.
  auto const triples = random_triples<TypeParam>(users - 1, items - 1, 0.3, 12);
  auto const ratings = triples.ratings({.users = users, .items = items});
  Table table(users, std::vector<double>(items));
  for (std::size_t e = 0; e < triples.count(); ++e)
    table[std::size_t(triples.users[e])][std::size_t(triples.items[e])] =
        static_cast<double>(triples.values[e]);
  std::vector<std::int32_t> asked;
  for (int u = users - 1; u >= 0; --u) asked.push_back(u);
  for (int const rank : {0, 3, 16})
    for (double const weight : {0.3, 2.0}) {
      SCOPED_TRACE(testing::Message() << rank << ' ' << weight);
      carroll::GraphFilterOptions const options{
          .rank = rank, .low_pass_weight = weight, .svd = {.power_steps = 10}};
      auto const scores = plain_scores(table, rank, weight);
      auto const lists = lists_of(ratings, options, asked, items);
      EXPECT_EQ(lists.info.cold_users, 1);
      double largest = 0;
      for (auto const& row : scores)
        for (double const s : row) largest = std::max(largest, std::abs(s));
      // Singular vectors have half the digits of the triplets' residual.
      double const tolerance = (rank > 0 ? 4 * std::sqrt(epsilon<TypeParam>) : 0) * largest +
                               50 * epsilon<TypeParam> * largest;
      for (std::size_t q = 0; q < asked.size(); ++q) {
        auto const u = static_cast<std::size_t>(asked[q]);
        std::size_t left = 0;
        for (double const r : table[u]) left += r == 0;
        for (std::size_t k = 0; k < items; ++k) {
          std::int32_t const j = lists.ids[q * items + k];
          EXPECT_EQ(j >= 0, k < left);
          if (j < 0) continue;
          EXPECT_EQ(table[u][std::size_t(j)], 0);
          EXPECT_NEAR(static_cast<double>(lists.scores[q * items + k]), scores[u][std::size_t(j)],
                      tolerance);
          if (k > 0) {
            EXPECT_LE(lists.scores[q * items + k], lists.scores[q * items + k - 1]);
          }
        }
      }
    }
}

TYPED_TEST(GraphFilterTest, GivesTheSameBitsForAnyNumberOfThreads) {
  if constexpr (std::is_constructible_v<Exec, int>) {
    auto const ratings = random_triples<TypeParam>(150, 120, 0.1, 13).ratings();
    std::vector<std::int32_t> asked{5, 3, 149, 3, -1, 1000};
    carroll::GraphFilterOptions const options{.rank = 12};
    auto const usual = lists_of(ratings, options, asked, 7);
    auto const one = lists_of(ratings, options, asked, 7, Exec(1));
    EXPECT_EQ(usual.ids, one.ids);
    EXPECT_EQ(usual.scores, one.scores);
  } else {
    GTEST_SKIP() << "this space has its number of threads";
  }
}

TEST(GraphFilter, MisuseIsRefused) {
  auto const ratings = random_triples<double>(6, 5, 0.9, 1).ratings();
  EXPECT_THROW((void)carroll::graph_filter(Exec(), ratings, {.rank = 6}), std::invalid_argument);
  EXPECT_THROW((void)carroll::graph_filter(Exec(), ratings, {.rank = -1}), std::invalid_argument);
  EXPECT_THROW(
      (void)carroll::graph_filter(Exec(), ratings, {.rank = 2, .low_pass_weight = std::nan("")}),
      std::invalid_argument);
}

}  // namespace
