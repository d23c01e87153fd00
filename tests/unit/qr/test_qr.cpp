// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <carroll/qr.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "decompositions/qr_instances.hpp"
#include "support/field_matrix.hpp"
#include "support/qr/checks.hpp"
#include "support/qr/drivers.hpp"
#include "support/random.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::QrMode;
using carroll::QrPath;
using carroll::Status;

template <class Value>
class Qr : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Qr, Scalars);

QrCall way(QrPath path, bool pivoted = false, QrMode mode = QrMode::thin) {
  QrCall call;
  call.options.path = path;
  call.pivoted = pivoted;
  call.mode = mode;
  return call;
}

/// All ways to factorise a matrix of this type.
template <class Value>
std::vector<QrCall> ways() {
  if (is_complex<Value>)
    return {way(QrPath::automatic), way(QrPath::team), way(QrPath::automatic, true),
            way(QrPath::team, true), way(QrPath::host_block)};
  return {way(QrPath::automatic),
          way(QrPath::team),
          way(QrPath::host_block),
          way(QrPath::tiled),
          way(QrPath::automatic, true),
          way(QrPath::team, true),
          way(QrPath::host_block, true),
          way(QrPath::tiled, true),
          way(QrPath::slim),
          way(QrPath::slim, true),
          way(QrPath::tall)};
}

template <class Real>
constexpr Real not_a_number = std::numeric_limits<Real>::quiet_NaN();
template <class Real>
constexpr Real infinite = std::numeric_limits<Real>::infinity();

template <class Value>
bool refused(HostQr<Value> const& result) {
  return all_nan(parts_of(result.Q.data)) && all_nan(parts_of(result.R.data));
}

std::string name_of(QrCall const& call) {
  return std::string(to_string(call.options.path)) + (call.pivoted ? ", pivoted" : "");
}

TYPED_TEST(Qr, KnownThreeByTwo) {
  HostMatrix<TypeParam> A(3, 2);
  A.data = {3, 0, 4, -5, 2, 10};  // A = Q·[5 5; 0 √104]
  for (QrCall const& call :
       {way(QrPath::automatic), way(QrPath::team), way(QrPath::host_block), way(QrPath::tiled)}) {
    auto const result = run_qr(A, call);
    double const eps = 16 * epsilon<RealOf<TypeParam>>;
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_EQ(result.info.rank, -1);
    EXPECT_NEAR(real_part(result.R(0, 0)), 5, eps);
    EXPECT_NEAR(real_part(result.R(0, 1)), 5, eps);
    EXPECT_EQ(result.R(1, 0), TypeParam(0));
    EXPECT_NEAR(real_part(result.R(1, 1)), std::sqrt(104.0), 2 * eps);
    EXPECT_NEAR(real_part(result.Q(0, 0)), 0.6, eps);
    EXPECT_NEAR(real_part(result.Q(2, 0)), 0.8, eps);
  }
  auto const pivoted = run_qr(A, way(QrPath::automatic, true));
  EXPECT_EQ(pivoted.P, (std::vector<int>{1, 0}));
  EXPECT_EQ(pivoted.info.rank, 2);
}

TYPED_TEST(Qr, EmptyAndOneByOne) {
  for (QrCall call : ways<TypeParam>())
    for (QrMode const mode : {QrMode::r, QrMode::thin, QrMode::full}) {
      call.mode = mode;
      for (auto const& [m, n] : {std::pair(0, 0), {0, 3}, {3, 0}, {0, 70}, {5000, 0}}) {
        if (m == 5000 && mode == QrMode::full) continue;
        auto const result = run_qr(HostMatrix<TypeParam>(m, n), call);
        EXPECT_EQ(what_is_wrong(HostMatrix<TypeParam>(m, n), result), "")
            << m << ' ' << n << name_of(call);
      }
      HostMatrix<TypeParam> A(1, 1);
      A(0, 0) = RealOf<TypeParam>(-0.7);
      auto const result = run_qr(A, call);
      double const eps = 2 * epsilon<RealOf<TypeParam>>;
      EXPECT_NEAR(real_part(result.R(0, 0)), 0.7, eps);
      if (mode == QrMode::r) continue;
      EXPECT_NEAR(real_part(result.Q(0, 0)), -1, eps);
    }
}

TYPED_TEST(Qr, EveryTypeAndShape) {
  std::vector<std::pair<int, int>> const shapes{{1, 1},  {1, 6},   {6, 1},  {2, 2},   {3, 7},
                                                {7, 3},  {8, 8},   {9, 5},  {17, 16}, {33, 32},
                                                {65, 4}, {20, 50}, {50, 50}};
  for (MatrixType const type : all_matrix_types())
    for (auto const& [m, n] : shapes) {
      auto const A = field::make_field_matrix<TypeParam>(type, m, n, 5);
      for (QrCall const& call : ways<TypeParam>())
        EXPECT_EQ(what_is_wrong(A, run_qr(A, call)), "")
            << m << "×" << n << ' ' << to_string(type) << ' ' << name_of(call);
    }
}

TYPED_TEST(Qr, LargerOnes) {
  Random random(3);
  for (auto const& [m, n] :
       {std::pair(100, 90), {200, 49}, {70, 130}, {1000, 3}, {4097, 2}, {129, 128}}) {
    auto const A = field::random_matrix<TypeParam>(random, m, n);
    for (QrCall const& call : ways<TypeParam>())
      EXPECT_EQ(what_is_wrong(A, run_qr(A, call)), "") << m << "×" << n << ' ' << name_of(call);
  }
}

/// R alone, with thin Q and with full Q: the same bits where they have the same entries.
TYPED_TEST(Qr, SameBitsInEveryMode) {
  Random random(4);
  for (auto const& [m, n] : {std::pair(7, 4), {4, 7}, {13, 13}, {90, 50}, {50, 90}, {40, 3}}) {
    auto const A = field::random_matrix<TypeParam>(random, m, n);
    for (QrCall call : ways<TypeParam>()) {
      auto const thin = run_qr(A, call);
      for (QrMode const mode : {QrMode::r, QrMode::full}) {
        call.mode = mode;
        auto const other = run_qr(A, call);
        EXPECT_TRUE(same_result(other, thin)) << m << "×" << n << ' ' << name_of(call);
        EXPECT_EQ(what_is_wrong(A, other), "") << m << "×" << n << ' ' << name_of(call);
      }
    }
  }
}

/// Beside others, of any layout, with a workspace, and ragged: more members than a register has.
TYPED_TEST(Qr, SameBitsInAnyCompany) {
  Random random(5);
  for (auto const& [m, n] : {std::pair(3, 3), {8, 5}, {5, 9}, {21, 20}, {70, 60}})
    for (QrCall call : ways<TypeParam>()) {
      std::vector<HostMatrix<TypeParam>> matrices;
      for (int b = 0; b < (n > 50 ? 3 : 37); ++b)
        matrices.push_back(
            b % 5 == 3 ? field::make_field_matrix<TypeParam>(MatrixType::rank_deficient, m, n, 1)
                       : field::random_matrix<TypeParam>(random, m, n));
      std::vector<HostQr<TypeParam>> alone;
      for (auto const& A : matrices) alone.push_back(run_qr(A, call));
      for (ViewLayout const layout : {ViewLayout::left, ViewLayout::right, ViewLayout::stride}) {
        call.layout = layout;
        call.workspace = layout == ViewLayout::right;
        auto const together = run_qr_batch(matrices, call);
        for (std::size_t b = 0; b < alone.size(); ++b) {
          EXPECT_TRUE(same_result(together[b], alone[b])) << m << ' ' << n << ' ' << b;
          EXPECT_TRUE(together[b].guarded);
        }
      }
      auto company = matrices;
      company.insert(company.begin() + 1, HostMatrix<TypeParam>(0, 4));
      company.insert(company.begin() + 1, field::random_matrix<TypeParam>(random, 60, 55));
      auto const ragged = run_qr_ragged(company, call);
      for (std::size_t b = 1; b < alone.size(); ++b)
        EXPECT_TRUE(same_result(ragged[b + 2], alone[b])) << m << ' ' << n << ' ' << b;
    }
}

TYPED_TEST(Qr, PowersOfTwoGoThrough) {
  Random random(6);
  for (int const n : {6, 60}) {
    auto const A = field::random_matrix<TypeParam>(random, 12, n);
    for (QrCall const& call : ways<TypeParam>()) {
      auto const expected = run_qr(A, call);
      for (int const shift : {-100, 3, 100}) {
        auto const moved = [shift](HostMatrix<TypeParam> M) {
          for (TypeParam& x : M.data) x = carroll::detail::scale_parts(x, shift);
          return M;
        };
        auto const result = run_qr(moved(A), call);
        EXPECT_TRUE(same_bits(parts_of(result.Q.data), parts_of(expected.Q.data))) << name_of(call);
        EXPECT_TRUE(same_bits(parts_of(result.R.data), parts_of(moved(expected.R).data)));
        EXPECT_EQ(result.P, expected.P);
      }
    }
  }
}

TYPED_TEST(Qr, NonFiniteIsRefusedAndDisturbsNobody) {
  Random random(7);
  for (QrCall const& call : ways<TypeParam>()) {
    std::vector<HostMatrix<TypeParam>> matrices;
    for (int b = 0; b < 9; ++b) matrices.push_back(field::random_matrix<TypeParam>(random, 6, 5));
    auto const before = run_qr_batch(matrices, call);
    matrices[2](4, 1) = not_a_number<RealOf<TypeParam>>;
    matrices[5](0, 0) = -infinite<RealOf<TypeParam>>;
    auto const after = run_qr_batch(matrices, call);
    for (std::size_t b = 0; b < matrices.size(); ++b) {
      if (b != 2 && b != 5) {
        EXPECT_TRUE(same_result(after[b], before[b]));
        continue;
      }
      EXPECT_EQ(after[b].info.status, Status::non_finite);
      EXPECT_TRUE(refused(after[b])) << name_of(call);
      EXPECT_EQ(after[b].P, call.pivoted ? std::vector<int>({0, 1, 2, 3, 4}) : std::vector<int>());
    }
  }
}

/// In either part of a complex number.
TYPED_TEST(Qr, NonFiniteIsSeenWhereverItIs) {
  using Real = RealOf<TypeParam>;
  Random random(17);
  std::vector<HostMatrix<TypeParam>> matrices;
  for (std::size_t k = 0; k < 60; ++k) {
    Real const bad = k % 2 == 0 ? not_a_number<Real> : -infinite<Real>;
    auto A = field::random_matrix<TypeParam>(random, 6, 5), B = A;
    A.data[k / 2] = bad;
    if constexpr (is_complex<TypeParam>) B.data[k / 2].imag() = bad;
    matrices.push_back(A);
    if (is_complex<TypeParam>) matrices.push_back(B);
  }
  for (QrCall const& call : ways<TypeParam>())
    for (auto const& result : run_qr_batch(matrices, call)) {
      EXPECT_EQ(result.info.status, Status::non_finite) << name_of(call);
      EXPECT_TRUE(refused(result)) << name_of(call);
    }
}

/// All threads of a team have to know before one of them goes on.
TYPED_TEST(Qr, NonFiniteIsSeenByAllThreadsOfATeam) {
  Random random(8);
  auto A = field::random_matrix<TypeParam>(random, 70, 64);
  A(3, 63) = not_a_number<RealOf<TypeParam>>;
  for (QrCall const& call : ways<TypeParam>()) {
    for (int again = 0; again < 10; ++again) {
      auto const result = run_qr(A, call);
      EXPECT_EQ(result.info.status, Status::non_finite);
      EXPECT_TRUE(refused(result)) << name_of(call);
    }
  }
}

TYPED_TEST(Qr, OverflowIsTold) {
  HostMatrix<TypeParam> A(2, 2);
  A.data.assign(4, std::numeric_limits<RealOf<TypeParam>>::max());
  for (QrCall const& call : ways<TypeParam>()) {
    auto const result = run_qr(A, call);
    EXPECT_EQ(result.info.status, Status::overflow) << name_of(call);
    EXPECT_TRUE(std::isinf(real_part(result.R(0, 0))));
    EXPECT_NEAR(real_part(result.Q(0, 0)), std::sqrt(0.5), 1e-6);
  }
}

TYPED_TEST(Qr, RankIsRevealed) {
  for (int const n : {3, 10, 40, 60})
    for (int const rank : {0, 1, n / 2, n}) {
      auto sigma = geometric_spectrum(n, 1e-2);
      for (int k = rank; k < n; ++k) sigma[static_cast<std::size_t>(k)] = 0;
      auto const B = random_with_spectrum(n + 3, n, sigma, 9);
      HostMatrix<TypeParam> A(n + 3, n);
      for (std::size_t k = 0; k < A.data.size(); ++k)
        A.data[k] = static_cast<RealOf<TypeParam>>(B.data[k]);
      for (QrCall call :
           {way(QrPath::automatic, true), way(QrPath::team, true), way(QrPath::host_block, true)}) {
        call.options.rank_tolerance = 100 * epsilon<RealOf<TypeParam>>;
        EXPECT_EQ(run_qr(A, call).info.rank, rank) << n << name_of(call);
      }
    }
}

/// Integers: columns that depend on others leave nothing, exactly or to rounding.
TYPED_TEST(Qr, EqualColumnsGoInTheirOrder) {
  HostMatrix<TypeParam> A(4, 3);
  A.data = {1, 2, 3, 4, 1, 2, 3, 4, 0, 0, 0, 0};
  for (QrCall const& call :
       {way(QrPath::automatic, true), way(QrPath::team, true), way(QrPath::host_block, true)}) {
    auto const result = run_qr(A, call);
    EXPECT_EQ(result.P[0], 0);
    EXPECT_EQ(result.info.rank, 1);
  }
}

}  // namespace
