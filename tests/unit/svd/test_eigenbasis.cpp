// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/emulated_types.hpp"
#include "support/svd/matrix_types.hpp"
#include "unit/svd/begun.hpp"
#include "unit/svd/emulated/basis_memory.hpp"

/// What goes before the sweeps of many matrices, on the host: lanes take turns.
namespace {

using namespace carroll::test;
using carroll::SvdVectors;
using carroll::detail::EmulatedSpace;

/// As they are begun without sweeps.
template <class Real>
class Batch : public FactorBatch<Real> {
 public:
  using FactorBatch<Real>::FactorBatch;

  /// In chunks of memory that hold this many doubles, or one member.
  void run(std::int64_t most = carroll::detail::BasisPlan::most_doubles) {
    BasisMemoryOfHost const memory(
        std::vector<carroll::detail::BasisExtents>(
            this->factors_.size(), {this->factors_.front().X.cols, this->factors_.front().X.cols}),
        most);
    chunks = memory.chunks();
    memory.enqueue(EmulatedSpace{}, this->batch_, Real(0), carroll::detail::BasisFrom::triangle);
  }

  void without_vectors() { this->batch_.u_wanted = this->batch_.v_wanted = SvdVectors::none; }

  int chunks = 0;
};

template <class Real>
class SvdEigenbasis : public ::testing::Test {};
using Scalars = carroll::test::EmulatedTypes<::testing::Types<double>, ::testing::Types<float>>;
TYPED_TEST_SUITE(SvdEigenbasis, Scalars);

TYPED_TEST(SvdEigenbasis, LeavesNothingToTheSweeps) {
  for (int const n : {65, 66}) {
    std::vector<Factor<TypeParam>> const factors{triangular_factor<TypeParam>(n, 3),
                                                 triangular_factor<TypeParam>(n, 4)};
    Batch<TypeParam> batch(factors);
    batch.run();
    for (int b = 0; b < 2; ++b) {
      auto const& factor = factors[static_cast<std::size_t>(b)];
      EXPECT_EQ(begun_well(factor, batch.result(b)), "") << n;
      // Short columns, too.
      EXPECT_LE(residual(factor, batch.result(b)), 8) << n;
    }
  }
}

/// Longest first, which is how the sweeps want them.
TYPED_TEST(SvdEigenbasis, ColumnsDescend) {
  Batch<TypeParam> batch({random_factor<TypeParam>(66, 3)});
  batch.run();
  auto const begun = batch.result(0);
  double before = std::numeric_limits<double>::infinity();
  for (int j = 0; j < 66; ++j) {
    double const length = std::ldexp(std::sqrt(dot(begun.X, j, begun.X, j)),
                                     begun.exponents[static_cast<std::size_t>(j)]);
    EXPECT_LT(length, before) << j;
    before = length;
  }
}

/// Columns of which some are alike in length, all orthogonal.
TYPED_TEST(SvdEigenbasis, EqualSingularValues) {
  HostMatrix<TypeParam> identity(66, 66);
  for (int i = 0; i < 66; ++i) identity(i, i) = i % 3 == 0 ? TypeParam(0.5) : TypeParam(0.75);
  std::vector<Factor<TypeParam>> const factors{Factor<TypeParam>(identity)};
  Batch<TypeParam> batch(factors);
  batch.run();
  EXPECT_EQ(begun_well(factors[0], batch.result(0)), "");
}

TYPED_TEST(SvdEigenbasis, ExponentsOfColumns) {
  auto factor = random_factor<TypeParam>(65, 12);
  for (int j = 0; j < 65; ++j) factor.exponents[static_cast<std::size_t>(j)] = 900 - j % 11;
  Batch<TypeParam> batch({factor});
  batch.run();
  auto begun = batch.result(0);
  for (int& e : factor.exponents) e -= 900;
  for (int& e : begun.exponents) e -= 900;
  EXPECT_EQ(begun_well(factor, begun), "");
}

/// The same bits beside others, in one chunk or in several, and with vectors or without; one that
/// cannot be begun leaves the others alone and stays as it was.
TYPED_TEST(SvdEigenbasis, MembersAreAlone) {
  auto const factor = random_factor<TypeParam>(65, 20);
  auto spread = random_factor<TypeParam>(65, 21), few = random_factor<TypeParam>(65, 22);
  spread.exponents[7] = -24;
  few.columns = 60;
  Batch<TypeParam> alone({factor}), batch({spread, factor, few}), chunked({spread, factor, few});
  Batch<TypeParam> only_values({factor});
  only_values.without_vectors();
  alone.run();
  batch.run();
  chunked.run(1);
  only_values.run();
  EXPECT_EQ(batch.chunks, 1);
  EXPECT_EQ(chunked.chunks, 3);
  auto const one = alone.result(0);
  EXPECT_TRUE(same_begun(one, batch.result(1)));
  EXPECT_TRUE(same_begun(one, chunked.result(1)));
  EXPECT_TRUE(same_bits(one.X.data, only_values.result(0).X.data));
  EXPECT_EQ(one.exponents, only_values.result(0).exponents);
  for (int const b : {0, 2}) EXPECT_TRUE(is_untouched(batch.result(b).state)) << b;
}

/// Whatever the scale of the others: its exponent is 0.
TYPED_TEST(SvdEigenbasis, ColumnsOfZerosAreNotBegun) {
  for (int const scale : {0, 900}) {
    Batch<TypeParam> batch({factor_with_zeros<TypeParam>(scale)});
    batch.run();
    EXPECT_FALSE(batch.result(0).state.rotated) << scale;
  }
}

}  // namespace
