// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/eigh/vendor/eigenpairs.hpp>
#include <carroll/eigh.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/emulated_types.hpp"
#include "support/host_matrix.hpp"
#include "support/random.hpp"
#include "support/tolerance.hpp"
#include "unit/scripted_library.hpp"

/// What is made of a vendor's eigenvectors of symmetric matrices, on the host, with a library of
/// the test's.
namespace {

using namespace carroll::test;
using carroll::EighInfo;
using carroll::Status;
using carroll::detail::EighBatch;
using carroll::detail::EighPlan;
using carroll::detail::VendorEigenpairs;
using Exec = Kokkos::DefaultHostExecutionSpace;

/// Matrices of one order, column by column, and what becomes of them.
template <class Real>
class Vendor {
 public:
  int const n, count;
  std::vector<Real> A, W, V;
  std::vector<EighInfo<Real>> infos;

  explicit Vendor(int order, int members = 1)
      : n(order),
        count(members),
        A(room(n * n)),
        W(room(n), untouched),
        V(room(n * n), untouched),
        infos(room(1)),
        eigenpairs_(Exec(), std::vector<int>(room(1), order)) {
    script = {};
    Random random(7);
    for (int b = 0; b < count; ++b)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i <= j; ++i) a(b, i, j) = a(b, j, i) = static_cast<Real>(random.normal());
  }

  Real& a(int b, int i, int j) { return A[static_cast<std::size_t>((b * n + j) * n + i)]; }

  [[nodiscard]] EighBatch<Real> batch(bool vectors = true) {
    EighBatch<Real> batch{};
    batch.a = {A.data(), {count, n, n}, {n * n, 1, n}};
    batch.w = {W.data(), {count, n, 1}, {n, 1, 1}};
    if (vectors) batch.v = {V.data(), {count, n, n}, {n * n, 1, n}};
    batch.infos = infos.data();
    batch.info_stride = 1;
    return batch;
  }
  bool run(bool vectors = true) { return eigenpairs_.run(Exec(), batch(vectors)); }
  [[nodiscard]] int const* done() const { return eigenpairs_.done(); }

  /// The larger of ‖A·V - V·diag(W)‖ and ‖VᵀV - I‖ by columns, in units of n·eps.
  [[nodiscard]] double ratio(int b) {
    double worst = 0, norm = 0;
    auto const v = [&](int i, int j) {
      return static_cast<double>(V[static_cast<std::size_t>((b * n + j) * n + i)]);
    };
    for (int j = 0; j < n; ++j) {
      double column = 0;
      for (int i = 0; i < n; ++i) column += std::abs(static_cast<double>(a(b, i, j)));
      norm = std::max(norm, column);
    }
    for (int j = 0; j < n; ++j) {
      double residual = 0, deviation = 0;
      for (int i = 0; i < n; ++i) {
        double product = 0, overlap = i == j ? -1 : 0;
        for (int k = 0; k < n; ++k) {
          product += static_cast<double>(a(b, i, k)) * v(k, j);
          overlap += v(k, i) * v(k, j);
        }
        auto const value = static_cast<double>(W[static_cast<std::size_t>(b * n + j)]);
        residual += std::abs(product - value * v(i, j));
        deviation += std::abs(overlap);
      }
      worst = std::max({worst, residual / norm, deviation});
    }
    return worst / (n * static_cast<double>(epsilon<Real>));
  }

  static constexpr Real untouched = -77;

 private:
  [[nodiscard]] std::size_t room(int each) const { return static_cast<std::size_t>(count * each); }

  VendorEigenpairs<ScriptedLibrary> eigenpairs_;
};

template <class Real>
class EighVendor : public ::testing::Test {};
using Reals = carroll::test::EmulatedTypes<::testing::Types<float>, ::testing::Types<double>>;
TYPED_TEST_SUITE(EighVendor, Reals);

TYPED_TEST(EighVendor, GoodVectorsAreTaken) {
  for (int const n : {1, 2, 19}) {
    Vendor<TypeParam> vendor(n, 2);
    for (int i = 0; i < n; ++i) vendor.a(1, i, i) += TypeParam(10 * n);  // positive definite
    EXPECT_TRUE(vendor.run());
    EXPECT_EQ(script.calls, 2);
    for (int b = 0; b < 2; ++b) {
      auto const& info = vendor.infos[static_cast<std::size_t>(b)];
      EXPECT_EQ(info.status, Status::success);
      EXPECT_EQ(info.rank, n);
      EXPECT_LE(vendor.ratio(b), 5) << n;
      EXPECT_NE(vendor.done()[b], 0);
      for (int j = 1; j < n; ++j)
        EXPECT_LE(vendor.W[static_cast<std::size_t>(b * n + j - 1)],
                  vendor.W[static_cast<std::size_t>(b * n + j)]);
      for (int j = 0; j < n; ++j) {
        auto const* const v = &vendor.V[static_cast<std::size_t>((b * n + j) * n)];
        auto const* const largest =
            std::max_element(v, v + n, [](auto x, auto y) { return std::abs(x) < std::abs(y); });
        EXPECT_GT(*largest, 0);
      }
    }
    EXPECT_EQ(vendor.infos[1].negative, 0);
    EXPECT_EQ(vendor.infos[0].negative,
              std::count_if(vendor.W.begin(), vendor.W.begin() + n, [](auto w) { return w < 0; }));
  }
}

TYPED_TEST(EighVendor, ValuesAreTheSameWithoutVectorsAndAtAnyScale) {
  Vendor<TypeParam> with(12), without(12), scaled(12);
  int const far = std::numeric_limits<TypeParam>::max_exponent - 8;
  for (auto& x : scaled.A) x = std::ldexp(x, far);
  EXPECT_TRUE(with.run());
  EXPECT_TRUE(without.run(false));
  EXPECT_TRUE(scaled.run());
  EXPECT_EQ(with.W, without.W);
  EXPECT_EQ(without.V.front(), without.untouched);
  EXPECT_EQ(with.V, scaled.V);
  for (std::size_t k = 0; k < with.W.size(); ++k)
    EXPECT_EQ(std::ldexp(with.W[k], far), scaled.W[k]);
}

TYPED_TEST(EighVendor, AValueBeyondTheRangeIsTold) {
  Vendor<TypeParam> vendor(3);
  for (auto& x : vendor.A) x = std::numeric_limits<TypeParam>::max();
  EXPECT_TRUE(vendor.run());
  EXPECT_EQ(vendor.infos[0].status, Status::overflow);
  EXPECT_TRUE(std::isinf(vendor.W.back()));
}

/// What is not right stays as it was.
template <class Real>
void expect_left(Vendor<Real>& vendor) {
  EXPECT_FALSE(vendor.run());
  EXPECT_EQ(vendor.done()[0], 0);
  for (auto const* values : {&vendor.W, &vendor.V})
    for (Real const x : *values) ASSERT_EQ(x, vendor.untouched);
}

TYPED_TEST(EighVendor, WhatIsWrongIsNotTaken) {
  {
    Vendor<TypeParam> vendor(9);
    script.complaint = 3;
    expect_left(vendor);
  }
  {
    Vendor<TypeParam> vendor(9);
    script.dependent = true;
    expect_left(vendor);
  }
  {
    Vendor<TypeParam> vendor(9);
    script.error = 100 * static_cast<double>(epsilon<TypeParam>);
    expect_left(vendor);
  }
}

TYPED_TEST(EighVendor, WhatIsNotFiniteIsNotGivenToTheLibrary) {
  for (TypeParam const bad :
       {std::numeric_limits<TypeParam>::infinity(), std::numeric_limits<TypeParam>::quiet_NaN()}) {
    Vendor<TypeParam> vendor(5);
    vendor.a(0, 3, 1) = bad;
    EXPECT_TRUE(vendor.run());
    EXPECT_EQ(script.calls, 0);
    EXPECT_EQ(vendor.infos[0].status, Status::non_finite);
    for (auto const* values : {&vendor.W, &vendor.V})
      for (TypeParam const x : *values) ASSERT_TRUE(std::isnan(x));
  }
}

// Behind the library `shifted` takes all members of the bin, of which those that are done keep what
// they have.
TYPED_TEST(EighVendor, WhatIsLeftIsDoneAgain) {
  using Real = TypeParam;
  int const n = 10;
  Vendor<Real> vendor(n, 3);
  EighBatch<Real> batch = vendor.batch();
  batch.distance = carroll::detail::eigh_reals<Real>(carroll::detail::EighFamily::vendor, n, true);
  std::vector<Real> reals(static_cast<std::size_t>(3 * batch.distance));
  batch.reals = reals.data();
  int const done[] = {1, 0, 1};
  auto const workspace = carroll::svd_workspace<Real>(
      Exec(), carroll::detail::factor_extents<Real>({.batch = 3, .n = n, .vectors = true}));
  auto const plan = EighPlan::uniform(carroll::detail::EighFamily::vendor, {3, n});
  batch.selection = plan.members(EighPlan::vendor);
  carroll::detail::EighJacobiPart<Exec, Real> const part{
      .bounds = plan.bounds(EighPlan::vendor),
      .views = carroll::detail::uniform_factors(batch, {.batch = 3, .n = n, .vectors = true}),
      .workspace = workspace};
  carroll::detail::enqueue_eigh_jacobi(Exec(), batch, part, done,
                                       carroll::EighMethod::backward_stable);
  Exec().fence();
  EXPECT_LE(vendor.ratio(1), 10);
  for (int const b : {0, 2})
    for (int k = 0; k < n; ++k)
      EXPECT_EQ(vendor.W[static_cast<std::size_t>(b * n + k)], vendor.untouched);
}

}  // namespace
