// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carroll/determinant_ragged.hpp>
#include <cstring>
#include <limits>
#include <vector>

#include "determinant_instances.hpp"
#include "support/determinant/ragged_matrices.hpp"
#include "unit/determinant/orders_and_scalars.hpp"

namespace {

using namespace carroll::test;
using carroll::DeterminantInfo;
using carroll::DeterminantMember;
using carroll::DeterminantMethod;
using carroll::Status;

TEST(DeterminantMembers, FollowEachOther) {
  auto const members = carroll::determinant_members(std::vector<std::int64_t>{3, 0, 100'000, 2});
  ASSERT_EQ(members.size(), 4U);
  EXPECT_EQ(members[1].a, 9);
  EXPECT_EQ(members[2].a, 9);
  EXPECT_EQ(members[2].n, 100'000);
  EXPECT_EQ(members[3].a, 10'000'000'009);
  EXPECT_TRUE(carroll::determinant_members({}).empty());
}

TEST(DeterminantMembers, StandBetweenOffsets) {
  // The last number of entries is odd and beyond 2^53: no double.
  constexpr std::int64_t large = 2'147'483'629;
  auto const members = carroll::determinant_members_between(
      std::vector<std::int64_t>{5, 14, 14, 15, 15 + large * large});
  ASSERT_EQ(members.size(), 4U);
  std::int64_t const orders[] = {3, 0, 1, large}, firsts[] = {5, 14, 14, 15};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(members[k].n, orders[k]);
    EXPECT_EQ(members[k].a, firsts[k]);
  }
  EXPECT_TRUE(carroll::determinant_members_between(std::vector<std::int64_t>{7}).empty());
}

/// Orders of every path, twice where a launch takes several, in no order.
std::vector<int> const mixed_orders{17, 0, 3, 150, 1, 64, 5, 33, 2, 3, 17, 100, 150, 131, 4, 96};

template <class T>
class DeterminantRagged : public ::testing::Test {};
TYPED_TEST_SUITE(DeterminantRagged, Scalars);

TYPED_TEST(DeterminantRagged, EveryMemberHasTheBitsThatItHasAlone) {
  using T = TypeParam;
  using Limits = std::numeric_limits<RealOf<T>>;
  Exec const exec;
  RaggedMatrices<T> const random(mixed_orders, 5);
  auto matrices = random.matrices;
  matrices[5].data[70] = Limits::quiet_NaN();
  matrices[12].data.back() = Limits::infinity();
  std::fill(matrices[7].data.begin(), matrices[7].data.begin() + 33, T(0));  // a zero column
  RaggedMatrices<T> ragged(matrices);
  for (DeterminantMethod const method : all_determinant_methods) {
    std::vector<DeterminantInfo<T>> alone;
    for (auto const& matrix : matrices) alone.push_back(run_determinant(matrix, {method}));
    auto const check = [&](auto const& infos) {
      ASSERT_EQ(infos.size(), matrices.size());
      for (std::size_t b = 0; b < matrices.size(); ++b) {
        EXPECT_TRUE(same_bits(infos[b], alone[b])) << ::testing::PrintToString(method) << ' ' << b;
        EXPECT_EQ(infos[b].status == Status::non_finite, b == 5 || b == 12) << b;
      }
    };
    auto const& A = ragged.A;
    check(carroll::determinant_of_ragged(exec, ragged.members, A.view(), {method}));
    ragged.A.to_host();
    ragged.for_each_entry([&](auto index, T const& entry) {
      EXPECT_EQ(std::memcmp(&A(index), &entry, sizeof entry), 0) << index[0];
    });
    auto workspace = carroll::determinant_ragged_workspace<T>(exec, ragged.members, true, {method});
    EXPECT_EQ(workspace.batch(), 16);
    EXPECT_GT(workspace.bytes(), 0U);
    check(carroll::determinant_of_ragged(exec, A.view(), workspace));
    check(carroll::determinant_of_ragged(exec, A.view(), workspace));
    check(carroll::determinant_ragged(exec, A.view(), workspace));
    ragged.A.to_host();
    EXPECT_TRUE(ragged.A.guards_intact());
    for (std::size_t b = 0; b < matrices.size(); ++b)
      for (std::int64_t k = 0; k < ragged.gap; ++k) {
        auto const at = static_cast<std::size_t>(ragged.members[b].a +
                                                 ragged.members[b].n * ragged.members[b].n + k);
        EXPECT_EQ(A(std::array{at}), A.guard) << b;
      }
    ragged.restore();
    check(carroll::determinant_ragged(exec, ragged.members, A.view(), {method}));
    ragged.restore();
  }
}

TYPED_TEST(DeterminantRagged, OfNoMembers) {
  Exec const exec;
  Kokkos::View<TypeParam*, Memory> const A;
  EXPECT_TRUE(carroll::determinant_ragged(exec, {}, A).empty());
  auto const infos =
      carroll::determinant_of_ragged(exec, std::vector<DeterminantMember>{{0, 0}, {0, 7}}, A);
  ASSERT_EQ(infos.size(), 2U);
  EXPECT_EQ(infos[1].value.to(), TypeParam(1));
}

TEST(DeterminantRaggedMembers, MayShareEntriesWhereTheyAreKept) {
  Exec const exec;
  RaggedMatrices<double> const ragged({6}, 3);
  std::vector<DeterminantMember> const members{{5, 0}, {6, 0}, {4, 20}, {5, 0}};
  auto const infos = carroll::determinant_of_ragged(exec, members, ragged.A.view());
  EXPECT_TRUE(same_bits(infos[1], run_determinant(ragged.matrices[0])));
  EXPECT_TRUE(same_bits(infos[3], infos[0]));
  HostMatrix<double> part(4, 4);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      int const at = 20 + 4 * i + j;
      part(i, j) = ragged.matrices[0](at / 6, at % 6);
    }
  EXPECT_TRUE(same_bits(infos[2], run_determinant(part)));
}

}  // namespace
