// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <carroll/svd.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "svd_instances.hpp"

namespace {

using carroll::SvdVectors;
using Extents = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(SvdMembers, ThinMembersFollowEachOther) {
  Extents const extents{{3, 2}, {0, 4}, {2, 5}, {1, 1}};
  auto const members = carroll::svd_members(extents);
  ASSERT_EQ(members.size(), 4U);
  std::int64_t a = 0;
  std::int64_t u = 0;
  std::int64_t s = 0;
  std::int64_t v = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    auto const [rows, cols] = extents[k];
    EXPECT_EQ(members[k].rows, rows);
    EXPECT_EQ(members[k].cols, cols);
    EXPECT_EQ(members[k].a, a);
    EXPECT_EQ(members[k].u, u);
    EXPECT_EQ(members[k].s, s);
    EXPECT_EQ(members[k].v, v);
    auto const least = std::min(rows, cols);
    a += rows * cols;
    u += rows * least;
    s += least;
    v += cols * least;
  }
}

TEST(SvdMembers, FullAndNoneTakeTheirOwnRoom) {
  Extents const extents{{3, 2}, {2, 5}};
  auto const members = carroll::svd_members(extents, SvdVectors::full, SvdVectors::none);
  EXPECT_EQ(members[1].u, 9);
  EXPECT_EQ(members[1].v, 0);
  EXPECT_EQ(members[1].s, 2);
  EXPECT_EQ(members[1].a, 6);
}

TEST(SvdMembers, OffsetsBeyond32Bits) {
  Extents const extents{{100000, 100000}, {1, 1}};
  EXPECT_EQ(carroll::svd_members(extents)[1].a, 10000000000);
}

TEST(SvdMembers, NoneForNone) {
  EXPECT_TRUE(carroll::svd_members(Extents{}).empty());
}

TEST(SvdOptions, DefaultsAreTheDocumentedOnes) {
  carroll::SvdOptions const options;
  EXPECT_EQ(options.method, carroll::SvdMethod::preconditioned);
  EXPECT_EQ(options.placement, carroll::Placement::shared);
  EXPECT_EQ(options.tolerance, 0);
  EXPECT_EQ(options.max_sweeps, 30);
  carroll::SvdExtents const extents{.rows = 3, .cols = 2};
  EXPECT_EQ(extents.batch, 1);
  EXPECT_EQ(extents.u, SvdVectors::thin);
  EXPECT_EQ(extents.v, SvdVectors::thin);
}

}  // namespace
