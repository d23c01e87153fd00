// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <carroll/eigh.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "eigh_instances.hpp"
#include "support/eigh/checks.hpp"
#include "support/eigh/drivers.hpp"
#include "support/eigh/symmetric_matrices.hpp"
#include "unit/eigh/calls.hpp"

namespace {

using namespace carroll::test;
using carroll::EighMethod;
using carroll::EighPath;
using carroll::Status;
using carroll::Triangle;

template <class Real>
class Eigh : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Eigh, Scalars);

constexpr bool has_library = carroll::detail::eigh_backend<Kokkos::DefaultExecutionSpace> ==
                             carroll::detail::EighBackend::library;

/// All ways to decompose a matrix of any kind.
std::vector<EighCall> ways() {
  constexpr bool has_warps = carroll::detail::has_warps<Kokkos::DefaultExecutionSpace>;
  std::vector<EighCall> all(has_warps ? 5 : 4);
  all[1].options.path = EighPath::team;
  all[2].options.path = EighPath::shifted;
  all[3].options.path = EighPath::divided;
  if (has_warps) all[4].options.path = EighPath::warp;
  if constexpr (has_library) {
    all.emplace_back();
    all.back().options.path = EighPath::vendor;
  }
  return all;
}

/// Those that make a matrix tridiagonal.
std::vector<EighCall> ways_by_reflections() {
  auto all = ways();
  std::erase_if(all, [](EighCall const& call) {
    return call.options.path == EighPath::shifted || call.options.path == EighPath::vendor;
  });
  return all;
}

/// Those of them that take QL steps, up to a limit.
std::vector<EighCall> ways_by_steps() {
  auto all = ways_by_reflections();
  std::erase_if(all, [](EighCall const& call) { return call.options.path == EighPath::divided; });
  return all;
}

EighCall shifted() {
  EighCall call;
  call.options.path = EighPath::shifted;
  return call;
}

std::vector<EighCall> ways_and_definite() {
  auto all = ways();
  all.push_back(definite());
  return all;
}

TYPED_TEST(Eigh, KnownTwoByTwo) {
  for (EighCall const& call : ways_and_definite()) {
    auto const result = run_eigh(two_by_two<TypeParam>(2, 1, 2), call);
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_EQ(result.info.rank, 2);
    EXPECT_EQ(result.info.negative, 0);
    TypeParam const eps = 4 * std::numeric_limits<TypeParam>::epsilon();
    EXPECT_NEAR(result.W[0], 1, eps);
    EXPECT_NEAR(result.W[1], 3, 2 * eps);
    TypeParam const half = std::sqrt(TypeParam(0.5));
    EXPECT_NEAR(std::abs(result.V(0, 0)), half, eps);
    EXPECT_LT(result.V(0, 0) * result.V(1, 0), 0);
    EXPECT_NEAR(result.V(0, 1), half, eps);
    EXPECT_NEAR(result.V(1, 1), half, eps);
  }
}

TYPED_TEST(Eigh, EmptyAndOneByOne) {
  for (EighCall const& call : ways_and_definite()) {
    EXPECT_EQ(run_eigh(HostMatrix<TypeParam>(0, 0), call).info.status, Status::success);
    HostMatrix<TypeParam> A(1, 1);
    A(0, 0) = TypeParam(0.7);
    auto const result = run_eigh(A, call);
    EXPECT_NEAR(result.W[0], 0.7, 2 * std::numeric_limits<TypeParam>::epsilon());
    EXPECT_EQ(result.V(0, 0), 1);
  }
}

TYPED_TEST(Eigh, DiagonalIsSortedExactly) {
  HostMatrix<TypeParam> A(4, 4);
  TypeParam const values[] = {3, TypeParam(-1e-30), 7, -2};
  for (int k = 0; k < 4; ++k) A(k, k) = values[k];
  for (EighCall const& call : ways_by_reflections()) {
    auto const result = run_eigh(A, call);
    EXPECT_EQ(result.W, (std::vector<TypeParam>{-2, TypeParam(-1e-30), 3, 7}));
    EXPECT_EQ(result.V(3, 0), 1);
    EXPECT_EQ(result.V(1, 1), 1);
    EXPECT_EQ(result.V(0, 2), 1);
    EXPECT_EQ(result.info.rank, 3);
    EXPECT_EQ(result.info.negative, 1);
    EXPECT_EQ(result.info.sweeps, 0);
  }
}

TYPED_TEST(Eigh, DiagonalByShift) {
  HostMatrix<TypeParam> A(5, 5);
  TypeParam const values[] = {3, TypeParam(-1e-30), 7, -2, TypeParam(0.5)};
  for (int k = 0; k < 5; ++k) A(k, k) = values[k];
  auto const result = run_eigh(A, shifted());
  EXPECT_EQ(what_is_wrong(A, result, true), "");
  EXPECT_EQ(result.info.rank, 4);
  EXPECT_EQ(result.info.negative, 1);
  A(3, 3) = 2;
  A(1, 1) = TypeParam(1e-30);  // diagonally dominant: nothing is shifted, nothing lost
  EXPECT_EQ(run_eigh(A, shifted()).W,
            (std::vector<TypeParam>{TypeParam(1e-30), TypeParam(0.5), 2, 3, 7}));
}

TYPED_TEST(Eigh, EveryTypeAndSize) {
  Random random(11);
  for (int const n : {2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 65})
    for (int type = 0; type < symmetric_types; ++type) {
      auto const kind = static_cast<SymmetricType>(type);
      auto const A = symmetric_matrix<TypeParam>(random, kind, n);
      for (EighCall const& call : ways())
        EXPECT_EQ(what_is_wrong(A, run_eigh(A, call), n < 20), "")
            << n << ' ' << to_string(kind) << ' ' << to_string(call.options.path);
    }
}

TYPED_TEST(Eigh, ValuesAreTheSameWithoutVectors) {
  Random random(12);
  for (int const n : {1, 6, 33, 130})
    for (EighCall call : ways_and_definite()) {
      auto const A = whole_gram<TypeParam>(random, n, n);
      auto const both = run_eigh(A, call);
      call.vectors = false;
      EXPECT_TRUE(same_result(run_eigh(A, call), both)) << n;
    }
}

TYPED_TEST(Eigh, EitherTriangle) {
  Random random(13);
  auto const A = symmetric_matrix<TypeParam>(random, SymmetricType::random, 19);
  for (EighCall call : ways()) {
    auto const lower = run_eigh(A, call);
    call.options.triangle = Triangle::upper;
    EXPECT_TRUE(same_result(run_eigh(A, call), lower));
  }
}

/// Beside others, of any layout, with a workspace, and ragged: more members than a register has.
TYPED_TEST(Eigh, SameBitsInAnyCompany) {
  Random random(14);
  for (int const n : {3, 8, 21, 140})
    for (EighCall call : ways_and_definite()) {
      std::vector<HostMatrix<TypeParam>> matrices;
      for (int b = 0; b < (n > 50 ? 3 : 37); ++b)
        matrices.push_back(b % 5 == 3 ? HostMatrix<TypeParam>(n, n)
                                      : whole_gram<TypeParam>(random, n, 1 + b % n));
      std::vector<HostEigh<TypeParam>> alone;
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
      auto company = matrices;
      company.insert(company.begin() + 1, HostMatrix<TypeParam>(0, 0));
      company.insert(company.begin() + 1, whole_gram<TypeParam>(random, 5, 5));
      auto const ragged = run_eigh_ragged(company, call);
      for (std::size_t b = 1; b < alone.size(); ++b)
        EXPECT_TRUE(same_result(ragged[b + 2], alone[b])) << n << ' ' << b;
    }
}

TYPED_TEST(Eigh, PowersOfTwoGoThrough) {
  Random random(15);
  auto const A = symmetric_matrix<TypeParam>(random, SymmetricType::uniform01, 12);
  for (EighCall const& call : ways()) {
    auto const expected = run_eigh(A, call);
    for (int const shift : {-100, 3, 100}) {
      auto const result = run_eigh(scaled_by_power_of_two(A, shift), call);
      EXPECT_TRUE(same_bits(result.V, expected.V));
      for (std::size_t k = 0; k < expected.W.size(); ++k)
        EXPECT_EQ(result.W[k], std::ldexp(expected.W[k], shift));
    }
  }
}

TYPED_TEST(Eigh, NonFiniteIsRefusedAndDisturbsNobody) {
  Random random(16);
  for (EighCall const& call : ways_and_definite()) {
    std::vector<HostMatrix<TypeParam>> matrices;
    for (int b = 0; b < 9; ++b) matrices.push_back(whole_gram<TypeParam>(random, 6, 6));
    auto const before = run_eigh_batch(matrices, call);
    matrices[2](4, 1) = matrices[2](1, 4) = std::numeric_limits<TypeParam>::quiet_NaN();
    matrices[5](0, 0) = -std::numeric_limits<TypeParam>::infinity();
    auto const after = run_eigh_batch(matrices, call);
    for (std::size_t b = 0; b < matrices.size(); ++b) {
      if (b != 2 && b != 5) {
        EXPECT_TRUE(same_result(after[b], before[b]));
        continue;
      }
      EXPECT_EQ(after[b].info.status, Status::non_finite);
      EXPECT_TRUE(all_nan(after[b].W) && all_nan(after[b].V.data));
    }
  }
}

TYPED_TEST(Eigh, OverflowIsTold) {
  TypeParam const most = std::numeric_limits<TypeParam>::max();
  for (EighCall const& call : ways()) {
    auto const result = run_eigh(two_by_two(most, most, most), call);
    EXPECT_EQ(result.info.status, Status::overflow);
    EXPECT_TRUE(std::isinf(result.W[1]));
    EXPECT_TRUE(std::isfinite(result.W[0]));
    EXPECT_NEAR(result.V(0, 1), std::sqrt(0.5), 1e-6);
  }
}

TYPED_TEST(Eigh, LimitOfSteps) {
  Random random(17);
  auto const A = symmetric_matrix<TypeParam>(random, SymmetricType::random, 20);
  for (EighCall call : ways_by_steps()) {
    call.options.max_sweeps = 1;
    auto const result = run_eigh(A, call);
    EXPECT_EQ(result.info.status, Status::not_converged);
    EXPECT_EQ(result.info.sweeps, 20);
    EXPECT_LE(eigh_ratios(A, result).orthogonality, 10);
    call.options.max_sweeps = std::numeric_limits<int>::max();
    EXPECT_EQ(run_eigh(A, call).info.status, Status::success);
  }
}

TYPED_TEST(Eigh, LimitOfSweeps) {
  Random random(18);
  auto const A = symmetric_matrix<TypeParam>(random, SymmetricType::random, 40);
  EighCall call = shifted();
  call.options.max_sweeps = 1;
  auto const result = run_eigh(A, call);
  EXPECT_EQ(result.info.status, Status::not_converged);
  EXPECT_EQ(result.info.sweeps, 1);
  call.options.max_sweeps = std::numeric_limits<int>::max();
  EXPECT_EQ(run_eigh(A, call).info.status, Status::success);
}

}  // namespace
