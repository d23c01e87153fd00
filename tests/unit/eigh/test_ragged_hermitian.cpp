// SPDX-License-Identifier: BSD-3-Clause
// Complex Hermitian matrices of different orders in one call, and large ones alone and in batches.
#include <gtest/gtest.h>

#include <carroll/detail/team.hpp>
#include <carroll/eigh.hpp>
#include <cstddef>
#include <limits>
#include <vector>

#include "calls.hpp"
#include "eigh_instances.hpp"
#include "support/eigh/checks.hpp"
#include "support/eigh/drivers.hpp"
#include "support/eigh/hermitian_matrices.hpp"

namespace {

using namespace carroll::test;
using carroll::EighMethod;
using carroll::Status;
using carroll::Triangle;

template <class Real>
class RaggedHermitian : public ::testing::Test {};
using RaggedHermitianPrecisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RaggedHermitian, RaggedHermitianPrecisions);

/// Of orders on both sides of every border between kernels, equal ones together and apart.
TYPED_TEST(RaggedHermitian, MembersHaveTheBitsOfThoseAlone) {
  Random random(40);
  std::vector<Hermitian<TypeParam>> all;
  for (int const n : {33, 0, 5, 17, 131, 1, 33, 5, 32, 64, 16, 5, 131, 2, 66})
    all.push_back(n % 5 == 1 ? hermitian_matrix<TypeParam>(random, SymmetricType::random, n)
                             : complex_gram<TypeParam>(random, n, n));
  for (EighCall call : complex_ways_and_definite()) {
    auto company = all;
    bool const asked = call.options.path != carroll::EighPath::automatic ||
                       call.options.method != EighMethod::backward_stable;
    if (asked) std::erase_if(company, [](auto const& A) { return A.rows > 100; });
    for (Triangle const triangle : {Triangle::lower, Triangle::upper}) {
      call.options.triangle = triangle;
      call.vectors = triangle == Triangle::lower;
      auto const together = run_eigh_ragged(company, call);
      ASSERT_EQ(together.size(), company.size());
      for (std::size_t b = 0; b < company.size(); ++b) {
        EXPECT_TRUE(same_result(together[b], run_eigh(company[b], call))) << b;
        EXPECT_TRUE(together[b].guarded);
        if (call.options.method == EighMethod::backward_stable && call.vectors &&
            company[b].rows < 40) {
          EXPECT_EQ(what_is_wrong(company[b], together[b], false), "") << b;
        }
      }
    }
  }
}

TYPED_TEST(RaggedHermitian, TroubleDisturbsNobody) {
  Random random(41);
  for (EighCall const& call : complex_ways_and_definite()) {
    std::vector<Hermitian<TypeParam>> company;
    for (int const n : {6, 20, 6, 40, 20, 6, 45})
      company.push_back(complex_gram<TypeParam>(random, n, n));
    auto const before = run_eigh_ragged(company, call);
    company[2](4, 1).imag(std::numeric_limits<TypeParam>::quiet_NaN());
    company[3](0, 0) = -std::numeric_limits<TypeParam>::infinity();
    auto const after = run_eigh_ragged(company, call);
    for (std::size_t b = 0; b < company.size(); ++b) {
      if (b != 2 && b != 3) {
        EXPECT_TRUE(same_result(after[b], before[b])) << b;
        continue;
      }
      EXPECT_EQ(after[b].info.status, Status::non_finite);
      EXPECT_TRUE(all_nan(after[b].W) && all_nan(parts_of(after[b].V.data)));
    }
  }
}

/// A workspace is used again, and outputs are where the list says.
TYPED_TEST(RaggedHermitian, WorkspaceServesAgain) {
  using Complex = Kokkos::complex<TypeParam>;
  Kokkos::DefaultExecutionSpace const exec;
  using Memory = Kokkos::DefaultExecutionSpace::memory_space;
  std::vector<carroll::EighMember> const members{{2, 0, 3, 4}, {2, 4, 0, 0}};
  Kokkos::View<Complex*, Memory> const A("A", 8), V("V", 8);
  Kokkos::View<TypeParam*, Memory> const W("W", 5);
  auto workspace = carroll::eigh_ragged_workspace<Complex>(exec, members);
  EXPECT_TRUE(workspace.is_ragged());
  auto const A_host = Kokkos::create_mirror_view(A);
  for (int round = 1; round < 3; ++round) {
    for (int b = 0; b < 2; ++b) {
      auto const size = static_cast<TypeParam>(round * (b + 1));
      A_host(4 * b) = A_host(4 * b + 3) = 2 * size;
      A_host(4 * b + 1) = Complex(0, size);
    }
    Kokkos::deep_copy(exec, A, A_host);
    auto const infos = carroll::eigh_ragged(exec, A, W, V, workspace);
    EXPECT_EQ(infos[0].status, Status::success);
    auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, W);
    TypeParam const eps = 20 * std::numeric_limits<TypeParam>::epsilon();
    EXPECT_NEAR(values(3), round, eps);
    EXPECT_NEAR(values(4), 3 * round, eps);
    EXPECT_NEAR(values(0), 2 * round, eps);
    EXPECT_NEAR(values(1), 6 * round, eps);
  }
}

/// Devices reduce few matrices by many teams, and many by one for each.
TYPED_TEST(RaggedHermitian, OneLargeMatrixHasTheBitsOfManyOnDevices) {
  if (carroll::detail::lanes<Kokkos::DefaultExecutionSpace> == 1) GTEST_SKIP();
  Random random(42);
  for (int const n : {129, 160, 255, 520}) {
    auto const A = hermitian_matrix<TypeParam>(random, SymmetricType::random, n);
    auto const alone = run_eigh(A);
    std::vector<Hermitian<TypeParam>> const many(n < 300 ? 60U : 12U, A);
    for (auto const& result : run_eigh_batch(many)) EXPECT_TRUE(same_result(result, alone)) << n;
    if (n < 300) {
      EXPECT_EQ(what_is_wrong(A, alone, false), "") << n;
    }
  }
}

}  // namespace
