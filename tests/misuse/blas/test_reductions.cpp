// SPDX-License-Identifier: BSD-3-Clause
// Wrong extents, workspaces and options: std::invalid_argument with the actual and the required
// sizes, and nothing written.
#include <gtest/gtest.h>

#include <string>

#include "misuse/complaint.hpp"
#include "support/blas/reduction_drivers.hpp"
#include "support/copy.hpp"

namespace {

using namespace carroll::test;
using carroll::ReductionInfo;
using Info = ReductionInfo<double>;

Kokkos::View<double*, Memory> vector(std::size_t length) {
  return Kokkos::View<double*, Memory>("carroll_test::x", length);
}
Kokkos::View<double**, Memory> batch(std::size_t members, std::size_t length) {
  return Kokkos::View<double**, Memory>("carroll_test::x", members, length);
}

TEST(ReductionMisuse, VectorsOfTwoLengths) {
  Exec const exec;
  EXPECT_EQ(complaint([&] { (void)carroll::dot(exec, vector(4), vector(5)); }),
            "carroll::dot: y is 5, must be 4");
  EXPECT_EQ(complaint([&] { (void)carroll::dot(exec, batch(2, 4), batch(3, 4)); }),
            "carroll::dot: y is 3×4, must be 2×4");
}

TEST(ReductionMisuse, WorkspacesForOtherExtents) {
  Exec const exec;
  auto one = carroll::reduction_workspace<double>(exec, {.length = 4});
  auto three = carroll::reduction_workspace<double>(exec, {.length = 4, .batch = 3});
  EXPECT_EQ(complaint([&] { (void)carroll::sum(exec, vector(5), one); }),
            "carroll::sum: x is 5, must be 4");
  EXPECT_EQ(complaint([&] { (void)carroll::asum(exec, vector(4), three); }),
            "carroll::asum: x is for one problem, the workspace was made for a batch of 3");
  EXPECT_EQ(complaint([&] { (void)carroll::norm2(exec, batch(2, 4), three); }),
            "carroll::norm2: x is 2×4, must be 3×4");
  EXPECT_EQ(complaint([&] { (void)carroll::max_abs(exec, batch(3, 5), three); }),
            "carroll::max_abs: x is 3×5, must be 3×4");
  EXPECT_EQ(complaint([&] { (void)carroll::dot(exec, vector(4), vector(5), one); }),
            "carroll::dot: y is 5, must be 4");
  carroll::ReductionWorkspace<Exec, double> nobodys;
  EXPECT_NE(complaint([&] { (void)carroll::sum(exec, vector(4), nobodys); }), "");
  EXPECT_NE(complaint([&] { (void)carroll::sum(exec, vector(0), nobodys); }), "");
  EXPECT_NE(complaint([&] { (void)carroll::sum(exec, batch(1, 0), nobodys); }), "");
}

TEST(ReductionMisuse, InfosOfAnotherExtentAndNothingWritten) {
  Exec const exec;
  auto three = carroll::reduction_workspace<double>(exec, {.length = 4, .batch = 3});
  auto one = carroll::reduction_workspace<double>(exec, {.length = 4});
  Kokkos::View<Info*, Memory> const infos("carroll_test::infos", 2);
  Kokkos::View<Info, Memory> const info("carroll_test::info");
  Info const before{carroll::Status::breakdown, -77.25};
  carroll::test::deep_copy(infos, before);
  carroll::test::deep_copy(info, before);
  EXPECT_EQ(complaint([&] { carroll::sum_async(exec, batch(3, 4), infos, three); }),
            "carroll::sum_async: info is 2, must be 3");
  EXPECT_EQ(complaint([&] { carroll::dot_async(exec, batch(3, 4), batch(3, 4), infos, three); }),
            "carroll::dot_async: info is 2, must be 3");
  EXPECT_EQ(complaint([&] { carroll::norm2_async(exec, vector(3), info, one); }),
            "carroll::norm2_async: x is 3, must be 4");
  EXPECT_EQ(complaint([&] { carroll::asum_async(exec, vector(5), info, one); }),
            "carroll::asum_async: x is 5, must be 4");
  EXPECT_EQ(
      complaint([&] { carroll::max_abs_async(exec, vector(4), info, three); }),
      "carroll::max_abs_async: x is for one problem, the workspace was made for a batch of 3");
  exec.fence();
  auto const after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), infos);
  auto const alone = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), info);
  EXPECT_TRUE(same_bits(after(0), before) && same_bits(after(1), before));
  EXPECT_TRUE(same_bits(alone(), before));
}

TEST(ReductionMisuse, UnusableExtentsAndOptions) {
  Exec const exec;
  auto const made = [&](carroll::ReductionExtents extents, carroll::Summation summation = {}) {
    return complaint(
        [&] { (void)carroll::reduction_workspace<double>(exec, extents, {summation}); });
  };
  EXPECT_EQ(made({.length = -1}),
            "carroll::reduction_workspace: the length is -1, must be from 0 to 2147483648");
  EXPECT_EQ(made({.length = 2147483649}),
            "carroll::reduction_workspace: the length is 2147483649, must be from 0 to 2147483648");
  EXPECT_EQ(made({.length = 3, .batch = -2}),
            "carroll::reduction_workspace: the batch is -2, must be from 0 to 2147483647");
  EXPECT_EQ(made({.length = 3}, static_cast<carroll::Summation>(3)),
            "carroll::reduction_workspace: options.summation is 3, must be an enumerator of "
            "Summation");
  EXPECT_EQ(complaint([&] {
              (void)carroll::sum(exec, vector(3), {static_cast<carroll::Summation>(-1)});
            }),
            "carroll::sum: options.summation is -1, must be an enumerator of Summation");
  EXPECT_EQ(complaint([&] {
              (void)carroll::dot(exec, vector(3), vector(3), {static_cast<carroll::Summation>(9)});
            }),
            "carroll::dot: options.summation is 9, must be an enumerator of Summation");
}

// A View of so many entries without memory for them: one number, again and again.
TEST(ReductionMisuse, MoreEntriesThanAreAdded) {
  Exec const exec;
  double number = 1;
  Kokkos::View<double*, Kokkos::LayoutStride, Memory> const endless(
      &number, Kokkos::LayoutStride(2147483649U, 0));
  EXPECT_EQ(complaint([&] { (void)carroll::sum(exec, endless); }),
            "carroll::sum: the length is 2147483649, must be from 0 to 2147483648");
}

TEST(ReductionMisuse, MorePiecesThanALaunchCounts) {
  Exec const exec;
  if (exec.concurrency() == 1) GTEST_SKIP() << "by one thread every vector is one piece";
  auto const words = complaint([&] {
    (void)carroll::reduction_workspace<double>(exec, {.length = 2147483648, .batch = 2147483647});
  });
  EXPECT_NE(words.find("has more pieces than a launch can count"), std::string::npos) << words;
}

}  // namespace
