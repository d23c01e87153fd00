// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <carroll/solve.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "decompositions/solve_instances.hpp"
#include "support/random.hpp"
#include "support/solve/checks.hpp"
#include "support/solve/drivers.hpp"
#include "support/solve/exact.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/tolerance.hpp"
#include "unit/solve/promises.hpp"
#include "unit/solve/ways.hpp"

namespace {

using namespace carroll::test;
using carroll::SolvePath;
using carroll::Status;

template <class Real>
class Solve : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Solve, Scalars);

/// Integers, of which everything is exact: no entry is rounded on any path.
TYPED_TEST(Solve, KnownThreeByThree) {
  HostSystem<TypeParam> system{HostMatrix<TypeParam>(3, 3), HostMatrix<TypeParam>(3, 2)};
  system.A.data = {0, 2, 4, 1, 0, 0, 2, 4, 0};  // rows 0 1 2; 2 0 4; 4 0 0
  system.B.data = {8, 14, 4, 1, 2, 0};          // x = (1, 2, 3), (0, 0, 1/2)
  for (SolvePath const path : {SolvePath::automatic, SolvePath::team}) {
    auto const result = run_solve(system, by(path));
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_EQ(result.X.data, (std::vector<TypeParam>{1, 2, 3, 0, 0, TypeParam(0.5)}));
    EXPECT_EQ(result.info.growth, 1);
    EXPECT_FALSE(result.info.ill_conditioned);
    // ‖A‖₁ = 6, and the inverse's columns are (0, 1, 0), (0, -1/2, 1/4), (1/4, 1/4, -1/8).
    EXPECT_EQ(result.info.rcond, TypeParam(1) / 6);
    auto const inverse = run_solve(system, by(path, true));
    TypeParam const q = TypeParam(0.25), e = TypeParam(0.125);
    EXPECT_EQ(inverse.X.data, (std::vector<TypeParam>{0, 1, 0, 0, -2 * q, q, q, q, -e}));
    EXPECT_EQ(inverse.info.rcond, TypeParam(1) / 6);
  }
}

TYPED_TEST(Solve, EmptyAndOneByOne) {
  for (SolveCall const& call : ways()) {
    auto const nothing = run_solve(HostSystem<TypeParam>{{0, 0}, {0, 2}}, call);
    EXPECT_EQ(nothing.info.status, Status::success);
    EXPECT_EQ(nothing.info.rcond, 1);
    HostSystem<TypeParam> one{{1, 1}, {1, 0}};
    one.A(0, 0) = -4;
    auto const found = run_solve(one, call);
    EXPECT_EQ(found.info.status, Status::success);
    EXPECT_EQ(found.info.rcond, 1);
    if (!call.inverse) continue;
    EXPECT_EQ(found.X(0, 0), TypeParam(-0.25));
  }
}

TYPED_TEST(Solve, EveryTypeAndOrder) {
  for (MatrixType const type : all_matrix_types())
    for (int const n : {1, 2, 3, 4, 8, 9, 17, 33, 50}) {
      auto const A = make_matrix<TypeParam>(type, n, n, 5);
      for (bool const inverse : {false, true}) {
        auto const system = system_of(A, by(SolvePath::automatic, inverse));
        auto const exact = exact_solution(system.A, system.B);
        for (SolvePath const path : {SolvePath::automatic, SolvePath::team})
          EXPECT_EQ(what_is_wrong(system, exact, run_solve(system, by(path, inverse)), inverse), "")
              << n << ' ' << to_string(type) << ' ' << name_of(by(path, inverse));
      }
    }
}

TYPED_TEST(Solve, LargerOnes) {
  Random random(3);
  for (int const n : {64, 90}) {
    auto const A = drawn<TypeParam>(random, n, n);
    for (SolveCall const& call : ways()) {
      auto const system = system_of(A, call, 2);
      EXPECT_EQ(what_is_wrong(system, run_solve(system, call), call.inverse), "")
          << n << ' ' << name_of(call);
    }
  }
}

/// The same residuals as LAPACK's gesv, and gecon's condition, of matrices that are not scaled.
TYPED_TEST(Solve, AsLapack) {
  Random random(11);
  for (int const n : {1, 2, 5, 16, 31, 48, 70})
    for (double const condition : {1.0, 1e3, 1e6}) {
      auto const spectrum = geometric_spectrum(n, 1 / condition);
      auto const D = random_with_spectrum(n, n, spectrum, 4);
      HostMatrix<TypeParam> A(n, n);
      for (std::size_t k = 0; k < A.data.size(); ++k) A.data[k] = static_cast<TypeParam>(D.data[k]);
      HostSystem<TypeParam> const system{A, drawn<TypeParam>(random, n, 2)};
      auto const lapack = lapack_solution(system.A, system.B);
      if (!lapack) GTEST_SKIP() << "no LAPACKE";
      auto const exact = exact_solution(system.A, system.B);
      bool scaled = false;
      for (int const e : exact.cols) scaled = scaled || e != 0;
      for (SolvePath const path : {SolvePath::automatic, SolvePath::team}) {
        auto const result = run_solve(system, by(path));
        HostSolve<TypeParam> const theirs{result.info, lapack->X};
        double const allowed = 2 * solve_ratios(system, exact, theirs).residual + 0.5;
        EXPECT_LE(solve_ratios(system, exact, result).residual, allowed) << n << ' ' << condition;
        if (scaled || condition == 1e6) continue;
        EXPECT_NEAR(result.info.rcond / lapack->rcond, 1, 0.5) << n << ' ' << condition;
      }
    }
}

TYPED_TEST(Solve, SameBitsInAnyCompany) {
  expect_same_bits_in_any_company<TypeParam>();
}

TYPED_TEST(Solve, ColumnsAreIndependent) {
  expect_independent_columns<TypeParam>();
}

/// By each family, of devices in scratch and in memory.
TYPED_TEST(Solve, InverseSolvesForTheIdentity) {
  Random random(12);
  using carroll::detail::solve_backend;
  std::vector<int> orders = {3, 31, 48, 70};
  if (solve_backend<Kokkos::DefaultExecutionSpace> == carroll::detail::SolveBackend::warps)
    orders.insert(orders.end(), {200, 400, 700});
  for (int const n : orders) {
    HostSystem<TypeParam> const system{drawn<TypeParam>(random, n, n),
                                       columns_of_identity<TypeParam>(n)};
    for (SolvePath const path : {SolvePath::automatic, SolvePath::team}) {
      auto const few = run_solve(system, by(path)), all = run_solve(system, by(path, true));
      EXPECT_TRUE(are_columns_of(few, all)) << n << ' ' << to_string(path);
      EXPECT_LE(all.info.rcond, few.info.rcond + n * epsilon<TypeParam>) << n << to_string(path);
    }
  }
}

TYPED_TEST(Solve, PowersOfTwoGoThrough) {
  expect_powers_of_two_go_through<TypeParam>();
}

TEST(SolveDispatch, TableDecides) {
  using carroll::detail::solve_path;
  using carroll::detail::SolveBackend;
  EXPECT_EQ(solve_path(SolveBackend::host, {}, 48), SolvePath::host_batch);
  EXPECT_EQ(solve_path(SolveBackend::host, {}, 49), SolvePath::team);
  EXPECT_EQ(solve_path(SolveBackend::device, {}, 4), SolvePath::team);
  EXPECT_EQ(solve_path(SolveBackend::warps, {}, 0), SolvePath::warp);
  EXPECT_EQ(solve_path(SolveBackend::warps, {}, 32), SolvePath::warp);
  EXPECT_EQ(solve_path(SolveBackend::warps, {}, 33), SolvePath::tiled);
  EXPECT_EQ(solve_path(SolveBackend::warps, {}, 2048), SolvePath::tiled);
  EXPECT_EQ(solve_path(SolveBackend::warps, {}, 2049), SolvePath::team);
  EXPECT_EQ(solve_path(SolveBackend::warps, {.path = SolvePath::tiled}, 1), SolvePath::tiled);
  EXPECT_EQ(solve_path(SolveBackend::warps, {.path = SolvePath::tiled}, 0), SolvePath::team);
  EXPECT_EQ(solve_path(SolveBackend::host, {.path = SolvePath::tiled}, 60), SolvePath::team);
  EXPECT_EQ(solve_path(SolveBackend::host, {.path = SolvePath::team}, 4), SolvePath::team);
  EXPECT_EQ(solve_path(SolveBackend::warps, {.path = SolvePath::team}, 4), SolvePath::team);
  EXPECT_EQ(solve_path(SolveBackend::host, {.path = SolvePath::warp}, 4), SolvePath::team);
  EXPECT_EQ(solve_path(SolveBackend::warps, {.path = SolvePath::warp}, 8), SolvePath::warp);
  EXPECT_EQ(solve_path(SolveBackend::warps, {.path = SolvePath::host_batch}, 4), SolvePath::team);
  EXPECT_EQ(solve_path(SolveBackend::host, {.path = SolvePath::host_batch}, 90), SolvePath::team);
}

TEST(SolveWorkspace, SaysWhatItIs) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const workspace = carroll::solve_workspace<double>(
      exec, {.batch = 3, .n = 100, .columns = 50}, {.path = SolvePath::team});
  EXPECT_EQ(workspace.path(), SolvePath::team);
  EXPECT_GE(workspace.bytes(), 3U * 150 * 100 * sizeof(double));
  EXPECT_EQ(carroll::inverse_workspace<float>(exec, {.n = 7}).extents().columns, 7);
}

}  // namespace
