// SPDX-License-Identifier: BSD-3-Clause
// The rows that als solves for, against their normal equations in double precision: both kinds of
// feedback, weights, biases, empty rows, one long row, few factors and many.
#include <gtest/gtest.h>

#include <carroll/als.hpp>
#include <carroll/fold_in.hpp>
#include <limits>
#include <string>

#include "recommenders/factors/oracle.hpp"

namespace {

using namespace carroll::test;
using carroll::AlsBiases;
using carroll::AlsOptions;
using carroll::Feedback;

struct Shape {
  int users, items, of_user, k;
};

template <class Real>
class AlsTest : public ::testing::Test {
 protected:
  /// Backward errors of sums in chains of up to 512 terms, and of a Cholesky factor.
  static double tolerance(int k) {
    return (32 + k) * static_cast<double>(std::numeric_limits<Real>::epsilon());
  }

  static void check(Shape const& s, AlsOptions const& options, std::string const& what) {
    SCOPED_TRACE(what + ", k = " + std::to_string(s.k));
    auto const triples = random_ratings<Real>(s.users, s.items, s.of_user, 7);
    auto const ratings = triples.ratings({.users = s.users, .items = s.items});
    carroll::FactorModel<Real, Memory> model;
    auto const k = static_cast<std::size_t>(s.k);
    model.U = FactorView<Real>("U", static_cast<std::size_t>(s.users), k);
    model.V = FactorView<Real>("V", static_cast<std::size_t>(s.items), k);
    auto const info = carroll::als(Exec(), ratings, model, options);
    ASSERT_EQ(info.status, carroll::Status::success);
    EXPECT_EQ(info.iterations, options.iterations);
    EXPECT_EQ(info.cold_users, 1);
    EXPECT_EQ(info.cold_items, 1);
    EXPECT_EQ(info.singular_rows, 0);

    auto const doubles = [](auto const& view) {
      auto const host = on_host(view);
      return std::vector<double>(host.begin(), host.end());
    };
    Factors const U = factors_of(model.U), V = factors_of(model.V);
    auto const user_bias = doubles(model.user_bias), item_bias = doubles(model.item_bias);
    auto const mean = static_cast<double>(model.mean);
    bool const fitted = options.biases == AlsBiases::fitted;
    double worst = 0;
    // Items were solved for last.
    auto const by_item = rows_of(triples, true, s.items, mean, user_bias,
                                 fitted ? std::vector<double>{} : item_bias);
    for (std::size_t i = 0; i < by_item.size(); ++i) {
      std::vector<double> x(k);
      for (std::size_t f = 0; f < k; ++f) x[f] = V(i, f);
      if (fitted) x.push_back(item_bias[i]);
      if (i == 1)
        for (double const entry : x) EXPECT_EQ(entry, 0) << "a cold item";
      else
        worst = std::max(worst, backward_error(dense_equations(by_item[i], U, options), x));
    }
    EXPECT_LT(worst, tolerance(s.k)) << "items";

    // Users are folded in, given the items.
    FactorView<Real> const folded("folded", static_cast<std::size_t>(s.users), k);
    typename carroll::FactorModel<Real, Memory>::Biases bias("bias", model.user_bias.extent(0));
    auto const fold = carroll::fold_in(Exec(), model, ratings.by_user(), folded, bias, options);
    ASSERT_EQ(fold.status, carroll::Status::success);
    EXPECT_EQ(fold.cold_rows, 1);
    Factors const F = factors_of(folded);
    auto const own = doubles(bias);
    auto const by_user =
        rows_of(triples, false, s.users, mean, item_bias, fitted ? std::vector<double>{} : own);
    worst = 0;
    for (std::size_t u = 1; u < by_user.size(); ++u) {
      std::vector<double> x(k);
      for (std::size_t f = 0; f < k; ++f) x[f] = F(u, f);
      if (fitted) x.push_back(own[u]);
      worst = std::max(worst, backward_error(dense_equations(by_user[u], V, options), x));
    }
    EXPECT_LT(worst, tolerance(s.k)) << "users";
  }
};

using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(AlsTest, Reals);

TYPED_TEST(AlsTest, explicit_feedback) {
  // On both sides of where devices change the shape of their teams.
  for (int const k :
       {1, 2, 7, 8, 9, 16, 31, 32, 33, 64, 65, 95, 96, 97, 100, 112, 113, 127, 128, 129})
    this->check({40, 30, 8, k}, {.regularization = 0.05, .iterations = 2}, "by count");
  this->check({40, 30, 8, 16}, {.regularization = 0.5, .count_exponent = 0, .iterations = 2},
              "fixed");
  for (auto const biases : {AlsBiases::mean, AlsBiases::fixed, AlsBiases::fitted})
    for (int const k : {1, 15, 16, 31, 32, 63, 64, 96, 100, 111, 127, 128})
      this->check({50, 30, 8, k},
                  {.biases = biases, .regularization = 0.1, .count_exponent = 0.7, .iterations = 2},
                  std::string(to_string(biases)));
}

TYPED_TEST(AlsTest, implicit_feedback) {
  for (bool const all : {true, false})
    for (int const k : {1, 9, 32, 40, 65, 97, 100, 128})
      this->check({40, 30, 8, k},
                  {.feedback = Feedback::implicit,
                   .regularization = 0.03,
                   .confidence = 0.7,
                   .unobserved_weight = 0.4,
                   .counts_all_pairs = all,
                   .iterations = 2},
                  all ? "all pairs" : "unobserved pairs");
}

TYPED_TEST(AlsTest, many_factors) {
  this->check({24, 20, 6, 300}, {.regularization = 0.1, .iterations = 1}, "many");
  this->check({24, 20, 6, 300},
              {.feedback = Feedback::implicit, .regularization = 0.1, .iterations = 1}, "many");
}

TYPED_TEST(AlsTest, long_rows) {
  // Item 2 has more than two segments of eight chunks.
  this->check({9000, 40, 3, 13}, {.regularization = 0.05, .iterations = 1}, "long");
  this->check({9000, 40, 3, 13},
              {.feedback = Feedback::implicit,
               .regularization = 0.01,
               .unobserved_weight = 0.1,
               .iterations = 1},
              "long");
  this->check({9000, 12, 2, 100}, {.regularization = 0.05, .iterations = 1}, "long");
}

TYPED_TEST(AlsTest, tells_the_largest_residual) {
  // One step of conjugate gradients leaves one that rounding errors do not hide.
  auto const triples = random_ratings<TypeParam>(40, 30, 8, 7);
  auto const ratings = triples.ratings({.users = 40, .items = 30});
  FactorView<TypeParam> const U("U", 40, 9), V("V", 30, 9);
  AlsOptions const options{
      .solver = carroll::AlsSolver::conjugate_gradients, .steps = 1, .iterations = 2};
  auto const info = carroll::als(Exec(), ratings, U, V, options);
  Factors const others = factors_of(U), own = factors_of(V);
  double worst = 0;
  auto const rows = rows_of(triples, true, 30, 0, {}, {});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const eq = dense_equations(rows[i], others, options);
    double left = 0, right = 0;
    for (std::size_t f = 0; f < 9; ++f) {
      long double sum = eq.b[f];
      for (std::size_t j = 0; j < 9; ++j) sum -= eq.a[f][j] * own(i, j);
      left += static_cast<double>(sum * sum);
      right += static_cast<double>(eq.b[f] * eq.b[f]);
    }
    if (right > 0) worst = std::max(worst, std::sqrt(left / right));
  }
  EXPECT_GT(worst, 1e-3);
  EXPECT_NEAR(info.residual, worst, 1e-4 * worst);
}

TYPED_TEST(AlsTest, starts_with_item_means) {
  auto const triples = random_ratings<TypeParam>(20, 12, 5, 3);
  auto const ratings = triples.ratings({.users = 20, .items = 12});
  FactorView<TypeParam> const U("U", 20, 4), V("V", 12, 4);
  carroll::als(Exec(), ratings, U, V,
               {.iterations = 0, .start = carroll::AlsStart::item_means, .start_scale = 0.01});
  std::vector<double> sum(12), count(12);
  for (std::size_t e = 0; e < triples.count(); ++e) {
    sum[static_cast<std::size_t>(triples.items[e])] += static_cast<double>(triples.values[e]);
    ++count[static_cast<std::size_t>(triples.items[e])];
  }
  Factors const start = factors_of(V);
  for (std::size_t i = 0; i < 12; ++i) {
    double const mean = count[i] > 0 ? sum[i] / count[i] : 0;
    EXPECT_NEAR(start(i, 0), mean, 1e-5);
    for (std::size_t f = 1; f < 4; ++f) {
      EXPECT_NE(start(i, f), 0);
      EXPECT_LT(std::fabs(start(i, f)), 0.03);
    }
  }
}

}  // namespace
