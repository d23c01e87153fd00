// SPDX-License-Identifier: BSD-3-Clause
// Copies by bytes: of every rank and layout that has no gaps, of none, and of what has them.
#include <gtest/gtest.h>

#include <carroll/detail/copy.hpp>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace {

using carroll::detail::copy_objects;
using carroll::detail::copy_view;
using ExecSpace = Kokkos::DefaultHostExecutionSpace;
using HostSpace = Kokkos::HostSpace;

struct Entry {
  double number;
  int place;
};

TEST(Copy, ObjectsOfAnyType) {
  std::vector<Entry> const from{{1.5, 1}, {-2.5, 2}, {3.5, 3}};
  std::vector<Entry> to(4, {0.25, -1});
  ExecSpace const exec;
  copy_objects<HostSpace, HostSpace>(exec, to.data(), from.data(), from.size());
  copy_objects<HostSpace, HostSpace>(exec, to.data(), from.data(), 0);
  copy_objects<HostSpace, HostSpace>(exec, static_cast<Entry*>(nullptr),
                                     static_cast<Entry const*>(nullptr), 0);
  exec.fence("carroll::test");
  for (std::size_t i = 0; i < from.size(); ++i) {
    EXPECT_EQ(to[i].number, from[i].number);
    EXPECT_EQ(to[i].place, from[i].place);
  }
  EXPECT_EQ(to[3].place, -1);
}

template <class Layout>
class CopyView : public ::testing::Test {};
using Layouts = ::testing::Types<Kokkos::LayoutLeft, Kokkos::LayoutRight>;
TYPED_TEST_SUITE(CopyView, Layouts);

TYPED_TEST(CopyView, WithoutGaps) {
  using View = Kokkos::View<float**, TypeParam, HostSpace>;
  View const from("from", 3, 5), to("to", 3, 5);
  std::iota(from.data(), from.data() + from.size(), 1.0F);
  ExecSpace const exec;
  copy_view(exec, to, typename View::const_type(from));
  exec.fence("carroll::test");
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) EXPECT_EQ(to(i, j), from(i, j));
}

TYPED_TEST(CopyView, GapsAndOtherExtentsAreRefused) {
  using View = Kokkos::View<float**, TypeParam, HostSpace>;
  View const from("from", 4, 4), to("to", 4, 2);
  ExecSpace const exec;
  EXPECT_THROW(copy_view(exec, to, from), std::logic_error);
  EXPECT_THROW(copy_view(exec, View("as many entries", 2, 8), from), std::logic_error);
  EXPECT_THROW(copy_view(exec, View("none", 0, 4), View("none of them", 4, 0)), std::logic_error);
  auto const column = Kokkos::subview(from, Kokkos::ALL, 1);
  auto const row = Kokkos::subview(from, 1, Kokkos::ALL);
  Kokkos::View<float*, HostSpace> const line("line", 4);
  bool const left = std::is_same_v<TypeParam, Kokkos::LayoutLeft>;
  if (left) {
    EXPECT_NO_THROW(copy_view(exec, line, column));
    EXPECT_THROW(copy_view(exec, line, row), std::logic_error);
  } else {
    EXPECT_NO_THROW(copy_view(exec, line, row));
    EXPECT_THROW(copy_view(exec, line, column), std::logic_error);
  }
  exec.fence("carroll::test");
}

}  // namespace
