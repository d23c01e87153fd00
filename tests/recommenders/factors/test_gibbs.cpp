// SPDX-License-Identifier: BSD-3-Clause
// Samples of a row against the moments of its exact normal distribution, samples of the prior
// against those of the Gaussian-Wishart distribution, predictions and their variance on planted
// factors, and the same bits in every run.
#include <gtest/gtest.h>

#include <carroll/gibbs.hpp>
#include <limits>
#include <stdexcept>
#include <string>

#include "recommenders/factors/oracle.hpp"
#include "support/copy.hpp"

namespace {

using namespace carroll::test;
using carroll::GibbsOptions;
using carroll::GibbsPairs;
using carroll::Status;

/// The inverse, column by column.
template <class Number>
std::vector<std::vector<double>> inverse(std::vector<std::vector<Number>> const& a) {
  std::vector columns(a.size(), std::vector<double>(a.size()));
  for (std::size_t j = 0; j < a.size(); ++j) {
    DenseEquations eq(a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t c = 0; c < a.size(); ++c) eq.a[i][c] = a[i][c];
    eq.b[j] = 1;
    columns[j] = dense_solution(eq);
  }
  return columns;
}

TEST(GibbsRows, are_samples_of_the_conditional) {
  // As many users with the same ratings as there are draws.
  constexpr int draws = 40000, items = 7;
  constexpr std::size_t k = 5;
  constexpr double alpha = 1.7, mean = 2.5;
  Random random(3);
  HostTriples<double> triples;
  std::vector<double> value(items);
  for (double& x : value) x = 1 + 4 * random.uniform();
  for (int u = 0; u < draws; ++u)
    for (int i = 0; i < items; i += 2) triples.add(u, i, value[static_cast<std::size_t>(i)]);
  auto const ratings = triples.ratings({.items = items});
  std::vector<double> v(items * k), precision(k * k), rhs(k);
  for (double& x : v) x = random.normal();
  for (std::size_t i = 0; i < k; ++i) {
    rhs[i] = random.normal();
    for (std::size_t j = 0; j <= i; ++j)
      precision[i * k + j] = precision[j * k + i] = i == j ? 2.0 : 0.3;
  }
  // What it has to be: N(A⁻¹·b, A⁻¹).
  DenseEquations eq(k);
  for (std::size_t i = 0; i < k; ++i) {
    eq.b[i] = rhs[i];
    for (std::size_t j = 0; j < k; ++j) eq.a[i][j] = precision[i * k + j];
  }
  for (std::size_t item = 0; item < items; item += 2)
    for (std::size_t i = 0; i < k; ++i) {
      eq.b[i] += alpha * (value[item] - mean) * v[item * k + i];
      for (std::size_t j = 0; j < k; ++j) eq.a[i][j] += alpha * v[item * k + i] * v[item * k + j];
    }
  auto const centre = dense_solution(eq);
  auto const covariance = inverse(eq.a);

  namespace detail = carroll::detail;
  Exec const exec;
  auto const V = on_device(v), C = on_device(precision), c = on_device(rhs);
  FactorView<double> const U("U", draws, k);
  detail::AlsMemory<Exec, double> memory;
  memory.make(exec, "carroll_test", ratings.by_user(), &ratings.by_item(), int(k), false, {});
  detail::set_to_zero(exec, memory.rows.findings, 1);
  double const* const no_gram = nullptr;
  auto p = detail::row_equations(ratings.by_user(),
                                 detail::FactorSide<double>{U.data(), int(k), nullptr},
                                 detail::FactorSide<double>{V.data(), int(k), nullptr}, int(k),
                                 mean, {.regularization = 0, .count_exponent = 0}, no_gram);
  p.precision = alpha;
  p.common = C.data();
  p.common_pitch = int(k);
  p.common_rhs = c.data();
  p.sampled = true;
  p.seed = 99;
  detail::enqueue_rows(exec, p, memory.by_user, memory.rows);
  exec.fence();
  Factors const x = factors_of(U);
  for (std::size_t i = 0; i < k; ++i) {
    double sum = 0;
    for (std::size_t u = 0; u < draws; ++u) sum += x(u, i);
    EXPECT_NEAR(sum / draws, centre[i], 5 * std::sqrt(covariance[i][i] / draws)) << i;
    for (std::size_t j = 0; j <= i; ++j) {
      double product = 0;
      for (std::size_t u = 0; u < draws; ++u)
        product += (x(u, i) - centre[i]) * (x(u, j) - centre[j]);
      // The variance of a product of two normal numbers.
      double const spread = std::sqrt(
          (covariance[i][i] * covariance[j][j] + covariance[i][j] * covariance[i][j]) / draws);
      EXPECT_NEAR(product / draws, covariance[i][j], 5 * spread) << i << ", " << j;
    }
  }
}

TEST(GibbsPriors, have_the_moments_of_a_gaussian_wishart_distribution) {
  constexpr std::size_t k = 3, rows = 12, draws = 20000;
  Random random(8);
  std::vector<double> gram(k * k), sum(k);
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> x(k);
    for (std::size_t i = 0; i < k; ++i) x[i] = double(i) + random.normal();
    for (std::size_t i = 0; i < k; ++i) {
      sum[i] += x[i];
      for (std::size_t j = 0; j < k; ++j) gram[i * k + j] += x[i] * x[j];
    }
  }
  GibbsOptions const options{.mean_weight = 1.5, .scale = 0.7, .extra_freedom = 2, .seed = 5};
  // M, as in the paper.
  std::vector m(k, std::vector<double>(k));
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < k; ++j) {
      double const n = rows, beta = options.mean_weight;
      double const s = gram[i * k + j] - sum[i] * sum[j] / n;
      m[i][j] =
          s + beta * n / (beta + n) * (sum[i] / n) * (sum[j] / n) + (i == j ? options.scale : 0.0);
    }
  auto const scale = inverse(m);
  double const freedom = k + options.extra_freedom + rows;
  std::vector<double> total(k * k), centre(k);
  for (std::size_t d = 0; d < draws; ++d) {
    carroll::detail::GibbsPrior prior(k);
    prior.draw(gram, sum, rows, options, static_cast<std::uint32_t>(d));
    DenseEquations eq(k);
    for (std::size_t i = 0; i < k; ++i) eq.b[i] = prior.rhs[i];
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < k; ++j) {
        total[i * k + j] += prior.precision[i * k + j];
        eq.a[i][j] = prior.precision[i * k + j];
      }
    auto const mu = dense_solution(eq);
    for (std::size_t i = 0; i < k; ++i) centre[i] += mu[i];
  }
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      double const variance = freedom * (scale[i][j] * scale[i][j] + scale[i][i] * scale[j][j]);
      EXPECT_NEAR(total[i * k + j] / draws, freedom * scale[i][j], 5 * std::sqrt(variance / draws))
          << i << ", " << j;
    }
    // μ is t-distributed, its covariance M/((β + N)·(ν - k - 1)).
    double const all = options.mean_weight + rows;
    double const variance = m[i][i] / (all * (freedom - k - 1));
    EXPECT_NEAR(centre[i] / draws, sum[i] / all, 5 * std::sqrt(variance / draws)) << i;
  }
}

TEST(GibbsChain, predicts_planted_ratings_and_how_sure_it_is) {
  constexpr int users = 150, items = 80, rank = 3;
  constexpr double noise = 0.3;
  Random random(21);
  std::vector<double> u(users * rank), v(items * rank);
  for (double& x : u) x = random.normal();
  for (double& x : v) x = random.normal();
  HostTriples<float> train, test;
  for (int i = 0; i < users; ++i)
    for (int j = 0; j < items; ++j) {
      double value = 3 + noise * random.normal();
      for (int f = 0; f < rank; ++f)
        value +=
            u[static_cast<std::size_t>(i * rank + f)] * v[static_cast<std::size_t>(j * rank + f)];
      double const draw = random.uniform();
      if (draw < 0.3)
        train.add(i, j, static_cast<float>(value));
      else if (draw < 0.4)
        test.add(i, j, static_cast<float>(value));
    }
  auto const ratings = train.ratings({.users = users, .items = items});
  auto const pair_users = on_device(test.users), pair_items = on_device(test.items);
  Kokkos::View<float*, Memory> const mean("mean", test.count()), variance("v", test.count());
  GibbsOptions options{.precision = 1 / (noise * noise), .burn_in = 30, .sweeps = 60, .seed = 2};
  FactorView<float> const U("U", users, 6), V("V", items, 6);
  auto const info = carroll::gibbs(Exec(), ratings, U, V, options,
                                   GibbsPairs{pair_users, pair_items, mean, variance});
  ASSERT_EQ(info.status, Status::success);
  EXPECT_EQ(info.sweeps, 60);
  auto const m = on_host(mean), s = on_host(variance);
  double error = 0, scaled = 0;
  for (std::size_t p = 0; p < test.count(); ++p) {
    double const miss = static_cast<double>(test.values[p]) - static_cast<double>(m[p]);
    error += miss * miss;
    scaled += miss * miss / static_cast<double>(s[p]);
    EXPECT_GE(s[p], 0.99F * static_cast<float>(noise * noise));
  }
  auto const n = static_cast<double>(test.count());
  EXPECT_LT(std::sqrt(error / n), 1.35 * noise);  // ratings that are predicted by 0 miss by 1.7
  EXPECT_NEAR(scaled / n, 1, 0.15);

  // Again, by parts of the threads, and from what another chain has left.
  for (auto const& exec : Kokkos::Experimental::partition_space(Exec(), 1, 1)) {
    Kokkos::View<float*, Memory> const again("mean", test.count());
    FactorView<float> const X("X", users, 6), Y("Y", items, 6);
    carroll::gibbs(exec, ratings, X, Y, options,
                   GibbsPairs{pair_users, pair_items, again, carroll::none});
    EXPECT_TRUE(same_bits(U, X) && same_bits(V, Y));
    EXPECT_EQ(on_host(again), m);
  }
  // Means of the factors: of a chain that does not turn much they predict, too.
  options.posterior_means = true;
  options.start = carroll::GibbsStart::given;
  options.burn_in = 0;
  carroll::FactorModel<float, Memory> model;
  model.U = U;
  model.V = V;
  carroll::gibbs(Exec(), ratings, model, options);
  EXPECT_NEAR(model.mean, info.mean, 1e-6);
  Factors const x = factors_of(model.U), y = factors_of(model.V);
  error = 0;
  for (std::size_t p = 0; p < test.count(); ++p) {
    double value = static_cast<double>(model.mean);
    for (std::size_t f = 0; f < 6; ++f)
      value += x(static_cast<std::size_t>(test.users[p]), f) *
               y(static_cast<std::size_t>(test.items[p]), f);
    error += std::pow(static_cast<double>(test.values[p]) - value, 2);
  }
  EXPECT_LT(std::sqrt(error / n), 2 * noise);
}

TEST(GibbsMisuse, is_answered) {
  auto const triples = random_ratings<float>(10, 8, 3, 1);
  auto const ratings = triples.ratings({.users = 10, .items = 8});
  FactorView<float> const U("U", 10, 4), V("V", 8, 4);
  Exec const exec;
  auto const users = on_device(std::vector<std::int32_t>{0, 9}),
             items = on_device(std::vector<std::int32_t>{7, 8});
  Kokkos::View<float*, Memory> const mean("mean", 2), longer("longer", 3);
  EXPECT_THROW(carroll::gibbs(exec, ratings, U, U), std::invalid_argument);
  EXPECT_THROW(carroll::gibbs(exec, ratings, U, V, {.precision = 0}), std::invalid_argument);
  EXPECT_THROW(carroll::gibbs(exec, ratings, U, V, {.sweeps = 0}), std::invalid_argument);
  EXPECT_THROW(
      carroll::gibbs(exec, ratings, U, V, {}, GibbsPairs{users, items, mean, carroll::none}),
      std::invalid_argument);
  EXPECT_THROW(
      carroll::gibbs(exec, ratings, U, V, {}, GibbsPairs{users, users, longer, carroll::none}),
      std::invalid_argument);
  carroll::test::deep_copy(V, std::numeric_limits<float>::quiet_NaN());
  auto const info = carroll::gibbs(exec, ratings, U, V, {.start = carroll::GibbsStart::given});
  EXPECT_EQ(info.status, Status::non_finite);
  for (double const x : factors_of(U).entry) EXPECT_TRUE(std::isnan(x));
}

}  // namespace
