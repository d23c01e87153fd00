// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <carroll/detail/solve/warp/kernel.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/solve/checks.hpp"
#include "support/solve/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "unit/solve/ways.hpp"

/// Linear equations in the registers of warps, on the host: lanes take turns.
namespace {

using namespace carroll::test;
using carroll::SolveInfo;
using carroll::Status;
using carroll::detail::EmulatedSpace;
using carroll::detail::SolveBatch;

struct WarpCall {
  bool inverse = false;
  bool by_rows = false;  ///< all matrices
  bool condition = true;
};

/// Systems of equal extents, one behind the other in memory, and one word more, which has to stay.
template <class Real>
std::vector<HostSolve<Real>> solve_by_warps(std::vector<HostSystem<Real>> const& systems,
                                            WarpCall const& call = {}) {
  constexpr Real guard = Real(-77);
  auto const count = static_cast<std::int64_t>(systems.size());
  std::int64_t const n = systems[0].A.rows, columns = call.inverse ? n : systems[0].B.cols;
  std::vector<Real> A, B, X(static_cast<std::size_t>(count * n * columns + 1), guard);
  auto const append = [&](std::vector<Real>& all, HostMatrix<Real> const& M) {
    for (int j = 0; j < (call.by_rows ? M.rows : M.cols); ++j)
      for (int i = 0; i < (call.by_rows ? M.cols : M.rows); ++i)
        all.push_back(call.by_rows ? M(j, i) : M(i, j));
  };
  for (auto const& system : systems) {
    append(A, system.A);
    if (!call.inverse) append(B, system.B);
  }
  std::vector<SolveInfo<Real>> infos(systems.size());
  SolveBatch<Real> batch{};
  auto const lay_out = [&](auto& view, auto* data, std::int64_t cols) {
    view.data = data;
    view.extents = {count, n, cols};
    view.strides = {n * cols, call.by_rows ? cols : 1, call.by_rows ? 1 : n};
  };
  lay_out(batch.a, A.data(), n);
  if (!call.inverse) lay_out(batch.b, B.data(), columns);
  lay_out(batch.x, X.data(), columns);
  batch.condition = call.condition;
  batch.inverse = call.inverse;
  batch.infos = infos.data();
  batch.info_stride = 1;
  carroll::detail::enqueue_solve_warp(EmulatedSpace{}, batch);
  std::vector<HostSolve<Real>> results;
  for (std::int64_t b = 0; b < count; ++b) {
    HostSolve<Real> result{infos[static_cast<std::size_t>(b)],
                           HostMatrix<Real>(static_cast<int>(n), static_cast<int>(columns))};
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < n; ++i)
        result.X(i, j) = X[static_cast<std::size_t>(b * n * columns +
                                                    (call.by_rows ? i * columns + j : j * n + i))];
    result.guarded = X.back() == guard;
    results.push_back(result);
  }
  return results;
}

template <class Real>
std::vector<HostSystem<Real>> systems_of_all_types(int n, int columns, bool inverse, int step) {
  std::vector<HostSystem<Real>> systems;
  SolveCall call;
  call.inverse = inverse;
  int k = 0;
  for (MatrixType const type : all_matrix_types())
    if (k++ % step == 0)
      systems.push_back(system_of(make_matrix<Real>(type, n, n, 5), call, columns));
  return systems;
}

template <class Real>
class EmulatedSolve : public ::testing::Test {};
using EmulatedScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EmulatedSolve, EmulatedScalars);

TYPED_TEST(EmulatedSolve, EveryTypeAndOrder) {
  for (int const n : {1, 2, 3, 4, 5, 8, 9, 16, 17, 24, 25, 31, 32})
    for (bool const inverse : {false, true})
      for (bool const by_rows : {false, true}) {
        int const columns = n % 3 == 0 ? n + 3 : 2;
        auto const systems = systems_of_all_types<TypeParam>(n, columns, inverse,
                                                             n <= 8    ? 1
                                                             : n <= 17 ? 3
                                                                       : 5);
        auto const results = solve_by_warps(systems, {inverse, by_rows});
        for (std::size_t b = 0; b < systems.size(); ++b)
          EXPECT_EQ(what_is_wrong(systems[b], results[b], inverse), "")
              << n << " number " << b << (inverse ? ", inverse" : "");
      }
}

TYPED_TEST(EmulatedSolve, SameBitsInAnyCompanyAndLayout) {
  Random random(5);
  for (int const n : {1, 3, 7, 13, 20, 30})
    for (bool const inverse : {false, true}) {
      std::vector<HostSystem<TypeParam>> systems;
      for (int b = 0; b < (n > 8 ? 5 : 11); ++b) {
        systems.push_back({drawn<TypeParam>(random, n, n), drawn<TypeParam>(random, n, 5)});
        auto& A = systems.back().A;
        if (b % 5 == 1) A = make_matrix<TypeParam>(MatrixType::rank_deficient, n, n, 1);
        if (b % 5 == 2) A = make_matrix<TypeParam>(MatrixType::graded_both, n, n, 2);
        if (b % 5 == 3) A = make_matrix<TypeParam>(MatrixType::near_overflow, n, n, 3);
        if (b == 5) A(n / 2, 0) = std::numeric_limits<TypeParam>::quiet_NaN();
        if (b == 6) systems.back().B(n / 2, 4) = std::numeric_limits<TypeParam>::infinity();
      }
      auto const together = solve_by_warps(systems, {.inverse = inverse});
      auto const by_rows = solve_by_warps(systems, {inverse, true, false});
      for (std::size_t b = 0; b < systems.size(); ++b) {
        SCOPED_TRACE(std::to_string(n) + ", member " + std::to_string(b));
        EXPECT_TRUE(same_result(by_rows[b], together[b]));
        EXPECT_TRUE(together[b].guarded && by_rows[b].guarded);
        EXPECT_TRUE(same_result(solve_by_warps<TypeParam>({systems[b]}, {.inverse = inverse})[0],
                                together[b]));
      }
    }
}

/// Whether it has a lane or shares all of them: a column of X depends on its own column of B alone.
TYPED_TEST(EmulatedSolve, ColumnsAreIndependent) {
  Random random(6);
  for (int const n : {3, 6, 14, 23, 29}) {
    HostSystem<TypeParam> const all{drawn<TypeParam>(random, n, n),
                                    drawn<TypeParam>(random, n, n + 2)};
    auto uneven = all;
    for (int j = 0; j < n; ++j) uneven.A(n / 2, j) *= TypeParam(1 << 20);
    for (auto const& system : {all, uneven}) {
      auto const together = solve_by_warps<TypeParam>({system})[0];
      for (int const columns : {1, 2, 3, n / 4 + 1, n}) {
        HostSystem<TypeParam> few{system.A, HostMatrix<TypeParam>(n, columns)};
        for (int j = 0; j < columns; ++j)
          for (int i = 0; i < n; ++i) few.B(i, j) = system.B(i, j + 1);
        auto const found = solve_by_warps<TypeParam>({few})[0];
        for (int j = 0; j < columns; ++j)
          for (int i = 0; i < n; ++i)
            ASSERT_EQ(found.X(i, j), together.X(i, j + 1)) << n << ' ' << columns << ' ' << j;
      }
    }
  }
}

/// What LAPACK's xLACN2 estimates from the same vectors.
TYPED_TEST(EmulatedSolve, ConditionAsLapack) {
  Random random(11);
  for (int const n : {2, 4, 7, 16, 31}) {
    HostSystem<TypeParam> const system{drawn<TypeParam>(random, n, n),
                                       drawn<TypeParam>(random, n, 1)};
    auto const lapack = lapack_solution(system.A, system.B);
    if (!lapack) GTEST_SKIP() << "no LAPACKE";
    auto const result = solve_by_warps<TypeParam>({system})[0];
    EXPECT_NEAR(result.info.rcond / lapack->rcond, 1, 0.01) << n;
    EXPECT_EQ(solve_by_warps<TypeParam>({system}, {.condition = false})[0].info.rcond, -1);
  }
}

TYPED_TEST(EmulatedSolve, StatusesAreTold) {
  using Limits = std::numeric_limits<TypeParam>;
  HostSystem<TypeParam> const fine{identity_matrix<TypeParam>(6), identity_matrix<TypeParam>(6)};
  auto singular = fine, not_finite = fine, sides_not_finite = fine, overflow = fine, near = fine;
  singular.A(3, 3) = 0;
  not_finite.A(5, 0) = Limits::infinity();
  sides_not_finite.B(2, 1) = Limits::quiet_NaN();
  overflow.A(4, 4) = Limits::min() / 8;
  near.A(0, 1) = near.A(1, 0) = 1;
  near.A(1, 1) = 1 + Limits::epsilon();
  for (bool const inverse : {false, true})
    for (bool const by_rows : {false, true}) {
      auto const results = solve_by_warps<TypeParam>(
          {fine, singular, not_finite, sides_not_finite, overflow, near}, {inverse, by_rows});
      EXPECT_EQ(results[0].info.status, Status::success);
      EXPECT_EQ(results[0].info.rcond, 1);
      EXPECT_EQ(results[0].info.growth, 1);
      EXPECT_EQ(results[0].X.data, fine.A.data);
      EXPECT_EQ(results[1].info.status, Status::singular);
      EXPECT_EQ(results[1].info.rcond, 0);
      EXPECT_EQ(results[2].info.status, Status::non_finite);
      EXPECT_EQ(results[3].info.status, inverse ? Status::success : Status::non_finite);
      for (std::size_t const b : {1U, 2U}) EXPECT_TRUE(all_nan(results[b].X.data)) << b;
      EXPECT_EQ(all_nan(results[3].X.data), !inverse);
      EXPECT_EQ(results[4].info.status, Status::overflow);
      EXPECT_TRUE(std::isinf(results[4].X(4, 4)));
      EXPECT_EQ(results[4].X(3, 3), 1);
      EXPECT_EQ(results[5].info.status, Status::success);
      EXPECT_TRUE(results[5].info.ill_conditioned);
    }
}

TYPED_TEST(EmulatedSolve, NothingAtAll) {
  for (bool const inverse : {false, true}) {
    auto const result =
        solve_by_warps<TypeParam>({{{0, 0}, {0, 2}}}, {.inverse = inverse, .condition = false})[0];
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_EQ(result.info.rcond, 1);
    EXPECT_EQ(result.info.growth, 1);
  }
  auto const no_side = solve_by_warps<TypeParam>({{identity_matrix<TypeParam>(3), {3, 0}}})[0];
  EXPECT_EQ(no_side.info.status, Status::success);
  EXPECT_EQ(no_side.info.rcond, 1);
}

TYPED_TEST(EmulatedSolve, PowersOfTwoGoThrough) {
  Random random(7);
  for (int const n : {3, 6, 26})
    for (bool const inverse : {false, true}) {
      SolveCall call;
      call.inverse = inverse;
      auto const system = system_of(drawn<TypeParam>(random, n, n), call, n + 1);
      auto const expected = solve_by_warps<TypeParam>({system}, {.inverse = inverse})[0];
      for (int const shift : {-100, -3, 60}) {
        auto const result = solve_by_warps<TypeParam>(
            {{scaled_by_power_of_two(system.A, shift), system.B}}, {.inverse = inverse})[0];
        EXPECT_TRUE(same_bits(result.X, scaled_by_power_of_two(expected.X, -shift))) << n;
        EXPECT_EQ(result.info.rcond, expected.info.rcond);
      }
    }
}

}  // namespace
