// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <carroll/detail/svd/spectral/start.hpp>
#include <vector>

#include "support/emulated_types.hpp"
#include "unit/scripted_library.hpp"
#include "unit/svd/begun.hpp"

/// What goes before the sweeps of large matrices, on the host, with a library of the test's.
namespace {

using namespace carroll::test;
using carroll::detail::SpectralStart;
using Exec = Kokkos::DefaultHostExecutionSpace;

/// As the library of the test's has begun them.
template <class Real>
class Batch : public FactorBatch<Real> {
 public:
  using FactorBatch<Real>::FactorBatch;

  bool run() {
    std::vector<int> const orders(this->factors_.size(), this->factors_.front().X.cols);
    SpectralStart<ScriptedLibrary> const start(Exec{}, orders);
    return start.run(Exec{}, this->batch_, Real(0));
  }
};

template <class Real>
class SvdSpectral : public ::testing::Test {
 protected:
  void SetUp() override { script = {}; }
};
using Scalars = carroll::test::EmulatedTypes<::testing::Types<double>, ::testing::Types<float>>;
TYPED_TEST_SUITE(SvdSpectral, Scalars);

TYPED_TEST(SvdSpectral, LeavesNothingToTheSweeps) {
  for (int const n : {65, 66, 97}) {
    std::vector<Factor<TypeParam>> const factors{random_factor<TypeParam>(n, 3),
                                                 random_factor<TypeParam>(n, 4)};
    Batch<TypeParam> batch(factors);
    EXPECT_TRUE(batch.run()) << n;
    for (int b = 0; b < 2; ++b)
      EXPECT_EQ(begun_well(factors[static_cast<std::size_t>(b)], batch.result(b)), "") << n;
  }
  EXPECT_EQ(script.calls, 6);
}

TYPED_TEST(SvdSpectral, RefinesRoughEigenvectors) {
  for (double const error : {1e-9, 1e-6, 1e-4}) {
    script.error = error;
    std::vector<Factor<TypeParam>> const factors{random_factor<TypeParam>(70, 8)};
    Batch<TypeParam> batch(factors);
    EXPECT_TRUE(batch.run()) << error;
    EXPECT_EQ(begun_well(factors[0], batch.result(0)), "") << error;
  }
}

/// Columns of which some are alike in length, all orthogonal: angles have nothing to go by.
TYPED_TEST(SvdSpectral, EqualSingularValues) {
  script.error = 1e-7;
  HostMatrix<TypeParam> identity(66, 66);
  for (int i = 0; i < 66; ++i) identity(i, i) = i % 3 == 0 ? TypeParam(0.5) : TypeParam(0.75);
  std::vector<Factor<TypeParam>> const factors{Factor<TypeParam>(identity)};
  Batch<TypeParam> batch(factors);
  bool const converged = batch.run();
  auto const begun = batch.result(0);
  EXPECT_EQ(converged, begun.state.converged != 0);
  if (converged) {
    EXPECT_EQ(begun_well(factors[0], begun), "");
  }
  ASSERT_TRUE(begun.state.rotated);
  EXPECT_LE(deviation(begun.J), 20);
  EXPECT_LE(residual(factors[0], begun), 4000);
}

TYPED_TEST(SvdSpectral, ExponentsOfColumns) {
  auto factor = random_factor<TypeParam>(65, 12);
  for (int j = 0; j < 65; ++j) factor.exponents[static_cast<std::size_t>(j)] = 900 - j % 11;
  Batch<TypeParam> batch({factor});
  ASSERT_TRUE(batch.run());
  auto begun = batch.result(0);
  for (int& e : factor.exponents) e -= 900;
  for (int& e : begun.exponents) e -= 900;
  EXPECT_EQ(begun_well(factor, begun), "");
}

/// The same bits beside others, and one that cannot be begun leaves them alone.
TYPED_TEST(SvdSpectral, MembersAreAlone) {
  auto const factor = random_factor<TypeParam>(65, 20);
  auto spread = random_factor<TypeParam>(65, 21), few = random_factor<TypeParam>(65, 22);
  spread.exponents[7] = -24;
  few.columns = 60;
  Batch<TypeParam> alone({factor}), batch({spread, factor, few});
  EXPECT_TRUE(alone.run());
  script.calls = 0;
  EXPECT_FALSE(batch.run());
  EXPECT_EQ(script.calls, 1);
  EXPECT_TRUE(same_begun(alone.result(0), batch.result(1)));
  for (int const b : {0, 2}) EXPECT_TRUE(is_untouched(batch.result(b).state)) << b;
}

/// Whatever the scale of the others: its exponent is 0.
TYPED_TEST(SvdSpectral, ColumnsOfZerosAreNotBegun) {
  for (int const scale : {0, 900}) {
    Batch<TypeParam> batch({factor_with_zeros<TypeParam>(scale)});
    EXPECT_FALSE(batch.run()) << scale;
    EXPECT_EQ(script.calls, 0) << scale;
    EXPECT_FALSE(batch.result(0).state.rotated) << scale;
  }
}

TYPED_TEST(SvdSpectral, BadEigenvectorsAreNotTaken) {
  auto const factor = random_factor<TypeParam>(65, 30);
  auto const expect_untouched = [&](char const* what) {
    Batch<TypeParam> batch({factor});
    EXPECT_FALSE(batch.run()) << what;
    EXPECT_EQ(script.calls, 1) << what;
    auto const left = batch.result(0);
    EXPECT_TRUE(is_untouched(left.state)) << what;
  };
  script.complaint = 3;
  expect_untouched("a complaint");
  script = {};
  script.dependent = true;
  expect_untouched("dependent vectors");
}

/// Angles that are no longer small: V is a basis all the same, and the sweeps go on from there.
TYPED_TEST(SvdSpectral, FarFromOrthogonalIsLeftToTheSweeps) {
  script.error = 0.2;
  std::vector<Factor<TypeParam>> const factors{random_factor<TypeParam>(65, 40)};
  Batch<TypeParam> batch(factors);
  EXPECT_FALSE(batch.run());
  auto const begun = batch.result(0);
  EXPECT_TRUE(begun.state.rotated && !begun.state.converged);
  EXPECT_LE(deviation(begun.J), 20);
  EXPECT_LE(residual(factors[0], begun), 4000);
}

}  // namespace
