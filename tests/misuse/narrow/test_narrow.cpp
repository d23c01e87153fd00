// SPDX-License-Identifier: BSD-3-Clause
// Unusable arguments beside matrices in 16 bits are answered by std::invalid_argument that gives
// the actual and the required sizes, before anything is written.
#include <gtest/gtest.h>

#include <carroll/narrow/determinant.hpp>
#include <carroll/narrow/eigh.hpp>
#include <carroll/narrow/svd.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "misuse/complaint.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using carroll::float16;
using carroll::none;
using Rows = Kokkos::LayoutRight;
using NarrowMatrix = GuardedView<float16, 2, Rows>;

class NarrowMisuse : public ::testing::Test {
 protected:
  Exec exec;
  NarrowMatrix A{{4, 4}}, V{{4, 4}};
  GuardedView<float, 2, Rows> U{{4, 4}};
  GuardedView<float, 1, Rows> S{{4}};

  template <class Call>
  void expect_complaint(Call const& call, std::vector<std::string> const& words) {
    expect_words(complaint(call), words);
    Kokkos::fence();
    V.to_host();
    U.to_host();
    S.to_host();
    EXPECT_TRUE(V.untouched() && U.untouched() && S.untouched());
  }
};

TEST_F(NarrowMisuse, Extents) {
  NarrowMatrix small({3, 4}), wide({4, 5});
  GuardedView<float, 1, Rows> five({5});
  expect_complaint([&] { (void)carroll::svd(exec, A.view(), U.view(), five.view(), V.view()); },
                   {"carroll::svd: S is 5, must be 4"});
  expect_complaint([&] { (void)carroll::svd(exec, A.view(), U.view(), S.view(), small.view()); },
                   {"carroll::svd: V is 3×4, must be 4×4"});
  expect_complaint([&] { (void)carroll::eigh(exec, wide.view(), S.view(), none); },
                   {"carroll::eigh: A is 4×5", "as many rows as columns"});
  expect_complaint([&] { (void)carroll::eigh(exec, A.view(), S.view(), small.view()); },
                   {"carroll::eigh: V is 3×4, must be 4×4"});
  expect_complaint([&] { (void)carroll::determinant_of(exec, wide.view()); },
                   {"carroll::determinant_of: A is 4×5, must be square"});
}

TEST_F(NarrowMisuse, Aliasing) {
  expect_complaint([&] { (void)carroll::svd(exec, A.view(), none, S.view(), A.view()); },
                   {"A and V overlap"});
  expect_complaint([&] { (void)carroll::svd(exec, A.view(), V.view(), S.view(), V.view()); },
                   {"U and V overlap"});
  expect_complaint([&] { (void)carroll::eigh(exec, A.view(), S.view(), A.view()); },
                   {"A and V overlap"});
  // Floats on the memory of halves.
  Kokkos::View<float*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const over(
      reinterpret_cast<float*>(V.view().data()), 4);
  expect_complaint([&] { (void)carroll::eigh(exec, A.view(), over, V.view()); },
                   {"W and V overlap"});
}

TEST_F(NarrowMisuse, Options) {
  carroll::SvdOptions options;
  options.max_sweeps = 0;
  expect_complaint(
      [&] { (void)carroll::svd(exec, A.view(), U.view(), S.view(), V.view(), options); },
      {"options.max_sweeps is 0"});
}

TEST_F(NarrowMisuse, WorkspaceOfSomethingElse) {
  auto five = carroll::svd_workspace<float16>(exec, {.rows = 5, .cols = 5});
  expect_complaint([&] { (void)carroll::svd(exec, A.view(), U.view(), S.view(), V.view(), five); },
                   {"A is 4×4, must be 5×5"});
  auto four = carroll::svd_workspace<float16>(exec, {.rows = 4, .cols = 4});
  expect_complaint([&] { (void)carroll::singular_values(exec, A.view(), S.view(), four); },
                   {"singular_values: U is carroll::none, but the workspace was made for it"});
  auto ragged = carroll::svd_ragged_workspace<float16>(exec, carroll::svd_members({}));
  expect_complaint(
      [&] { (void)carroll::svd(exec, A.view(), U.view(), S.view(), V.view(), ragged); },
      {"the workspace was made for a ragged batch"});
  auto values = carroll::eigh_workspace<float16>(exec, {.n = 4, .vectors = false});
  expect_complaint([&] { (void)carroll::eigh(exec, A.view(), S.view(), V.view(), values); },
                   {"V is given, but the workspace was made without it"});
  auto three = carroll::determinant_workspace<float16>(exec, {.n = 3});
  expect_complaint([&] { (void)carroll::determinant_of(exec, A.view(), three); },
                   {"A is 4×4, the workspace was made for 1×3×3"});
}

TEST_F(NarrowMisuse, MoreRoomThanThereCanBe) {
  expect_complaint(
      [&] {
        (void)carroll::svd_workspace<float16>(exec, {.batch = 8,
                                                     .rows = std::numeric_limits<int>::max(),
                                                     .cols = 1,
                                                     .u = carroll::SvdVectors::full});
      },
      {"more workspace than can be addressed"});
}

/// One that nobody made fits no call.
TEST_F(NarrowMisuse, WorkspaceOfNobody) {
  carroll::SvdWorkspace<Exec, float16> nobodys;
  expect_complaint(
      [&] { (void)carroll::svd(exec, A.view(), U.view(), S.view(), V.view(), nobodys); }, {});
  carroll::DeterminantWorkspace<Exec, float16> nor_this;
  expect_complaint([&] { (void)carroll::determinant_of(exec, A.view(), nor_this); }, {});
}

TEST_F(NarrowMisuse, RaggedMembers) {
  GuardedView<float16, 1, Rows> packed({32}), vectors({32});
  GuardedView<float, 1, Rows> out({8});
  auto const eigh = [&](std::vector<carroll::EighMember> const& members) {
    return complaint([&] {
      (void)carroll::eigh_ragged(exec, members, packed.view(), out.view(), vectors.view());
    });
  };
  EXPECT_EQ(eigh({{4, 0, 0, 0}, {4, 16, 4, 16}}), "");
  expect_words(eigh({{4, 0, 0, 0}, {4, 0, 4, 8}}), {"V of members[0] and of members[1] overlap"});
  expect_words(eigh({{4, 20, 0, 0}}), {"A has 32 entries, the members need 36"});
  expect_words(complaint([&] {
                 (void)carroll::determinant_of_ragged(
                     exec, std::vector<carroll::DeterminantMember>{{4, 20}}, packed.view());
               }),
               {"determinant_of_ragged: A has 32 entries, the members need 36"});
}

}  // namespace
