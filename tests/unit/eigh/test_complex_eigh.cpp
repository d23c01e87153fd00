// SPDX-License-Identifier: BSD-3-Clause
// Complex Hermitian matrices: known ones, every type against LAPACK's ratios and 113-bit
// arithmetic, and what is promised of bits, scales and statuses.
#include <gtest/gtest.h>

#include <carroll/eigh.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "calls.hpp"
#include "eigh_instances.hpp"
#include "support/eigh/checks.hpp"
#include "support/eigh/drivers.hpp"
#include "support/eigh/hermitian_matrices.hpp"
#include "support/eigh/quad_eigenvalues.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::EighMethod;
using carroll::EighPath;
using carroll::Status;
using carroll::Triangle;

template <class Real>
class ComplexEigh : public ::testing::Test {};
using ComplexEighPrecisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexEigh, ComplexEighPrecisions);

TYPED_TEST(ComplexEigh, KnownTwoByTwo) {
  using Complex = Kokkos::complex<TypeParam>;
  for (EighCall const& call : complex_ways_and_definite()) {
    auto const result = run_eigh(pair_of<TypeParam>(2, Complex(0, 1), 2), call);
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_EQ(result.info.rank, 2);
    EXPECT_EQ(result.info.negative, 0);
    TypeParam const eps = 6 * std::numeric_limits<TypeParam>::epsilon();
    EXPECT_NEAR(result.W[0], 1, eps);
    EXPECT_NEAR(result.W[1], 3, 2 * eps);
    TypeParam const half = std::sqrt(TypeParam(0.5));
    for (int j = 0; j < 2; ++j) {
      // (1, -i)/√2 and (1, i)/√2, or the same times ∓i, where rounding makes the second the larger.
      auto const ratio = result.V(1, j) / result.V(0, j);
      EXPECT_NEAR(ratio.imag(), j == 0 ? -1 : 1, 2 * eps);
      EXPECT_NEAR(ratio.real(), 0, 2 * eps);
      EXPECT_NEAR(Kokkos::abs(result.V(0, j)), half, eps);
    }
  }
}

TYPED_TEST(ComplexEigh, EmptyAndOneByOne) {
  for (EighCall const& call : complex_ways_and_definite()) {
    EXPECT_EQ(run_eigh(Hermitian<TypeParam>(0, 0), call).info.status, Status::success);
    Hermitian<TypeParam> A(1, 1);
    A(0, 0) = TypeParam(0.7);
    auto const result = run_eigh(A, call);
    EXPECT_NEAR(result.W[0], 0.7, 2 * std::numeric_limits<TypeParam>::epsilon());
    EXPECT_EQ(result.V(0, 0).real(), 1);
    EXPECT_EQ(result.V(0, 0).imag(), 0);
  }
}

TYPED_TEST(ComplexEigh, EveryTypeAndSize) {
  Random random(31);
  for (int const n : {2, 3, 4, 5, 8, 9, 16, 17, 31, 33, 45})
    for (int type = 0; type < symmetric_types; ++type) {
      auto const kind = static_cast<SymmetricType>(type);
      auto const A = hermitian_matrix<TypeParam>(random, kind, n);
      for (EighCall const& call : complex_ways())
        EXPECT_EQ(what_is_wrong(A, run_eigh(A, call), n < 10), "")
            << n << ' ' << to_string(kind) << ' ' << to_string(call.options.path);
    }
}

/// ±1 and ±i do not change eigenvalues.
TYPED_TEST(ComplexEigh, EigenvaluesOfATurnedMatrix) {
  Random random(32);
  for (int const n : {6, 20, 60}) {
    auto const S = symmetric_matrix<TypeParam>(random, SymmetricType::random, n);
    for (EighCall const& call : complex_ways()) {
      auto const result = run_eigh(turned(random, S), call);
      EXPECT_LE(eigenvalue_error(S, result.W), ratio_bar) << n;
    }
  }
}

/// Of D·H·D cholesky_jacobi finds every eigenvalue to 50·n·ε·cond(H).
TYPED_TEST(ComplexEigh, EveryEigenvalueOfScaledDefinite) {
  Random random(33);
  bool const is_double = sizeof(TypeParam) == 8;
  auto const call = hermitian_call(EighMethod::cholesky_jacobi);
  for (int const n : {2, 3, 8, 20})
    for (double const condition : {2.0, 30.0, is_double ? 1e6 : 300.0})
      for (int const spread : {1, 20, is_double ? 250 : 30}) {
        auto const drawn = scaled_hermitian<TypeParam>(random, n, condition, spread);
        auto const result = run_eigh(drawn.A, call);
        auto const values = quad_eigenvalues(embedded(drawn.H));
        double const exact = static_cast<double>(values.back() / values.front());
        EXPECT_EQ(what_is_wrong(drawn.A, result, false), "");
        EXPECT_LE(eigenvalue_error(drawn.A, result.W, true), 50 * exact)
            << n << ' ' << condition << ' ' << spread;
      }
  // The other methods need not: the matrices are hard.
  auto const hard = scaled_hermitian<TypeParam>(random, 10, 2, 40);
  EXPECT_GT(eigenvalue_error(hard.A, run_eigh(hard.A).W, true), 1e6);
}

TYPED_TEST(ComplexEigh, ValuesAreTheSameWithoutVectors) {
  Random random(34);
  for (int const n : {1, 6, 33, 50})
    for (EighCall call : complex_ways_and_definite()) {
      auto const A = complex_gram<TypeParam>(random, n, n);
      auto const both = run_eigh(A, call);
      call.vectors = false;
      EXPECT_TRUE(same_result(run_eigh(A, call), both)) << n;
    }
}

TYPED_TEST(ComplexEigh, EitherTriangle) {
  Random random(35);
  auto const A = hermitian_matrix<TypeParam>(random, SymmetricType::random, 19);
  for (EighCall call : complex_ways_and_definite()) {
    auto const lower = run_eigh(A, call);
    call.options.triangle = Triangle::upper;
    EXPECT_TRUE(same_result(run_eigh(A, call), lower));
  }
}

/// Beside others, of any layout and with a workspace: more members than a register has.
TYPED_TEST(ComplexEigh, SameBitsInAnyCompany) {
  Random random(36);
  for (int const n : {3, 8, 21, 46})
    for (EighCall call : complex_ways_and_definite()) {
      std::vector<Hermitian<TypeParam>> matrices;
      for (int b = 0; b < (n > 20 ? 5 : 37); ++b)
        matrices.push_back(b % 5 == 3 ? Hermitian<TypeParam>(n, n)
                                      : complex_gram<TypeParam>(random, n, 1 + b % n));
      std::vector<HostEigh<Kokkos::complex<TypeParam>>> alone;
      for (auto const& A : matrices) alone.push_back(run_eigh(A, call));
      for (ViewLayout const layout : {ViewLayout::left, ViewLayout::right, ViewLayout::stride}) {
        call.layout = layout;
        call.workspace = layout == ViewLayout::right;
        auto const together = run_eigh_batch(matrices, call);
        for (std::size_t b = 0; b < alone.size(); ++b) {
          EXPECT_TRUE(same_result(together[b], alone[b])) << n << ' ' << b;
          EXPECT_TRUE(together[b].guarded);
        }
      }
    }
}

TYPED_TEST(ComplexEigh, PowersOfTwoGoThrough) {
  Random random(37);
  auto const A = hermitian_matrix<TypeParam>(random, SymmetricType::uniform01, 12);
  for (EighCall const& call : complex_ways()) {
    auto const expected = run_eigh(A, call);
    for (int const shift : {-90, 3, 90}) {
      auto const result = run_eigh(scaled_by_power_of_two(A, shift), call);
      EXPECT_TRUE(same_bits(result.V, expected.V));
      for (std::size_t k = 0; k < expected.W.size(); ++k)
        EXPECT_EQ(result.W[k], std::ldexp(expected.W[k], shift));
    }
  }
}

TYPED_TEST(ComplexEigh, NonFiniteIsRefusedAndDisturbsNobody) {
  Random random(38);
  for (EighCall const& call : complex_ways_and_definite()) {
    std::vector<Hermitian<TypeParam>> matrices;
    for (int b = 0; b < 9; ++b) matrices.push_back(complex_gram<TypeParam>(random, 6, 6));
    auto const before = run_eigh_batch(matrices, call);
    matrices[2](4, 1).imag(std::numeric_limits<TypeParam>::quiet_NaN());
    matrices[5](0, 0) = -std::numeric_limits<TypeParam>::infinity();
    auto const after = run_eigh_batch(matrices, call);
    for (std::size_t b = 0; b < matrices.size(); ++b) {
      if (b != 2 && b != 5) {
        EXPECT_TRUE(same_result(after[b], before[b]));
        continue;
      }
      EXPECT_EQ(after[b].info.status, Status::non_finite);
      EXPECT_TRUE(all_nan(after[b].W) && all_nan(parts_of(after[b].V.data)));
    }
  }
}

TYPED_TEST(ComplexEigh, StatusesAreTold) {
  using Complex = Kokkos::complex<TypeParam>;
  TypeParam const most = std::numeric_limits<TypeParam>::max();
  for (EighCall const& call : complex_ways()) {
    auto const result = run_eigh(pair_of<TypeParam>(most, Complex(0, most), most), call);
    EXPECT_EQ(result.info.status, Status::overflow);
    EXPECT_TRUE(std::isinf(result.W[1]) && std::isfinite(result.W[0]));
  }
  Random random(39);
  Kokkos::DefaultExecutionSpace const exec;
  auto const A = hermitian_matrix<TypeParam>(random, SymmetricType::random, 20);
  for (EighCall call : complex_ways()) {
    call.options.max_sweeps = 1;
    auto const workspace = carroll::eigh_workspace<Complex>(exec, {.n = 20}, call.options);
    if (workspace.path() == EighPath::divided) continue;  // which it means nothing to
    auto const result = run_eigh(A, call);
    EXPECT_EQ(result.info.status, Status::not_converged);
    EXPECT_LE(eigh_ratios(A, result).orthogonality, ratio_bar);
    EXPECT_EQ(run_eigh(A).info.status, Status::success);
  }
  auto const definite = hermitian_call(EighMethod::cholesky_jacobi);
  // Divided by the roots of the last one's diagonal an entry leaves the range.
  int const far = std::numeric_limits<TypeParam>::max_exponent / 4 * 3;
  TypeParam const large = std::ldexp(TypeParam(1), far), small = 1 / large;
  for (auto const& indefinite :
       {pair_of<TypeParam>(1, Complex(0, 2), 1), pair_of<TypeParam>(0, Complex(1, 1), 0),
        pair_of<TypeParam>(-1, Complex(), 1),
        pair_of<TypeParam>(small, Complex(large, 0), small)}) {
    auto const result = run_eigh(indefinite, definite);
    EXPECT_EQ(result.info.status, Status::breakdown);
    EXPECT_TRUE(all_nan(result.W) && all_nan(parts_of(result.V.data)));
  }
  for (int const rank : {0, 1, 8, 15}) {
    auto const semidefinite = complex_gram<TypeParam>(random, 16, rank);
    auto const result = run_eigh(semidefinite, definite);
    EXPECT_EQ(what_is_wrong(semidefinite, result, false), "") << rank;
    EXPECT_LE(result.info.rank, rank);
  }
}

TEST(ComplexEighWorkspace, SaysWhatItIs) {
  Kokkos::DefaultExecutionSpace const exec;
  using Complex = Kokkos::complex<double>;
  auto const large = carroll::eigh_workspace<Complex>(exec, {.batch = 3, .n = 300});
  constexpr bool on_host = carroll::detail::lanes<Kokkos::DefaultExecutionSpace> == 1;
  EXPECT_EQ(large.path(), on_host ? EighPath::shifted : EighPath::divided);
  EXPECT_GE(large.bytes(), 3U * 300 * 300 * sizeof(Complex));
  // What complex matrices do not have gives way.
  auto const asked = carroll::eigh_workspace<Complex>(exec, {.n = 8}, {.path = EighPath::team});
  EXPECT_EQ(asked.path(), EighPath::shifted);
}

}  // namespace
