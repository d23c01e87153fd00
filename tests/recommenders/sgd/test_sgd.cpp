// SPDX-License-Identifier: BSD-3-Clause
// Stochastic gradient descent against the same steps in double precision, in the same order; the
// course's update; planted factors; the same bits for every number of threads and every kernel;
// ranks up to 2048; empty rows, a long row.
#include <gtest/gtest.h>

#include <carroll/sgd.hpp>
#include <cmath>
#include <type_traits>

#include "recommenders/sgd/oracle.hpp"
#include "support/copy.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::LearningRate;
using carroll::SgdInfo;
using carroll::SgdOptions;
using carroll::SgdStart;
using carroll::Status;
using carroll::detail::SgdPath;

template <class T, class Real>
std::vector<T> converted(std::vector<Real> const& from) {
  return std::vector<T>(from.begin(), from.end());
}

template <class Real>
void expect_near(std::vector<Real> const& actual, std::vector<double> const& wanted,
                 double tolerance) {
  ASSERT_EQ(actual.size(), wanted.size());
  for (std::size_t e = 0; e < wanted.size(); ++e)
    ASSERT_NEAR(static_cast<double>(actual[e]), wanted[e], tolerance) << e;
}

template <class Real>
class SgdTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SgdTest, Scalars);

template <class Real>
void expect_plain_steps(int k, SgdOptions options, bool biases) {
  auto const ratings = random_triples<Real>(40, 30, 0.3, 21).ratings({.users = 41, .items = 31});
  auto model = empty_model<Real>(41, 31, k, biases);
  auto none = options;
  none.epochs = 0;
  (void)carroll::sgd(Exec(), ratings, model, none);
  auto const start = host_model(model);
  PlainSgd<Real> plain{k,
                       converted<double>(start.U),
                       converted<double>(start.V),
                       converted<double>(start.user_bias),
                       converted<double>(start.item_bias),
                       static_cast<double>(start.mean)};
  options.start = SgdStart::given;
  auto const info = carroll::sgd(Exec(), ratings, model, options);
  EXPECT_EQ(info.status, Status::success);
  EXPECT_EQ(info.epochs, options.epochs);
  plain.run(schedule_of(ratings, info.blocks, options.seed), options, biases);
  auto const made = host_model(model);
  // Steps are small: an epoch's errors hardly grow in the next.
  double const tolerance = 40 * (k + 8) * epsilon<Real>;
  expect_near(made.U, plain.U, tolerance);
  expect_near(made.V, plain.V, tolerance);
  expect_near(made.user_bias, plain.user_bias, tolerance);
  expect_near(made.item_bias, plain.item_bias, tolerance);
}

TYPED_TEST(SgdTest, TakesTheStepsThatAreWritten) {
  for (int const k : {0, 1, 8, 31, 32, 33, 64, 100, 128, 200})
    for (LearningRate const schedule :
         {LearningRate::constant, LearningRate::inverse, LearningRate::linear})
      for (bool const biases : {false, true}) {
        SCOPED_TRACE(testing::Message() << k << ' ' << to_string(schedule) << ' ' << biases);
        expect_plain_steps<TypeParam>(k,
                                      {.epochs = 3,
                                       .schedule = schedule,
                                       .decay = 0.5,
                                       .seed = std::uint64_t(k),
                                       .blocks = k % 3 == 0 ? 5 : 0},
                                      biases);
      }
}

// u += 2η·e·v, v += 2η·e·u with the u from before, and nothing else.
TYPED_TEST(SgdTest, HasTheUpdateOfTheCourse) {
  HostTriples<TypeParam> triples;
  triples.add(0, 0, 4);
  auto const ratings = triples.ratings();
  auto model = empty_model<TypeParam>(1, 1, 2, false);
  carroll::test::deep_copy(Kokkos::subview(model.U, 0, 0), TypeParam(1));
  carroll::test::deep_copy(Kokkos::subview(model.U, 0, 1), TypeParam(2));
  carroll::test::deep_copy(Kokkos::subview(model.V, 0, 0), TypeParam(0.5));
  carroll::test::deep_copy(Kokkos::subview(model.V, 0, 1), TypeParam(0.25));
  auto const info = carroll::sgd(Exec(), ratings, model,
                                 {.epochs = 1,
                                  .learning_rate = 0.125,
                                  .schedule = LearningRate::constant,
                                  .regularization = 0,
                                  .subtract_mean = false,
                                  .start = SgdStart::given});
  EXPECT_EQ(info.status, Status::success);
  auto const made = host_model(model);  // e = 4 − 1 = 3, 2η·e = 0.75
  EXPECT_EQ(made.U, (std::vector<TypeParam>{1.375, 2.1875}));
  EXPECT_EQ(made.V, (std::vector<TypeParam>{1.25, 1.75}));
  EXPECT_EQ(made.mean, 0);
  double const error = 4 - (1.375 * 1.25 + 2.1875 * 1.75);
  EXPECT_NEAR(info.last.rmse, std::abs(error), 8 * epsilon<TypeParam>);
  EXPECT_NEAR(info.last.objective, error * error, 16 * epsilon<TypeParam>);
}

TYPED_TEST(SgdTest, MeasuresWhatItSays) {
  auto const triples = random_triples<TypeParam>(30, 20, 0.4, 5);
  auto const ratings = triples.ratings();
  int const k = 9;
  auto model = empty_model<TypeParam>(30, 20, k);
  SgdOptions const options{.epochs = 4, .trace = true};
  auto const info = carroll::sgd(Exec(), ratings, model, options);
  ASSERT_EQ(info.trace.size(), 4u);
  EXPECT_LT(info.trace.back().objective, info.trace.front().objective);
  auto const m = host_model(model);
  double square = 0, penalty = 0;
  for (std::size_t e = 0; e < triples.count(); ++e) {
    auto const u = std::size_t(triples.users[e]), i = std::size_t(triples.items[e]);
    double error = double(triples.values[e]) - double(m.mean) - double(m.user_bias[u]) -
                   double(m.item_bias[i]);
    penalty += options.bias_regularization *
               (std::pow(double(m.user_bias[u]), 2) + std::pow(double(m.item_bias[i]), 2));
    for (std::size_t f = 0; f < std::size_t(k); ++f) {
      double const x = double(m.U[u * k + f]), y = double(m.V[i * k + f]);
      error -= x * y;
      penalty += options.regularization * (x * x + y * y);
    }
    square += error * error;
  }
  double const tolerance = 100 * epsilon<TypeParam>;
  EXPECT_NEAR(info.last.rmse, std::sqrt(square / double(triples.count())), tolerance);
  EXPECT_NEAR(info.last.objective / (square + penalty), 1, tolerance);
  EXPECT_EQ(info.last.objective, info.trace.back().objective);
}

// Ratings that are an inner product of three factors are found again where none were given.
TEST(Sgd, FindsPlantedFactors) {
  Random random(8);
  std::vector<double> U(3 * 120), V(3 * 90);
  for (double& x : U) x = random.normal();
  for (double& x : V) x = random.normal();
  auto const rating = [&](int u, int i) {
    double r = 3;
    for (int f = 0; f < 3; ++f) r += 0.5 * U[std::size_t(3 * u + f)] * V[std::size_t(3 * i + f)];
    return r;
  };
  HostTriples<float> triples;
  std::vector<std::pair<int, int>> kept_out;
  for (int u = 0; u < 120; ++u)
    for (int i = 0; i < 90; ++i)
      if (random.chance(0.4))
        triples.add(u, i, static_cast<float>(rating(u, i)));
      else
        kept_out.emplace_back(u, i);
  auto model = empty_model<float>(120, 90, 3, false);
  (void)carroll::sgd(Exec(), triples.ratings({.users = 120, .items = 90}), model,
                     {.epochs = 300, .learning_rate = 0.02, .regularization = 1e-4});
  auto const m = host_model(model);
  double square = 0;
  for (auto const& [u, i] : kept_out) {
    double r = double(m.mean);
    for (int f = 0; f < 3; ++f)
      r += double(m.U[std::size_t(3 * u + f)]) * double(m.V[std::size_t(3 * i + f)]);
    square += (r - rating(u, i)) * (r - rating(u, i));
  }
  EXPECT_LT(std::sqrt(square / double(kept_out.size())), 0.05);  // ratings spread by 0.87
}

TYPED_TEST(SgdTest, GivesTheSameBitsByEveryKernelAndNumberOfThreads) {
  auto const many = random_triples<TypeParam>(60, 50, 0.3, 9).ratings();
  // For the longest rows: steps of the plain kernel take their factors one by one.
  auto const few = random_triples<TypeParam>(24, 20, 0.3, 9).ratings();
  // A block with all ratings, blocks of some, blocks of one or none.
  using Case = std::pair<int, int>;
  for (Case const& one :
       {Case(0, 6), Case(5, 6), Case(32, 1), Case(32, 50), Case(64, 6), Case(64, 50), Case(100, 6),
        Case(128, 1), Case(128, 6), Case(128, 50), Case(200, 6), Case(512, 6), Case(2048, 6)}) {
    int const k = one.first;
    auto const& ratings = k > 200 ? few : many;
    SgdOptions const options{.epochs = 3, .blocks = one.second};
    auto const run = [&](Exec const& exec, SgdPath path) {
      auto model = empty_model<TypeParam>(ratings.users(), ratings.items(), k);
      auto const info = carroll::sgd(exec, ratings.by_user(), model, options, path);
      EXPECT_EQ(info.status, Status::success);
      return std::pair(host_model(model), info.last.objective);
    };
    auto const usual = run(Exec(), SgdPath::automatic);
    EXPECT_EQ(usual, run(Exec(), SgdPath::plain)) << k;
    EXPECT_EQ(usual, run(Exec(), SgdPath::automatic)) << k;
    if constexpr (std::is_constructible_v<Exec, int>) {
      EXPECT_EQ(usual, run(Exec(1), SgdPath::automatic)) << k;
    }
  }
}

TYPED_TEST(SgdTest, TakesRowsWithoutRatingsAndALongOne) {
  HostTriples<TypeParam> triples;
  int const users = 20000;
  for (int u = 0; u < users; ++u) triples.add(u, 3, static_cast<TypeParam>(1 + u % 5));
  triples.add(7, 5, 2);
  auto const ratings = triples.ratings({.users = users + 3, .items = 9});
  auto model = empty_model<TypeParam>(users + 3, 9, 16);
  auto const info = carroll::sgd(Exec(), ratings, model, {.epochs = 5, .trace = true});
  EXPECT_EQ(info.status, Status::success);
  EXPECT_LT(info.trace.back().objective, info.trace.front().objective);
  auto const none = carroll::Ratings<TypeParam, Memory>();
  auto empty = empty_model<TypeParam>(0, 0, 4);
  EXPECT_EQ(carroll::sgd(Exec(), none, empty).status, Status::success);
  HostTriples<TypeParam> nothing;
  auto rated = empty_model<TypeParam>(3, 2, 4);
  auto const idle = carroll::sgd(Exec(), nothing.ratings({.users = 3, .items = 2}), rated);
  EXPECT_EQ(idle.status, Status::success);
  EXPECT_EQ(idle.last.rmse, 0);
  for (TypeParam const x : host_model(rated).U) EXPECT_TRUE(std::isfinite(x));
}

}  // namespace
