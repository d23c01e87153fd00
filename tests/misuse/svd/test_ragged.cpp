// SPDX-License-Identifier: BSD-3-Clause
// Ragged batches: places that are not there, shared ones, buffers that are too short.
#include <gtest/gtest.h>

#include <carroll/svd.hpp>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "misuse/complaint.hpp"
#include "support/guarded_view.hpp"
#include "svd_instances.hpp"

namespace {

using namespace carroll::test;
using carroll::none;
using carroll::SvdVectors;
using Extents = std::pair<std::int64_t, std::int64_t>;
using Numbers = GuardedView<double, 1, Kokkos::LayoutLeft>;

TEST(SvdRaggedMisuse, OutputsThatOverlap) {
  std::vector<Extents> const extents{{3, 2}, {2, 2}};
  auto members = carroll::svd_members(extents, SvdVectors::none, SvdVectors::none);
  Numbers const a({10}), u({10}), s({4}), v({8});
  expect_words(complaint([&] {
                 (void)carroll::svd_ragged(Exec(), members, a.view(), u.view(), s.view(), v.view());
               }),
               {"U", "members[0]", "members[1]", "overlap"});
  members = carroll::svd_members(extents);
  members[1].s = 1;
  expect_words(complaint([&] {
                 (void)carroll::svd_ragged(Exec(), members, a.view(), u.view(), s.view(), v.view());
               }),
               {"S", "members[0]", "members[1]", "overlap"});
  members = carroll::svd_members(extents);
  members[1].a = std::numeric_limits<std::int64_t>::max();
  expect_words(complaint([&] {
                 (void)carroll::svd_ragged(Exec(), members, a.view(), u.view(), s.view(), v.view());
               }),
               {"members[1]", "offset"});
}

TEST(SvdRaggedMisuse, BuffersAndPlacesThatDoNotFit) {
  std::vector<Extents> const extents{{3, 2}, {2, 2}};
  auto const members = carroll::svd_members(extents);
  Numbers a({10});
  Numbers u({10});
  Numbers s({4});
  Numbers v({8});
  Numbers one_short({9});
  auto const svd = [&](auto const& list, auto const& A_view, auto const& U_view, auto const& S_view,
                       auto const& V_view) {
    return complaint(
        [&] { (void)carroll::svd_ragged(Exec(), list, A_view, U_view, S_view, V_view); });
  };
  expect_words(svd(members, one_short.view(), u.view(), s.view(), v.view()), {"A", "9", "10"});
  expect_words(svd(members, a.view(), one_short.view(), s.view(), v.view()), {"U", "9", "10"});
  Numbers three({3});
  expect_words(svd(members, a.view(), u.view(), three.view(), v.view()), {"S", "3", "4"});
  expect_words(svd(members, a.view(), u.view(), s.view(), three.view()), {"V", "3", "8"});

  auto negative_offset = members;
  negative_offset[1].a = -1;
  expect_words(svd(negative_offset, a.view(), u.view(), s.view(), v.view()), {"members[1]", "-1"});
  auto negative_rows = members;
  negative_rows[1].rows = -2;
  expect_words(svd(negative_rows, a.view(), u.view(), s.view(), v.view()),
               {"members[1]", "rows", "-2"});

  GuardedView<double, 1, Kokkos::LayoutStride> const gaps({10});
  expect_words(svd(members, gaps.view(), u.view(), s.view(), v.view()), {"A", "contiguous"});
  expect_words(svd(members, a.view(), a.view(), s.view(), v.view()), {"A", "U"});
  expect_words(complaint([&] {
                 (void)carroll::svd_ragged(Exec(), members, a.view(), none, s.view(), v.view(), {},
                                           SvdVectors::thin, SvdVectors::thin);
               }),
               {"U", "none"});
  Kokkos::fence();
  u.to_host();
  s.to_host();
  v.to_host();
  EXPECT_TRUE(u.untouched() && s.untouched() && v.untouched());
}

}  // namespace
