// SPDX-License-Identifier: BSD-3-Clause
// Complex systems and inverses: known ones, every type and order against the oracle of the real
// system of twice the size, LAPACK, and what is promised of bits, scales and statuses.
#include <gtest/gtest.h>

#include <carroll/solve.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "decompositions/solve_instances.hpp"
#include "support/field_matrix.hpp"
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
class ComplexSolve : public ::testing::Test {};
using ComplexSolveParts = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexSolve, ComplexSolveParts);

/// Gaussian integers, of which everything is exact: A is [0 2i; 1+i 1].
TYPED_TEST(ComplexSolve, KnownTwoByTwo) {
  using Complex = Kokkos::complex<TypeParam>;
  HostSystem<Complex> system{HostMatrix<Complex>(2, 2), HostMatrix<Complex>(2, 1)};
  system.A.data = {{0, 0}, {1, 1}, {0, 2}, {1, 0}};
  system.B.data = {{-2, 4}, {4, 5}};  // x = (3 + i, 2 + i)
  for (SolvePath const path : {SolvePath::automatic, SolvePath::team}) {
    auto const result = run_solve(system, by(path));
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_EQ(parts_of(result.X.data), (std::vector<TypeParam>{3, 1, 2, 1}));
    EXPECT_EQ(result.info.growth, 1);
    // ‖A‖₁ = 3, and the inverse is [(1+i)/4, (1-i)/2; -i/2, 0].
    TypeParam const right = 1 / (3 * (TypeParam(0.5) + std::sqrt(TypeParam(0.125))));
    EXPECT_NEAR(result.info.rcond, right, 4 * epsilon<TypeParam>);
    auto const inverse = run_solve(system, by(path, true));
    TypeParam const q = TypeParam(0.25), h = TypeParam(0.5);
    EXPECT_EQ(parts_of(inverse.X.data), (std::vector<TypeParam>{q, q, 0, -h, h, -h, 0, 0}));
    EXPECT_NEAR(inverse.info.rcond, right, 4 * epsilon<TypeParam>);
  }
}

TYPED_TEST(ComplexSolve, EmptyAndOneByOne) {
  using Complex = Kokkos::complex<TypeParam>;
  for (SolveCall const& call : ways()) {
    auto const nothing = run_solve(HostSystem<Complex>{{0, 0}, {0, 2}}, call);
    EXPECT_EQ(nothing.info.status, Status::success);
    EXPECT_EQ(nothing.info.rcond, 1);
    HostSystem<Complex> one{{1, 1}, {1, 1}};
    one.A(0, 0) = Complex(0, -4);
    one.B(0, 0) = 1;
    auto const found = run_solve(one, call);
    EXPECT_EQ(found.info.status, Status::success);
    EXPECT_EQ(found.info.rcond, 1);
    EXPECT_EQ(found.X(0, 0), Complex(0, TypeParam(0.25)));
  }
}

TYPED_TEST(ComplexSolve, EveryTypeAndOrder) {
  using Complex = Kokkos::complex<TypeParam>;
  for (MatrixType const type : all_matrix_types())
    for (int const n : {1, 2, 3, 4, 8, 9, 17, 33}) {
      auto const A = field::make_field_matrix<Complex>(type, n, n, 5);
      for (bool const inverse : {false, true}) {
        auto const system = system_of(A, by(SolvePath::automatic, inverse), 2);
        auto const exact = exact_solution_of(system);
        for (SolvePath const path : {SolvePath::automatic, SolvePath::team})
          EXPECT_EQ(what_is_wrong(system, exact, run_solve(system, by(path, inverse)), inverse), "")
              << n << ' ' << to_string(type) << ' ' << name_of(by(path, inverse));
      }
    }
}

TYPED_TEST(ComplexSolve, LargerOnes) {
  using Complex = Kokkos::complex<TypeParam>;
  Random random(3);
  for (int const n : {49, 64}) {
    auto const A = drawn<Complex>(random, n, n);
    for (SolveCall const& call : ways()) {
      auto const system = system_of(A, call, 2);
      EXPECT_EQ(what_is_wrong(system, run_solve(system, call), call.inverse), "")
          << n << ' ' << name_of(call);
    }
  }
}

/// The same residuals as LAPACK's gesv, and its estimate of the condition.
TYPED_TEST(ComplexSolve, AsLapack) {
  using Complex = Kokkos::complex<TypeParam>;
  Random random(11);
  for (int const n : {1, 2, 5, 16, 31, 48, 60}) {
    HostSystem<Complex> const system{drawn<Complex>(random, n, n), drawn<Complex>(random, n, 2)};
    auto const lapack = lapack_solution(for_lapack(system.A), for_lapack(system.B));
    if (!lapack) GTEST_SKIP() << "no LAPACKE";
    auto const exact = exact_solution_of(system);
    for (SolvePath const path : {SolvePath::automatic, SolvePath::team}) {
      auto const result = run_solve(system, by(path));
      HostSolve<Complex> theirs{result.info, result.X};
      for (std::size_t k = 0; k < theirs.X.data.size(); ++k) theirs.X.data[k] = lapack->X.data[k];
      double const allowed = 2 * solve_ratios(system, exact, theirs).residual + 0.5;
      EXPECT_LE(solve_ratios(system, exact, result).residual, allowed) << n;
      EXPECT_NEAR(double(result.info.rcond) / lapack->rcond, 1, 0.5) << n;
    }
  }
}

TYPED_TEST(ComplexSolve, SameBitsInAnyCompany) {
  expect_same_bits_in_any_company<Kokkos::complex<TypeParam>>();
}

TYPED_TEST(ComplexSolve, ColumnsAreIndependent) {
  expect_independent_columns<Kokkos::complex<TypeParam>>();
}

TYPED_TEST(ComplexSolve, PowersOfTwoGoThrough) {
  expect_powers_of_two_go_through<Kokkos::complex<TypeParam>>();
}

/// A pivot i·δ whose square is below the range: of [1 1; 1 1+i·δ], whose rows and columns are of
/// one size and are not scaled.
TYPED_TEST(ComplexSolve, PivotsWhoseSquaresVanish) {
  using Complex = Kokkos::complex<TypeParam>;
  TypeParam const delta =
      std::ldexp(TypeParam(1), -3 * std::numeric_limits<TypeParam>::max_exponent / 4);
  for (SolveCall const& call : ways()) {
    HostSystem<Complex> system{HostMatrix<Complex>(2, 2), HostMatrix<Complex>(2, 1)};
    system.A.data = {{1, 0}, {1, 0}, {1, 0}, {1, delta}};
    system.B.data = {{1, 0}, {1, delta}};
    auto const result = run_solve(system, call);
    EXPECT_EQ(result.info.status, Status::success) << name_of(call);
    EXPECT_TRUE(result.info.ill_conditioned);
    EXPECT_NEAR(result.info.rcond / delta, 0.25, 0.01) << name_of(call);
    auto const parts = parts_of(result.X.data);
    std::vector<TypeParam> const solution{0, 0, 1, 0},
        inverse{1, -1 / delta, 0, 1 / delta, 0, 1 / delta, 0, -1 / delta};
    EXPECT_EQ(parts, call.inverse ? inverse : solution) << name_of(call);
  }
}

TYPED_TEST(ComplexSolve, StatusesAreTold) {
  using Complex = Kokkos::complex<TypeParam>;
  using Limits = std::numeric_limits<TypeParam>;
  Random random(8);
  for (int const n : {2, 6, 40, 60})
    for (SolveCall const& call : ways()) {
      auto const told = [&](HostSystem<Complex> const& system, Status status, TypeParam rcond) {
        auto const result = run_solve(system, call);
        EXPECT_EQ(result.info.status, status) << n << name_of(call);
        EXPECT_TRUE(rcond == 0 ? result.info.rcond == 0 : std::isnan(result.info.rcond));
        EXPECT_TRUE(all_nan(parts_of(result.X.data)));
      };
      auto deficient = system_of(drawn<Complex>(random, n, n), call);
      for (int i = 0; i < n; ++i) deficient.A(i, n / 2) = 0;
      told(deficient, Status::singular, 0);
      auto spoilt = system_of(drawn<Complex>(random, n, n), call);
      spoilt.A(n - 1, n - 1).imag() = Limits::infinity();
      told(spoilt, Status::non_finite, 1);
      if (call.inverse) continue;
      spoilt = system_of(drawn<Complex>(random, n, n), call);
      spoilt.B(n - 1, 2).real() = Limits::quiet_NaN();
      told(spoilt, Status::non_finite, 1);
    }
  for (SolveCall const& call : ways()) {
    HostSystem<Complex> system{HostMatrix<Complex>(2, 2), HostMatrix<Complex>(2, 1)};
    system.A.data = {{0, Limits::min() / 8}, {0, 0}, {0, 0}, {1, 0}};
    system.B.data = {1, 1};
    auto const result = run_solve(system, call);
    EXPECT_EQ(result.info.status, Status::overflow) << name_of(call);
    EXPECT_TRUE(std::isinf(result.X(0, 0).imag()));
    EXPECT_EQ(call.inverse ? result.X(1, 1) : result.X(1, 0), Complex(1));
  }
}

}  // namespace
