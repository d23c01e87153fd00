// SPDX-License-Identifier: BSD-3-Clause
// Singular triplets of ratings against Jacobi's method on the table of them, tall and wide, scaled
// to the ends of the range; the recommender of the course, and its worked example; ratings that are
// no numbers; misuse; numbers of threads.
#include <gtest/gtest.h>

#include <carroll/predict.hpp>
#include <carroll/ratings/svd_model.hpp>
#include <carroll/ratings/truncated_svd.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "recommenders/sgd/models.hpp"
#include "recommenders/svd/oracle.hpp"
#include "support/copy.hpp"
#include "support/tolerance.hpp"
#include "svd_instances.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;
using carroll::TruncatedSvdOptions;

template <class Real>
Table table_of(HostTriples<Real> const& triples, int users, int items) {
  Table table(static_cast<std::size_t>(users),
              std::vector<double>(static_cast<std::size_t>(items)));
  for (std::size_t e = 0; e < triples.count(); ++e)
    table[std::size_t(triples.users[e])][std::size_t(triples.items[e])] =
        static_cast<double>(triples.values[e]);
  return table;
}

template <class Real>
struct Triplets {
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> U;
  Kokkos::View<Real*, Memory> S;
  Kokkos::View<Real**, Kokkos::LayoutLeft, Memory> V;
  carroll::TruncatedSvdInfo<Real> info;

  template <class ExecSpace>
  Triplets(ExecSpace const& exec, carroll::Ratings<Real, Memory> const& ratings, int k,
           TruncatedSvdOptions const& options = {})
      : U("U", std::size_t(ratings.users()), std::size_t(k)),
        S("S", std::size_t(k)),
        V("V", std::size_t(ratings.items()), std::size_t(k)),
        info(carroll::truncated_svd(exec, ratings, U, S, V, options)) {}
  [[nodiscard]] std::vector<Real> all() const {
    std::vector<Real> numbers = on_host(S);
    for (auto const& x : {Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), U)})
      for (std::size_t i = 0; i < x.extent(0); ++i)
        for (std::size_t l = 0; l < x.extent(1); ++l) numbers.push_back(x(i, l));
    return numbers;
  }
};

template <class Real>
class RatingsSvdTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RatingsSvdTest, Scalars);

TYPED_TEST(RatingsSvdTest, FindsTheTripletsOfTheTable) {
  for (auto const& [users, items] : {std::pair(60, 40), {40, 60}, {33, 5}, {1, 1}})
    for (double const factor : {1.0, 0x1p-100, 0x1p100}) {
      SCOPED_TRACE(testing::Message() << users << '×' << items << ' ' << factor);
      auto triples = random_triples<TypeParam>(users, items, 0.5, 3);
      if (triples.count() == 0) triples.add(0, 0, 3);
      for (TypeParam& x : triples.values) x = static_cast<TypeParam>(x * factor);
      auto const ratings = triples.ratings({.users = users, .items = items});
      int const k = std::min({4, users, items});
      Triplets<TypeParam> const found(Exec(), ratings, k);
      EXPECT_EQ(found.info.status, Status::success);
      auto const table = table_of(triples, users, items);
      auto const plain = plain_svd(table);
      auto const U = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found.U);
      auto const V = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found.V);
      auto const S = on_host(found.S);
      double const first = plain.values.front();
      double const residual = 2 * std::sqrt(epsilon<TypeParam>);  // what the info promises, twice
      for (int l = 0; l < k; ++l) {
        auto const s = static_cast<double>(S[std::size_t(l)]);
        EXPECT_NEAR(s, plain.values[std::size_t(l)],
                    absolute_sigma_tolerance<TypeParam>(60, first) + first * residual * residual);
        double square = 0;
        for (int u = 0; u < users; ++u) {
          double image = 0;
          for (int i = 0; i < items; ++i)
            image += table[std::size_t(u)][std::size_t(i)] * static_cast<double>(V(i, l));
          square += std::pow((image - s * static_cast<double>(U(u, l))) / first, 2);
        }
        EXPECT_LE(std::sqrt(square), residual);
        for (int other = 0; other <= l; ++other) {
          double product = 0;
          for (int i = 0; i < items; ++i)
            product += static_cast<double>(V(i, l)) * static_cast<double>(V(i, other));
          EXPECT_NEAR(product, l == other ? 1 : 0, 60 * epsilon<TypeParam>);
        }
      }
    }
}

TYPED_TEST(RatingsSvdTest, GivesTheSameBitsForAnyNumberOfThreads) {
  if constexpr (std::is_constructible_v<Exec, int>) {
    auto const ratings = random_triples<TypeParam>(200, 150, 0.2, 4).ratings();
    TruncatedSvdOptions const options{.power_steps = 2, .max_power_steps = 2};
    EXPECT_EQ((Triplets<TypeParam>(Exec(), ratings, 10, options).all()),
              (Triplets<TypeParam>(Exec(1), ratings, 10, options).all()));
  } else {
    GTEST_SKIP() << "this space has its number of threads";
  }
}

TEST(RatingsSvd, SaysWhatIsNoNumber) {
  auto const ratings = random_triples<double>(9, 8, 0.5, 2).ratings();
  auto users = ratings.by_user();
  auto values = on_host(users.values);
  values[3] = std::numeric_limits<double>::infinity();
  users.values = on_device(values);
  Kokkos::View<double**, Memory> const U("U", 9, 2), V("V", 8, 2);
  Kokkos::View<double*, Memory> const S("S", 2);
  auto const info = carroll::truncated_svd(Exec(), users, ratings.by_item(), U, S, V);
  EXPECT_EQ(info.status, Status::non_finite);
  for (double const s : on_host(S)) EXPECT_TRUE(std::isnan(s));
  auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), U);
  EXPECT_TRUE(std::isnan(copy(8, 1)));
}

TEST(RatingsSvd, MisuseIsRefused) {
  auto const ratings = random_triples<double>(6, 5, 0.9, 1).ratings();
  Kokkos::View<double**, Memory> const U("U", 6, 2), V("V", 5, 2), short_V("V", 4, 2);
  Kokkos::View<double*, Memory> const S("S", 2), long_S("S", 6);
  EXPECT_THROW((void)carroll::truncated_svd(Exec(), ratings, U, S, short_V), std::invalid_argument);
  EXPECT_THROW((void)carroll::truncated_svd(Exec(), ratings, U, long_S, V), std::invalid_argument);
  EXPECT_THROW((void)carroll::truncated_svd(Exec(), ratings, U, S, V,
                                            {.path = carroll::TruncatedSvdPath::full}),
               std::invalid_argument);
}

// r̂ = r̄_u + Σ σ·u·v of the table of what ratings are off their user's mean.
TYPED_TEST(RatingsSvdTest, MakesTheRecommenderOfTheCourse) {
  int const users = 30, items = 20, k = 3;
  auto const triples = random_triples<TypeParam>(users, items, 0.6, 6);
  auto const ratings = triples.ratings({.users = users, .items = items});
  auto model = empty_model<TypeParam>(users, items, k);
  auto const info = carroll::svd_model(Exec(), ratings, model);
  EXPECT_EQ(info.status, Status::success);
  auto table = table_of(triples, users, items);
  std::vector<double> means(static_cast<std::size_t>(users));
  for (int u = 0; u < users; ++u) {
    int count = 0;
    for (double const r : table[std::size_t(u)]) means[std::size_t(u)] += r, count += r != 0;
    means[std::size_t(u)] /= count;
    for (double& r : table[std::size_t(u)]) r = r != 0 ? r - means[std::size_t(u)] : 0;
  }
  auto const plain = plain_svd(table);
  auto const made = host_model(model);
  for (int u = 0; u < users; ++u)
    for (int i = 0; i < items; ++i) {
      double wanted = means[std::size_t(u)];
      for (std::size_t l = 0; l < k; ++l) {
        double image = 0;  // σ·u
        for (std::size_t j = 0; j < std::size_t(items); ++j)
          image += table[std::size_t(u)][j] * plain.right[l][j];
        wanted += image * plain.right[l][std::size_t(i)];
      }
      double predicted =
          static_cast<double>(made.mean) + static_cast<double>(made.user_bias[std::size_t(u)]);
      for (std::size_t l = 0; l < k; ++l)
        predicted += static_cast<double>(made.U[std::size_t(u) * k + l]) *
                     static_cast<double>(made.V[std::size_t(i) * k + l]);
      // Vectors are as good as the residual over the gap to the next singular value.
      EXPECT_NEAR(predicted, wanted, 100 * std::sqrt(epsilon<TypeParam>)) << u << ' ' << i;
    }
}

// §5.2.13: Alice, whose mean is 3, and Eat Pray Love; its figures give 3.831, printed is 3.84.
TEST(RatingsSvd, PredictsTheWorkedExample) {
  auto model = empty_model<double>(1, 1, 2);
  carroll::test::deep_copy(Kokkos::subview(model.U, 0, 0), 0.47 * 5.63);
  carroll::test::deep_copy(Kokkos::subview(model.U, 0, 1), -0.30 * 3.23);
  carroll::test::deep_copy(Kokkos::subview(model.V, 0, 0), 0.38);
  carroll::test::deep_copy(Kokkos::subview(model.V, 0, 1), 0.18);
  model.mean = 3;
  auto const zero = on_device(std::vector<std::int32_t>{0});
  Kokkos::View<double*, Memory> const prediction("prediction", 1);
  (void)carroll::predict(Exec(), model, carroll::Ratings<double, Memory>(), zero, zero, prediction);
  EXPECT_NEAR(on_host(prediction)[0], 3.831, 5e-4);
}

}  // namespace
