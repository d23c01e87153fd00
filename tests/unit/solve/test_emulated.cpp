// SPDX-License-Identifier: BSD-3-Clause
#include "unit/solve/emulated.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/complex_entries.hpp"
#include "support/emulated_types.hpp"
#include "support/field_matrix.hpp"
#include "support/random.hpp"
#include "support/solve/checks.hpp"
#include "support/solve/drivers.hpp"
#include "support/solve/exact.hpp"
#include "support/svd/matrix_types.hpp"

/// Linear equations in the registers of warps, on the host: lanes take turns.
namespace {

using namespace carroll::test;
using carroll::Status;

template <class T>
class EmulatedSolve : public ::testing::Test {};
using EmulatedScalars =
    carroll::test::EmulatedTypes<::testing::Types<float, Kokkos::complex<double>>,
                                 ::testing::Types<double, Kokkos::complex<float>>>;
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
        auto const results = solve_emulated(systems, {inverse, by_rows});
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
        if (b % 5 == 1)
          A = field::make_field_matrix<TypeParam>(MatrixType::rank_deficient, n, n, 1);
        if (b % 5 == 2) A = field::make_field_matrix<TypeParam>(MatrixType::graded_both, n, n, 2);
        if (b % 5 == 3) A = field::make_field_matrix<TypeParam>(MatrixType::near_overflow, n, n, 3);
        if (b == 5) last_part(A(n / 2, 0)) = std::numeric_limits<RealOf<TypeParam>>::quiet_NaN();
        if (b == 6)
          last_part(systems.back().B(n / 2, 4)) =
              std::numeric_limits<RealOf<TypeParam>>::infinity();
      }
      auto const together = solve_emulated(systems, {.inverse = inverse});
      auto const by_rows = solve_emulated(systems, {inverse, true, false});
      for (std::size_t b = 0; b < systems.size(); ++b) {
        SCOPED_TRACE(std::to_string(n) + ", member " + std::to_string(b));
        EXPECT_TRUE(same_result(by_rows[b], together[b]));
        EXPECT_TRUE(together[b].guarded && by_rows[b].guarded);
        EXPECT_TRUE(same_result(solve_emulated<TypeParam>({systems[b]}, {.inverse = inverse})[0],
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
      auto const together = solve_emulated<TypeParam>({system})[0];
      for (int const columns : {1, 2, 3, n / 4 + 1, n}) {
        HostSystem<TypeParam> few{system.A, HostMatrix<TypeParam>(n, columns)};
        for (int j = 0; j < columns; ++j)
          for (int i = 0; i < n; ++i) few.B(i, j) = system.B(i, j + 1);
        auto const found = solve_emulated<TypeParam>({few})[0];
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
    auto const lapack = lapack_solution(for_lapack(system.A), for_lapack(system.B));
    if (!lapack) GTEST_SKIP() << "no LAPACKE";
    auto const result = solve_emulated<TypeParam>({system})[0];
    // Where LAPACK takes the largest modulus, this takes the largest |re| + |im|.
    EXPECT_NEAR(result.info.rcond / lapack->rcond, 1, is_complex<TypeParam> ? 0.5 : 0.01) << n;
    EXPECT_EQ(solve_emulated<TypeParam>({system}, {.condition = false})[0].info.rcond, -1);
  }
}

TYPED_TEST(EmulatedSolve, StatusesAreTold) {
  using Limits = std::numeric_limits<RealOf<TypeParam>>;
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
      auto const results = solve_emulated<TypeParam>(
          {fine, singular, not_finite, sides_not_finite, overflow, near}, {inverse, by_rows});
      EXPECT_EQ(results[0].info.status, Status::success);
      EXPECT_EQ(results[0].info.rcond, 1);
      EXPECT_EQ(results[0].info.growth, 1);
      EXPECT_EQ(results[0].X.data, fine.A.data);
      EXPECT_EQ(results[1].info.status, Status::singular);
      EXPECT_EQ(results[1].info.rcond, 0);
      EXPECT_EQ(results[2].info.status, Status::non_finite);
      EXPECT_EQ(results[3].info.status, inverse ? Status::success : Status::non_finite);
      for (std::size_t const b : {1U, 2U}) EXPECT_TRUE(all_nan(parts_of(results[b].X.data))) << b;
      EXPECT_EQ(all_nan(parts_of(results[3].X.data)), !inverse);
      EXPECT_EQ(results[4].info.status, Status::overflow);
      EXPECT_TRUE(std::isinf(real_part(results[4].X(4, 4))));
      EXPECT_EQ(results[4].X(3, 3), TypeParam(1));
      EXPECT_EQ(results[5].info.status, Status::success);
      EXPECT_TRUE(results[5].info.ill_conditioned);
    }
}

TYPED_TEST(EmulatedSolve, NothingAtAll) {
  for (bool const inverse : {false, true}) {
    auto const result =
        solve_emulated<TypeParam>({{{0, 0}, {0, 2}}}, {.inverse = inverse, .condition = false})[0];
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_EQ(result.info.rcond, 1);
    EXPECT_EQ(result.info.growth, 1);
  }
  auto const no_side = solve_emulated<TypeParam>({{identity_matrix<TypeParam>(3), {3, 0}}})[0];
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
      auto const expected = solve_emulated<TypeParam>({system}, {.inverse = inverse})[0];
      for (int const shift : {-100, -3, 60}) {
        auto const result = solve_emulated<TypeParam>(
            {{scaled_by_power_of_two(system.A, shift), system.B}}, {.inverse = inverse})[0];
        EXPECT_TRUE(same_bits(result.X, scaled_by_power_of_two(expected.X, -shift))) << n;
        EXPECT_EQ(result.info.rcond, expected.info.rcond);
      }
    }
}

}  // namespace
