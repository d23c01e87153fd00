// SPDX-License-Identifier: BSD-3-Clause
#include "unit/solve/emulated.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "support/complex_entries.hpp"
#include "support/emulated_types.hpp"
#include "support/field_matrix.hpp"
#include "support/random.hpp"
#include "support/solve/checks.hpp"

/// Linear equations by panels in registers and tiles, on the host: lanes take turns.
namespace {

using namespace carroll::test;
using carroll::SolvePath;
using carroll::Status;

EmulatedCall tiled(bool inverse = false, bool by_rows = false, bool condition = true) {
  EmulatedCall call;
  call.inverse = inverse;
  call.by_rows = by_rows;
  call.condition = condition;
  call.path = SolvePath::tiled;
  return call;
}

template <class T>
class EmulatedTiledSolve : public ::testing::Test {};
using TiledScalars = carroll::test::EmulatedTypes<::testing::Types<double, Kokkos::complex<float>>,
                                                  ::testing::Types<float, Kokkos::complex<double>>>;
TYPED_TEST_SUITE(EmulatedTiledSolve, TiledScalars);

/// Orders about those of blocks, panels and warps.
TYPED_TEST(EmulatedTiledSolve, EveryTypeAndOrder) {
  for (int const n : {1, 5, 33, 65})
    for (bool const inverse : {false, true}) {
      bool const by_rows = (n % 2 == 0) == inverse;
      int const columns = n % 3 == 0 ? 18 : n % 3;
      auto const systems = systems_of_all_types<TypeParam>(n, columns, inverse, n <= 5 ? 3 : 7);
      auto const results = solve_emulated(systems, tiled(inverse, by_rows));
      for (std::size_t b = 0; b < systems.size(); ++b)
        EXPECT_EQ(what_is_wrong(systems[b], results[b], inverse), "")
            << n << " number " << b << (inverse ? ", inverse" : "");
    }
}

/// Two and four rows of a panel in the registers of each thread, as from order 513 and 1025 on.
TYPED_TEST(EmulatedTiledSolve, MoreRowsOfAThread) {
  Random random(3);
  for (int const n : {40, 70, 128})
    for (bool const inverse : {false, true}) {
      EmulatedCall call = tiled(inverse);
      call.panel_threads = 32;
      SolveCall what;
      what.inverse = inverse;
      auto const system = system_of(drawn<TypeParam>(random, n, n), what, 2);
      auto const result = solve_emulated<TypeParam>({system}, call)[0];
      EXPECT_EQ(what_is_wrong(system, result, inverse), "") << n << (inverse ? ", inverse" : "");
      EXPECT_EQ(result.info.growth,
                solve_emulated<TypeParam>({system}, tiled(inverse))[0].info.growth);
    }
}

/// Beside others, in other layouts, on devices of other sizes.
TYPED_TEST(EmulatedTiledSolve, SameBitsInAnyCompany) {
  Random random(5);
  for (int const n : {3, 34})
    for (bool const inverse : {false, true}) {
      std::vector<HostSystem<TypeParam>> systems;
      for (int b = 0; b < 7; ++b) {
        systems.push_back({drawn<TypeParam>(random, n, n), drawn<TypeParam>(random, n, 5)});
        auto& A = systems.back().A;
        if (b == 1) A = field::make_field_matrix<TypeParam>(MatrixType::rank_deficient, n, n, 1);
        if (b == 2) A = field::make_field_matrix<TypeParam>(MatrixType::graded_both, n, n, 2);
        if (b == 3) A = field::make_field_matrix<TypeParam>(MatrixType::near_overflow, n, n, 3);
        if (b == 5) last_part(A(n / 2, 0)) = std::numeric_limits<RealOf<TypeParam>>::quiet_NaN();
        if (b == 6)
          last_part(systems.back().B(n / 2, 4)) =
              std::numeric_limits<RealOf<TypeParam>>::infinity();
      }
      EmulatedCall call = tiled(inverse);
      auto const together = solve_emulated(systems, call);
      call.by_rows = true;
      call.condition = false;
      call.device = {64, 3};  // fewer columns for a team
      auto const elsewhere = solve_emulated(systems, call);
      for (std::size_t b = 0; b < systems.size(); ++b) {
        SCOPED_TRACE(std::to_string(n) + ", member " + std::to_string(b));
        EXPECT_TRUE(same_result(elsewhere[b], together[b]));
        EXPECT_TRUE(together[b].guarded && elsewhere[b].guarded);
        EXPECT_TRUE(
            same_result(solve_emulated<TypeParam>({systems[b]}, tiled(inverse))[0], together[b]));
      }
    }
}

/// A column of X depends on its own column of B alone: one, up to 4, and up to 16 go other ways.
TYPED_TEST(EmulatedTiledSolve, ColumnsAreIndependent) {
  Random random(6);
  for (int const n : {20, 70}) {
    HostSystem<TypeParam> const all{drawn<TypeParam>(random, n, n),
                                    drawn<TypeParam>(random, n, 37)};
    auto const together = solve_emulated<TypeParam>({all}, tiled())[0];
    for (int const columns : {1, 3, 9, 20}) {
      HostSystem<TypeParam> few{all.A, HostMatrix<TypeParam>(n, columns)};
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < n; ++i) few.B(i, j) = all.B(i, j + 15);
      auto const found = solve_emulated<TypeParam>({few}, tiled())[0];
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < n; ++i)
          ASSERT_EQ(found.X(i, j), together.X(i, j + 15)) << n << ' ' << columns << ' ' << j;
    }
  }
}

/// It is that of the inverse, no estimate.
TYPED_TEST(EmulatedTiledSolve, ConditionIsExact) {
  Random random(11);
  for (int const n : {2, 7, 32, 45, 90}) {
    HostSystem<TypeParam> const system{drawn<TypeParam>(random, n, n),
                                       drawn<TypeParam>(random, n, 1)};
    double const exact = exact_solution_of(system).rcond;
    double const rcond = solve_emulated<TypeParam>({system}, tiled())[0].info.rcond;
    EXPECT_NEAR(rcond / exact, 1, n * std::numeric_limits<RealOf<TypeParam>>::epsilon() / exact)
        << n;
    EXPECT_EQ(solve_emulated<TypeParam>({system}, tiled(false, false, false))[0].info.rcond, -1);
  }
}

/// Columns of the inverse, in scratch or, of order 200, in memory, are solutions for those of the
/// identity, which go through elimination instead of beginning behind it; and the condition is
/// theirs.
TYPED_TEST(EmulatedTiledSolve, InverseSolvesForTheIdentity) {
  Random random(12);
  for (int const n : {33, 70, sizeof(TypeParam) == 4 ? 130 : 200}) {
    HostSystem<TypeParam> system{drawn<TypeParam>(random, n, n), columns_of_identity<TypeParam>(n)};
    for (int j = 0; j < n; ++j) system.A(n / 3, j) *= n == 70 ? TypeParam(1 << 20) : TypeParam(1);
    auto const few = solve_emulated<TypeParam>({system}, tiled())[0];
    auto const all = solve_emulated<TypeParam>({system}, tiled(true))[0];
    EXPECT_EQ(few.info.status, Status::success);
    EXPECT_EQ(few.info.rcond, all.info.rcond) << n;
    EXPECT_TRUE(are_columns_of(few, all)) << n;
  }
}

TYPED_TEST(EmulatedTiledSolve, StatusesAreTold) {
  using Limits = std::numeric_limits<RealOf<TypeParam>>;
  int const n = 36;
  HostSystem<TypeParam> const fine{identity_matrix<TypeParam>(n), identity_matrix<TypeParam>(n)};
  auto singular = fine, not_finite = fine, sides_not_finite = fine, overflow = fine, near = fine;
  singular.A(33, 33) = 0;
  not_finite.A(35, 0) = Limits::infinity();
  sides_not_finite.B(2, 33) = Limits::quiet_NaN();
  overflow.A(34, 34) = Limits::min() / 8;
  near.A(0, 1) = near.A(1, 0) = 1;
  near.A(1, 1) = 1 + Limits::epsilon();
  for (bool const inverse : {false, true}) {
    auto const results = solve_emulated<TypeParam>(
        {fine, singular, not_finite, sides_not_finite, overflow, near}, tiled(inverse));
    EXPECT_EQ(results[0].info.status, Status::success);
    EXPECT_NEAR(results[0].info.rcond, 1, 4 * Limits::epsilon());
    EXPECT_EQ(results[0].info.growth, 1);
    EXPECT_EQ(results[0].X.data, fine.A.data);
    EXPECT_EQ(results[1].info.status, Status::singular);
    EXPECT_EQ(results[1].info.rcond, 0);
    EXPECT_EQ(results[2].info.status, Status::non_finite);
    EXPECT_EQ(results[3].info.status, inverse ? Status::success : Status::non_finite);
    for (std::size_t const b : {1U, 2U}) EXPECT_TRUE(all_nan(parts_of(results[b].X.data))) << b;
    EXPECT_EQ(all_nan(parts_of(results[3].X.data)), !inverse);
    EXPECT_EQ(results[4].info.status, Status::overflow);
    EXPECT_TRUE(std::isinf(real_part(results[4].X(34, 34))));
    EXPECT_EQ(results[4].X(33, 33), TypeParam(1));
    EXPECT_EQ(results[5].info.status, Status::success);
    EXPECT_TRUE(results[5].info.ill_conditioned);
  }
}

/// Wilkinson's matrix: growth 2^(n-1), and beyond the range.
TYPED_TEST(EmulatedTiledSolve, GrowthIsTold) {
  bool const is_single = sizeof(RealOf<TypeParam>) == 4;
  for (int const n : {40, is_single ? 134 : 90}) {
    HostMatrix<TypeParam> A = identity_matrix<TypeParam>(n);
    for (int j = 0; j < n; ++j)
      for (int i = j == n - 1 ? 0 : j + 1; i < n; ++i) A(i, j) = j == n - 1 ? 1 : -1;
    auto const result = solve_emulated<TypeParam>({system_of(A, SolveCall{}, 1)}, tiled())[0];
    if (n < 100) {
      EXPECT_EQ(result.info.growth, std::ldexp(RealOf<TypeParam>(1), n - 1));
      continue;
    }
    EXPECT_EQ(result.info.status, Status::breakdown);
    EXPECT_TRUE(all_nan(parts_of(result.X.data)));
    EXPECT_TRUE(std::isnan(result.info.rcond));
  }
}

TYPED_TEST(EmulatedTiledSolve, NoRightHandSides) {
  for (bool const condition : {false, true}) {
    auto const result = solve_emulated<TypeParam>({{identity_matrix<TypeParam>(40), {40, 0}}},
                                                  tiled(false, false, condition))[0];
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_NEAR(result.info.rcond, condition ? 1 : -1,
                4 * std::numeric_limits<RealOf<TypeParam>>::epsilon());
  }
}

TYPED_TEST(EmulatedTiledSolve, PowersOfTwoGoThrough) {
  Random random(7);
  for (bool const inverse : {false, true}) {
    SolveCall call;
    call.inverse = inverse;
    auto const system = system_of(drawn<TypeParam>(random, 40, 40), call, 3);
    auto const expected = solve_emulated<TypeParam>({system}, tiled(inverse))[0];
    for (int const shift : {-100, -3, 60}) {
      auto const result = solve_emulated<TypeParam>(
          {{scaled_by_power_of_two(system.A, shift), system.B}}, tiled(inverse))[0];
      EXPECT_TRUE(same_bits(result.X, scaled_by_power_of_two(expected.X, -shift)));
      EXPECT_EQ(result.info.rcond, expected.info.rcond);
    }
  }
}

}  // namespace
