// SPDX-License-Identifier: BSD-3-Clause
// What is done to singular values, and eigenvalues and vectors of tridiagonal matrices.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/denoise/host/symmetric.hpp>
#include <carroll/detail/denoise/host/tridiagonalise.hpp>
#include <carroll/detail/denoise/problem.hpp>
#include <carroll/detail/denoise/tridiagonal.hpp>
#include <cmath>
#include <memory>
#include <vector>

#include "pictures/denoise/plain.hpp"
#include "support/random.hpp"

namespace {

using carroll::detail::Shrinkage;
using carroll::test::Random;

TEST(ShrinkageTest, WeightedIsTheFixedPointOfReweighting) {
  for (double noise : {0.5, 3.0, 25.0})
    for (int members : {1, 7, 80})
      for (double factor : {0.1, 0.5, 0.99, 1.01, 1.5, 4.0, 100.0}) {
        auto const rule = Shrinkage::weighted(2.8F, members, static_cast<float>(noise));
        double const sigma = factor * 2 * std::sqrt(2.8 * std::sqrt(members)) * noise;
        double const wanted = carroll::test::reweighted(sigma, 2.8, members, noise);
        EXPECT_NEAR(sigma * static_cast<double>(rule(static_cast<float>(sigma * sigma))), wanted,
                    2e-5 * sigma)
            << noise << ' ' << members << ' ' << factor;
      }
}

/// The loss of the weighted rule is ½(σ' − σ)² + a·log σ', a = c·√m·τ²: σ' is where it is least
/// among those as far from 0 as its larger stationary point.
TEST(ShrinkageTest, WeightedIsStationary) {
  auto const rule = Shrinkage::weighted(2, 16, 1.5F);
  double const a = 2.0 * 4 * 1.5 * 1.5;
  for (double sigma : {9.0, 12.0, 40.0}) {
    double const kept = sigma * static_cast<double>(rule(static_cast<float>(sigma * sigma)));
    EXPECT_NEAR(kept - sigma + a / kept, 0, 1e-5 * sigma);
    EXPECT_GT(1 - a / (kept * kept), 0);
  }
}

TEST(ShrinkageTest, OptimalHasKnownValues) {
  auto const square = Shrinkage::optimal(50, 50, 2);  // β = 1: √(y² − 4)
  float const unit = 50 * 4.0F;
  EXPECT_EQ(square(unit * 3.99F), 0);
  EXPECT_NEAR(square(unit * 9) * 3, std::sqrt(5.0F), 1e-5);
  auto const tall = Shrinkage::optimal(100, 25, 1), wide = Shrinkage::optimal(25, 100, 1);
  double const y = 2.5;  // β = ¼: √((y² − 5/4)² − 1)/y
  EXPECT_NEAR(static_cast<double>(tall(625)) * y, std::sqrt(5.0 * 5.0 - 1) / y, 1e-5);
  EXPECT_EQ(tall(625), wide(625));
  EXPECT_EQ(tall(2.24F * 100), 0);  // the edge is at y = 1.5
  EXPECT_GT(tall(2.26F * 100), 0);
}

struct Matrix {
  std::vector<float> diagonal, coupling;
};

/// Whatever tridiagonalisation may leave.
Matrix random_tridiagonal(Random& random, int order, int kind) {
  Matrix matrix;
  for (int i = 0; i < order; ++i) {
    double d = 100 * random.uniform(), e = 30 * random.symmetric();
    if (kind == 1) d = 5, e = 0;                        // one eigenvalue, often
    if (kind == 2) d = 50, e = i % 3 == 2 ? 0 : 20;     // blocks alike
    if (kind == 3) d = std::pow(2.0, -i), e = d / 3;    // graded
    if (kind == 4) d = std::abs(i - order / 2), e = 1;  // Wilkinson's, pairs that are close
    if (kind == 5) d = e = 0;
    matrix.diagonal.push_back(static_cast<float>(d));
    matrix.coupling.push_back(i + 1 < order ? static_cast<float>(e) : 0.0F);
  }
  return matrix;
}

TEST(TridiagonalTest, ValuesAndVectorsAreThoseOfTheMatrix) {
  Random random(1);
  for (int kind = 0; kind < 6; ++kind)
    for (int order : {1, 2, 3, 16, 49, 144}) {
      auto const matrix = random_tridiagonal(random, order, kind);
      carroll::detail::Tridiagonal<float> const T{matrix.diagonal.data(), matrix.coupling.data(),
                                                  order};
      float const bound = T.bound();
      std::vector<float> values(static_cast<std::size_t>(order) + 4);
      for (int k = 0; k < order; k += 4) {
        float some[4];
        T.eigenvalues(k, -bound, bound, some);
        std::copy_n(some, 4, values.begin() + k);
      }
      auto const n = static_cast<std::size_t>(order);
      std::vector<float> memory(5 * n), vectors(n * n);
      carroll::detail::tridiagonal_vectors(T, order, values.data(), bound, memory.data(),
                                           vectors.data());
      double trace = 0, sum = 0;
      double const scale = bound;
      for (std::size_t k = 0; k < n; ++k) {
        trace += matrix.diagonal[k];
        sum += values[k];
        EXPECT_LE(values[k], values[k > 0 ? k - 1 : 0] + 1e-6 * scale);
        float const* const z = vectors.data() + k * n;
        for (std::size_t i = 0; i < n; ++i) {
          double product = (static_cast<double>(matrix.diagonal[i]) - values[k]) * z[i];
          if (i > 0) product += static_cast<double>(matrix.coupling[i - 1]) * z[i - 1];
          if (i + 1 < n) product += static_cast<double>(matrix.coupling[i]) * z[i + 1];
          EXPECT_NEAR(product, 0, 3e-6 * scale) << kind << ' ' << order << ' ' << k << ' ' << i;
        }
        for (std::size_t j = 0; j <= k; ++j) {
          double dot = 0;
          for (std::size_t i = 0; i < n; ++i) dot += static_cast<double>(vectors[j * n + i]) * z[i];
          EXPECT_NEAR(dot, j == k ? 1 : 0, 2e-5) << kind << ' ' << order << ' ' << j << ' ' << k;
        }
      }
      EXPECT_NEAR(sum, trace, 2e-6 * scale * order);
    }
}

TEST(TridiagonalTest, ReductionKeepsTheMatrix) {
  constexpr int bytes = carroll::detail::compiled_vector_bytes;
  Random random(2);
  for (int order : {1, 2, 9, 36, 49, 81}) {
    int const pitch = (order + 15) / 16 * 16, rows = (order + 3) / 4 * 4;
    auto const n = static_cast<std::size_t>(order), p = static_cast<std::size_t>(pitch);
    std::vector<float> Y(7 * p), A(static_cast<std::size_t>(rows) * p);
    for (std::size_t m = 0; m < 7; ++m)
      for (std::size_t i = 0; i < n; ++i) Y[m * p + i] = static_cast<float>(random.symmetric());
    carroll::detail::host_gram<bytes>(Y.data(), 7, order, pitch, A.data());
    auto const gram = [&](std::size_t i, std::size_t j) {
      return A[std::max(i, j) * p + std::min(i, j)];
    };
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t m = 0; m < 7; ++m) sum += static_cast<double>(Y[m * p + i]) * Y[m * p + j];
        EXPECT_NEAR(gram(i, j), sum, 1e-5);
      }
    // Other lanes have other multiples of it, and one has 0.
    using P = carroll::detail::Pack<float, bytes>;
    constexpr int width = P::width, lane = width - 1;
    // nvcc takes a std::vector of registers for device code.
    auto const packs = [](std::size_t count) { return std::unique_ptr<P[]>(new P[count]); };
    std::size_t const entries = n * (n + 1) / 2;
    auto const triangle = packs(entries), work = packs(2 * n), diagonal = packs(n),
               coupling = packs(n), factors = packs(n);
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j, ++at) {
        triangle[at] = P(0.0F);
        for (int l = 0; l < width; ++l)
          triangle[at].set(l, gram(i, j) * static_cast<float>(l) / static_cast<float>(lane));
      }
    carroll::detail::LaneTridiagonalisation<bytes>(triangle.get(), order, work.get())
        .run(diagonal.get(), coupling.get(), factors.get());
    std::vector<float> reflections, factor, d, e;
    for (std::size_t i = 0; i < entries; ++i) reflections.push_back(triangle[i][lane]);
    for (std::size_t i = 0; i < n; ++i) {
      factor.push_back(factors[i][lane]);
      d.push_back(diagonal[i][lane]);
      e.push_back(coupling[i][lane]);
      EXPECT_EQ(diagonal[i][0], 0.0F);
      EXPECT_EQ(coupling[i][0], 0.0F);
    }
    // Q·(T·e_k) = A·(Q·e_k)
    constexpr std::size_t w = width;
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<float> z(n * w), t(n * w);
      z[k * w] = 1;
      t[k * w] = d[k];
      if (k > 0) t[(k - 1) * w] = e[k - 1];
      if (k + 1 < n) t[(k + 1) * w] = e[k];
      for (auto* x : {&z, &t})
        carroll::detail::host_reflect_back<bytes>(reflections.data(), factor.data(), order,
                                                  x->data());
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += static_cast<double>(gram(i, j)) * z[j * w];
        EXPECT_NEAR(t[i * w], sum, 2e-5 * order) << order << ' ' << k << ' ' << i;
      }
    }
  }
}

}  // namespace
