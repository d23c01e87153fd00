// SPDX-License-Identifier: BSD-3-Clause
// What solve and inverse say of systems that hurt.
#include <gtest/gtest.h>

#include <carroll/solve.hpp>
#include <cmath>
#include <limits>

#include "decompositions/solve_instances.hpp"
#include "support/copy.hpp"
#include "support/random.hpp"
#include "support/solve/checks.hpp"
#include "support/solve/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/tolerance.hpp"
#include "unit/solve/ways.hpp"

namespace {

using namespace carroll::test;
using carroll::Status;

template <class Real>
class SolveStatus : public ::testing::Test {};
using StatusScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveStatus, StatusScalars);

TYPED_TEST(SolveStatus, SingularIsTold) {
  for (int const n : {2, 6, 40, 60}) {
    HostMatrix<TypeParam> zero_column(n, n), equal_rows(n, n), zero(n, n);
    Random random(8);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        zero_column(i, j) = j == n / 2 ? TypeParam(0) : static_cast<TypeParam>(random.normal());
        equal_rows(i, j) = i > 0 && i + 1 < n ? TypeParam(i == j) : TypeParam(1 + j % 2);
      }
    for (SolveCall const& call : ways())
      for (auto const& A : {zero_column, equal_rows, zero}) {
        auto const result = run_solve(system_of(A, call), call);
        EXPECT_EQ(result.info.status, Status::singular) << n << name_of(call);
        EXPECT_EQ(result.info.rcond, 0);
        EXPECT_TRUE(result.info.ill_conditioned);
        EXPECT_TRUE(all_nan(result.X.data));
      }
  }
}

TYPED_TEST(SolveStatus, IllConditionedIsTold) {
  for (SolveCall const& call : ways()) {
    auto const A = make_matrix<TypeParam>(MatrixType::hilbert, 20, 20, 0);
    auto const result = run_solve(system_of(A, call), call);
    EXPECT_TRUE(result.info.ill_conditioned || result.info.rcond < 1e2 * epsilon<TypeParam>)
        << result.info.rcond;
    HostMatrix<TypeParam> tiny = identity_matrix<TypeParam>(3);
    tiny(0, 1) = 1;
    tiny(1, 0) = 1;
    tiny(1, 1) = 1 + std::numeric_limits<TypeParam>::epsilon();  // rcond is about eps/4
    auto const near = run_solve(system_of(tiny, call), call);
    EXPECT_EQ(near.info.status, Status::success);
    EXPECT_TRUE(near.info.ill_conditioned) << name_of(call) << near.info.rcond;
  }
}

/// Rows and columns in any units do not matter: neither for the condition nor for the digits.
TYPED_TEST(SolveStatus, UnitsDoNotMatter) {
  Random random(9);
  using Limits = std::numeric_limits<TypeParam>;
  for (int const n : {2, 7, 30, 60})
    for (SolveCall const& call : ways()) {
      auto system = system_of(drawn<TypeParam>(random, n, n), call, 2);
      if (call.inverse) continue;  // their entries leave the range
      int const most = Limits::max_exponent / 2 - 8;
      for (int j = 0; j < n; ++j) {
        int const row = random.index(2 * most) - most, col = random.index(2 * most) - most;
        for (int i = 0; i < n; ++i) {
          system.A(i, j) = std::ldexp(system.A(i, j), col);
          if (i < 2) system.B(j, i) = std::ldexp(system.B(j, i), row / 8);
        }
        for (int i = 0; i < n; ++i) system.A(j, i) = std::ldexp(system.A(j, i), row / 8);
      }
      auto const result = run_solve(system, call);
      EXPECT_EQ(what_is_wrong(system, result), "") << n << name_of(call);
      EXPECT_FALSE(result.info.ill_conditioned);
    }
}

TYPED_TEST(SolveStatus, OverflowIsTold) {
  using Limits = std::numeric_limits<TypeParam>;
  for (SolveCall const& call : ways()) {
    HostSystem<TypeParam> system{HostMatrix<TypeParam>(2, 2), HostMatrix<TypeParam>(2, 1)};
    system.A.data = {Limits::min() / 8, 0, 0, 1};
    system.B.data = {1, 1};
    auto const result = run_solve(system, call);
    EXPECT_EQ(result.info.status, Status::overflow) << name_of(call);
    EXPECT_TRUE(std::isinf(result.X(0, 0)));
    EXPECT_EQ(call.inverse ? result.X(1, 1) : result.X(1, 0), 1);
  }
}

/// Rows that are scaled, and one that has no size.
TYPED_TEST(SolveStatus, RowOfZerosAmongUnevenOnes) {
  Random random(12);
  for (int const n : {3, 20, 70})
    for (SolveCall const& call : ways()) {
      auto A = drawn<TypeParam>(random, n, n);
      for (int j = 0; j < n; ++j) {
        A(0, j) *= TypeParam(1 << 20);
        A(n - 1, j) = 0;
      }
      auto const result = run_solve(system_of(A, call), call);
      EXPECT_EQ(result.info.status, Status::singular) << n << name_of(call);
      EXPECT_TRUE(all_nan(result.X.data));
    }
}

/// No right-hand sides, and no memory for them: that is not an inverse.
TYPED_TEST(SolveStatus, NoRightHandSideAtAll) {
  Kokkos::DefaultExecutionSpace const exec;
  using Matrix = Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Kokkos::DefaultExecutionSpace>;
  using Nothing = Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Kokkos::DefaultExecutionSpace,
                               Kokkos::MemoryUnmanaged>;
  Matrix const A("carroll_test::A", 2, 2);
  auto const host = Kokkos::create_mirror_view(A);
  host(0, 0) = 1;
  host(1, 1) = TypeParam(0.25);
  carroll::test::deep_copy(A, host);
  for (carroll::SolvePath const path : {carroll::SolvePath::automatic, carroll::SolvePath::team}) {
    auto const info =
        carroll::solve(exec, A, Nothing(nullptr, 2, 0), Nothing(nullptr, 2, 0), {.path = path});
    EXPECT_EQ(info.status, Status::success);
    EXPECT_EQ(info.rcond, TypeParam(0.25));
  }
}

/// Wilkinson's matrix, on which pivoting does not help: growth 2^(n-1), and beyond the range.
TYPED_TEST(SolveStatus, GrowthIsTold) {
  auto const wilkinson = [](int n) {
    HostMatrix<TypeParam> A = identity_matrix<TypeParam>(n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (i > j || j == n - 1) A(i, j) = j == n - 1 ? 1 : -1;
    return A;
  };
  for (SolveCall const& call : ways()) {
    auto const result = run_solve(system_of(wilkinson(20), call), call);
    EXPECT_EQ(result.info.growth, std::ldexp(TypeParam(1), 19)) << name_of(call);
    int const beyond = std::numeric_limits<TypeParam>::max_exponent + 6;
    auto const broken = run_solve(system_of(wilkinson(beyond), call, 1), call);
    EXPECT_EQ(broken.info.status, Status::breakdown) << name_of(call);
    EXPECT_TRUE(all_nan(broken.X.data));
    EXPECT_TRUE(std::isnan(broken.info.rcond));
  }
}

TYPED_TEST(SolveStatus, NonFiniteIsRefused) {
  Random random(10);
  for (int const n : {3, 20, 70})
    for (SolveCall const& call : ways())
      for (bool const in_b : {false, true}) {
        if (in_b && call.inverse) continue;
        HostSystem<TypeParam> system{drawn<TypeParam>(random, n, n),
                                     drawn<TypeParam>(random, n, 6)};
        (in_b ? system.B(n - 1, 5) : system.A(n - 1, n - 1)) =
            in_b ? -std::numeric_limits<TypeParam>::infinity()
                 : std::numeric_limits<TypeParam>::quiet_NaN();
        auto const result = run_solve(system, call);
        EXPECT_EQ(result.info.status, Status::non_finite) << n << name_of(call);
        EXPECT_TRUE(all_nan(result.X.data));
        EXPECT_TRUE(std::isnan(result.info.rcond));
      }
}

}  // namespace
