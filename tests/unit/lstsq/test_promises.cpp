// SPDX-License-Identifier: BSD-3-Clause
// What is promised of bits, scales, statuses and workspaces.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carroll/lstsq.hpp>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "decompositions/lstsq_instances.hpp"
#include "support/lstsq/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "unit/lstsq/problems.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

template <class Real>
class LstsqPromises : public ::testing::Test {};
TYPED_TEST_SUITE(LstsqPromises, LstsqScalars);

/// A column is the same bits whatever stands beside it.
TYPED_TEST(LstsqPromises, ColumnsDoNotKnowOfEachOther) {
  Random random(8);
  for (auto const& [m, n] : {std::pair(5, 5), {40, 12}, {12, 40}, {130, 70}, {500, 3}}) {
    auto const A = make_matrix<TypeParam>(MatrixType::random, m, n, 2);
    auto const B = drawn<TypeParam>(random, m, 71);
    auto const together = run_lstsq(A, B);
    for (int const j : {0, 31, 32, 70}) {
      HostMatrix<TypeParam> one(m, 1);
      std::copy(B.column(j), B.column(j) + m, one.data.begin());
      LstsqCall call;
      for (bool const vectors : {false, true}) {
        call.vectors = vectors;
        auto const alone = run_lstsq(A, one, call);
        EXPECT_TRUE(alone.guarded);
        EXPECT_EQ(0, std::memcmp(alone.X.data.data(), together.X.column(j),
                                 static_cast<std::size_t>(n) * sizeof(TypeParam)))
            << m << ' ' << n << ' ' << j;
      }
    }
  }
}

/// Beside others, of any layout, and with a workspace.
TYPED_TEST(LstsqPromises, SameBitsInAnyCompany) {
  Random random(9);
  for (auto const& [m, n, p] :
       {std::array{3, 3, 1}, {8, 5, 2}, {5, 9, 40}, {21, 20, 1}, {60, 50, 4}})
    for (bool const inverse : {false, true}) {
      std::vector<LstsqProblem<TypeParam>> problems;
      for (int b = 0; b < (n > 40 ? 3 : 37); ++b)
        problems.push_back({b % 5 == 3 ? make_matrix<TypeParam>(MatrixType::rank_deficient, m, n, 1)
                                       : drawn<TypeParam>(random, m, n),
                            drawn<TypeParam>(random, m, p)});
      for (ViewLayout const layout : {ViewLayout::left, ViewLayout::right, ViewLayout::stride}) {
        LstsqCall call;
        call.layout = layout;
        call.workspace = layout == ViewLayout::right;
        call.vectors = p == 1 && layout != ViewLayout::left;
        auto const together = run_lstsq_batch(problems, inverse, call);
        for (std::size_t b = 0; b < problems.size(); ++b) {
          auto const alone =
              inverse ? run_pinv(problems[b].A) : run_lstsq(problems[b].A, problems[b].B);
          EXPECT_TRUE(same_result(together[b], alone)) << m << ' ' << n << ' ' << b;
          EXPECT_TRUE(together[b].guarded);
        }
      }
    }
}

TYPED_TEST(LstsqPromises, PowersOfTwoGoThrough) {
  Random random(10);
  for (int const n : {6, 60}) {
    auto const A = drawn<TypeParam>(random, 12, n), B = drawn<TypeParam>(random, 12, 3);
    auto const expected = run_lstsq(A, B);
    auto const inverse = run_pinv(A);
    for (int const shift : {-60, 3, 60}) {
      auto const of_a = run_lstsq(scaled_by_power_of_two(A, shift), B);
      EXPECT_TRUE(same_bits(of_a.X, scaled_by_power_of_two(expected.X, -shift)));
      EXPECT_EQ(of_a.info.sigma_max, std::ldexp(expected.info.sigma_max, shift));
      auto const of_b = run_lstsq(A, scaled_by_power_of_two(B, shift));
      EXPECT_TRUE(same_bits(of_b.X, scaled_by_power_of_two(expected.X, shift)));
      EXPECT_TRUE(same_bits(run_pinv(scaled_by_power_of_two(A, shift)).X,
                            scaled_by_power_of_two(inverse.X, -shift)));
    }
  }
}

/// The whole range: of A's and B's entries, of quotients that leave it and come back.
TYPED_TEST(LstsqPromises, NothingOverflowsThatNeedNot) {
  using Limits = std::numeric_limits<TypeParam>;
  auto const A = matrix<TypeParam>(3, 2, {1, 2, 3, 4, 5, 7}),
             B = matrix<TypeParam>(3, 1, {1, 1, 2});
  auto const plain = run_lstsq(A, B);
  int const up = Limits::max_exponent - 4, down = Limits::min_exponent - 1;
  for (int const shift : {up, down}) {
    auto const same = run_lstsq(scaled_by_power_of_two(A, shift), scaled_by_power_of_two(B, shift));
    EXPECT_EQ(same.info.status, Status::success);
    EXPECT_TRUE(same_bits(same.X, plain.X)) << shift;
  }
  auto const inverse = run_pinv(scaled_by_power_of_two(A, down));
  EXPECT_TRUE(same_bits(inverse.X, scaled_by_power_of_two(run_pinv(A).X, -down)));
  // Too large, by far and beside columns that are not; too small.
  auto pair = matrix<TypeParam>(3, 2, {0, 1, 0, 1, 0, 2});
  for (int i = 0; i < 3; ++i) pair(i, 0) = std::ldexp(B(i, 0), up);
  auto const over = run_lstsq(scaled_by_power_of_two(A, down), pair);
  EXPECT_EQ(over.info.status, Status::overflow);
  EXPECT_TRUE(std::isinf(over.X(0, 0)) && std::isinf(over.X(1, 0)));
  EXPECT_TRUE(same_bits(std::vector<TypeParam>{over.X(0, 1), over.X(1, 1)},
                        scaled_by_power_of_two(plain.X, -down).data));
  auto const under = run_lstsq(scaled_by_power_of_two(A, up), scaled_by_power_of_two(B, down));
  EXPECT_EQ(under.info.status, Status::success);
  EXPECT_EQ(under.X.data, (std::vector<TypeParam>{0, 0}));
  // σ₁ is beyond the range, A and the solution are not.
  HostMatrix<TypeParam> huge(2, 2);
  huge.data.assign(4, Limits::max());
  auto const beyond = run_lstsq(huge, huge);
  EXPECT_EQ(beyond.info.status, Status::success);
  EXPECT_TRUE(std::isinf(beyond.info.sigma_max));
  expect_near(beyond.X, {.5, .5, .5, .5});
  // Singular values as far apart as can be, all of which count.
  LstsqCall call;
  call.options.rcond = 0;
  auto apart = matrix<TypeParam>(2, 2, {0, 0, 0, 0});
  apart(0, 0) = Limits::max() / 4;
  apart(1, 1) = 4 * Limits::min();
  auto const far = run_pinv(apart, call);
  EXPECT_EQ(far.info.rank, 2);
  EXPECT_NEAR(far.X(0, 0) * apart(0, 0), 1, 4 * epsilon<TypeParam>);
  EXPECT_NEAR(far.X(1, 1) * apart(1, 1), 1, 4 * epsilon<TypeParam>);
}

TYPED_TEST(LstsqPromises, NonFiniteIsRefusedAndDisturbsNobody) {
  Random random(11);
  using Limits = std::numeric_limits<TypeParam>;
  for (int const n : {5, 40}) {
    std::vector<LstsqProblem<TypeParam>> problems;
    for (int b = 0; b < 9; ++b)
      problems.push_back({drawn<TypeParam>(random, 6, n), drawn<TypeParam>(random, 6, 33)});
    auto const before = run_lstsq_batch(problems, false);
    problems[2].A(4, 1) = Limits::quiet_NaN();
    problems[5].B(5, 32) = -Limits::infinity();
    problems[7].A(0, 0) = Limits::infinity();
    problems[7].B(0, 0) = Limits::quiet_NaN();
    auto const after = run_lstsq_batch(problems, false);
    auto const inverse = run_lstsq_batch(problems, true);
    for (std::size_t b = 0; b < problems.size(); ++b) {
      bool const a_refused = b == 2 || b == 7;
      EXPECT_EQ(inverse[b].info.status, a_refused ? Status::non_finite : Status::success);
      EXPECT_EQ(all_nan(inverse[b].X.data), a_refused);
      if (!a_refused && b != 5) {
        EXPECT_TRUE(same_result(after[b], before[b]));
        continue;
      }
      EXPECT_EQ(after[b].info.status, Status::non_finite);
      EXPECT_EQ(after[b].info.rank, 0);
      EXPECT_TRUE(all_nan(after[b].X.data)) << b;
    }
  }
}

TYPED_TEST(LstsqPromises, NotConvergedIsTold) {
  Random random(12);
  LstsqCall call;
  call.options.max_sweeps = 1;
  for (int const n : {20, 50}) {
    auto const A = drawn<TypeParam>(random, n, n);
    auto const result = run_pinv(A, call);
    EXPECT_EQ(result.info.status, Status::not_converged);
    EXPECT_EQ(result.info.sweeps, 1);
    EXPECT_TRUE(all_finite(result.X.data));
    EXPECT_EQ(run_pinv(A).info.status, Status::success);
  }
}

TEST(LstsqWorkspace, SaysWhatItIs) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const solves = carroll::lstsq_workspace<double>(
      exec, {.batch = 3, .rows = 20, .cols = 10, .rhs = 7}, {.rcond = 1e-3});
  EXPECT_FALSE(solves.is_for_pinv());
  EXPECT_EQ(solves.extents().rhs, 7);
  EXPECT_EQ(solves.options().rcond, 1e-3);
  auto const inverts = carroll::pinv_workspace<double>(exec, {.batch = 3, .rows = 20, .cols = 10});
  EXPECT_TRUE(inverts.is_for_pinv());
  EXPECT_EQ(inverts.extents().rhs, 20);
  EXPECT_GE(inverts.bytes(), 3U * (20 * 10 + 20 * 10 + 10 * 10 + 10) * sizeof(double));
  EXPECT_GT(solves.bytes(), inverts.bytes());
}

}  // namespace
