// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
//
// The selection of devices on the host, threads taking turns, against a sort: ties, scores in
// order, more candidates than there is room for, seen items, scores that are no numbers.
#include <gtest/gtest.h>

#include <carroll/detail/recommend/best.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "recommenders/predict/ranked.hpp"
#include "recommenders/ratings/triples.hpp"
#include "support/copy.hpp"
#include "support/emulated_types.hpp"

namespace {

using namespace carroll::test;
using carroll::detail::EmulatedSpace;
using Host = Kokkos::HostSpace;

/// Rows of products, and what is made of them. Indices into `left` are the rows' own.
template <class Real>
struct Selecting {
  int rows, items, wanted;
  std::vector<Real> products;
  std::vector<std::vector<int>> seen;
  Real bias = Real(0.5);
  carroll::detail::BestProblem<Real, Host> problem;
  std::vector<std::int32_t> ids, asked;
  std::vector<Real> scores;
  std::vector<std::int64_t> counts = std::vector<std::int64_t>(3);

  Selecting(int rows_, int items_, int wanted_)
      : rows(rows_),
        items(items_),
        wanted(wanted_),
        products(std::size_t(rows) * std::size_t(items)),
        seen(std::size_t(rows)) {}

  template <class F>
  void fill(F const& f) {
    for (int t = 0; t < rows; ++t)
      for (int j = 0; j < items; ++j)
        products[std::size_t(t * items + j)] = static_cast<Real>(f(t, j));
  }

  void select(int threads) {
    using namespace carroll::detail;
    auto const size = [](int n) { return static_cast<std::size_t>(n); };
    ids.assign(size(rows) * size(wanted), -7);
    scores.assign(ids.size(), Real(-7));
    counts.assign(counts.size(), 0);
    asked.clear();
    for (int t = 0; t < rows; ++t) asked.push_back(t);
    Kokkos::View<std::int64_t*, Kokkos::LayoutRight, Host> const offsets("offsets", size(rows + 1));
    for (int t = 0; t < rows; ++t)
      offsets(t + 1) = offsets(t) + static_cast<std::int64_t>(seen[size(t)].size());
    Kokkos::View<std::int32_t*, Kokkos::LayoutRight, Host> const columns("seen",
                                                                         size(int(offsets(rows))));
    for (int t = 0, e = 0; t < rows; ++t)
      for (int const j : seen[size(t)]) columns(e++) = j;
    Kokkos::View<Real*, Kokkos::LayoutRight, Host> const base("base", size(items));
    for (int j = 0; j < items; ++j) base(j) = base_of(j);
    Kokkos::View<Real*, Kokkos::LayoutRight, Host> const biases("bias", size(rows));
    carroll::test::deep_copy(biases, bias);
    using Factors = Kokkos::View<Real**, Kokkos::LayoutRight, Host>;
    problem.rows = {asked.data(), 1};
    problem.row_count = rows;
    problem.left = Factors("left", size(rows), 0);
    problem.V = Factors("V", size(items), 0);
    problem.bias = biases;
    problem.base = base;
    problem.offsets = offsets;
    problem.seen = columns;
    problem.leaves_out_seen = true;
    problem.ids = {ids.data(), wanted, 1};
    problem.scores = {scores.data(), wanted, 1};
    problem.wanted = wanted;
    auto tiled = products;  // the kernel writes −∞ into it
    BestTile<Real, Host> tile;
    tile.end = rows;
    tile.scores = tiled.data();
    tile.counts = counts.data();
    using Kernel = SelectByTeams<EmulatedSpace, Real, 0, Host>;
    auto const shape = SelectionShape::of(wanted, threads);
    launch_teams("select", EmulatedSpace{}, Kernel{problem, tile, shape},
                 {.count = rows, .threads = threads, .scratch = Kernel::bytes(shape.places)});
  }

  [[nodiscard]] static Real base_of(int j) { return Real(0.25) * static_cast<Real>(j % 3); }

  void expect_ranked() const {
    std::int64_t not_full = 0;
    for (int t = 0; t < rows; ++t) {
      std::vector<double> all;
      for (int j = 0; j < items; ++j)
        all.push_back(
            static_cast<double>((products[std::size_t(t * items + j)] + base_of(j)) + bias));
      for (int const j : seen[std::size_t(t)]) all[std::size_t(j)] = never;
      auto const best = ranked(all, std::size_t(wanted));
      for (int place = 0; place < wanted; ++place) {
        auto const at = std::size_t(t * wanted + place);
        ASSERT_EQ(ids[at], best.ids[std::size_t(place)]) << t << ' ' << place;
        ASSERT_EQ(static_cast<double>(scores[at]), best.scores[std::size_t(place)]) << t;
      }
      not_full += best.ids.back() == -1;
    }
    EXPECT_EQ(counts[int(carroll::detail::BestCount::not_full)], not_full);
    EXPECT_EQ(counts[int(carroll::detail::BestCount::bad)], 0);
  }
};

template <class Real>
class SelectEmulatedTest : public testing::Test {};
using Numbers = carroll::test::EmulatedTypes<::testing::Types<double>, ::testing::Types<float>>;
TYPED_TEST_SUITE(SelectEmulatedTest, Numbers);

/// Teams of 32 and 64 threads have bounds for N up to as many.
TYPED_TEST(SelectEmulatedTest, TheBestOfASort) {
  Random random(5);
  std::vector<std::pair<std::string, double (*)(Random&, int, int)>> const kinds{
      {"any order", [](Random& r, int, int) { return r.symmetric(); }},
      {"ties", [](Random& r, int, int) { return r.index(4) / 2.0; }},
      {"all the same", [](Random&, int, int) { return 1.0; }},
      {"ascending", [](Random&, int, int j) { return j / 8.0; }},
      {"descending", [](Random&, int, int j) { return -j / 8.0; }},
      // The best are all of one thread's, and too many for the places.
      {"one group", [](Random& r, int, int j) { return (j % 32 == 3 ? 10 : 0) + r.uniform(); }},
      {"hardly any", [](Random& r, int, int j) { return j % 97 == 0 ? r.uniform() : never; }}};
  for (auto const& [name, kind] : kinds)
    for (int const items : {1, 31, 700, 5003})
      for (int const wanted : {1, 5, 32, 33, 64, 65, 200})
        for (int const threads : {32, 64}) {
          if (wanted > items || (items == 5003 && wanted == 64)) continue;
          SCOPED_TRACE(testing::Message()
                       << name << ", " << wanted << " of " << items << " by " << threads);
          Selecting<TypeParam> problem(3, items, wanted);
          problem.fill([&](int t, int j) { return kind(random, t, j); });
          for (int j = 0; j < items; j += 2) problem.seen[1].push_back(j);
          for (int j = 0; j < items; ++j) problem.seen[2].push_back(j);
          problem.select(threads);
          problem.expect_ranked();
        }
}

TYPED_TEST(SelectEmulatedTest, SaysWhoseScoresAreNoNumbers) {
  using Limits = std::numeric_limits<TypeParam>;
  for (TypeParam const bad : {Limits::quiet_NaN(), Limits::infinity()})
    for (int const wanted : {3, 100}) {  // with a bound, and without
      Selecting<TypeParam> problem(2, 300, wanted);
      problem.fill([](int, int j) { return j; });
      problem.products[300 + 120] = bad;
      problem.select(32);
      EXPECT_EQ(problem.ids[0], 299);
      EXPECT_EQ(problem.ids[std::size_t(wanted)], -1);
      EXPECT_TRUE(std::isnan(problem.scores[std::size_t(wanted)]));
      EXPECT_EQ(problem.counts[int(carroll::detail::BestCount::bad)], 1);
    }
}

}  // namespace
