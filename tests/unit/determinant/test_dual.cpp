// SPDX-License-Identifier: BSD-3-Clause
// Determinants of DualViews. Where host and device share memory there is only one side.
#include <gtest/gtest.h>

#include <carroll/determinant_dual.hpp>

#include "determinant_instances.hpp"
#include "support/copy.hpp"
#include "support/determinant/drivers.hpp"
#include "support/determinant/ragged_matrices.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::DeterminantInfo;
using HostExec = Kokkos::DefaultHostExecutionSpace;

template <class T>
using Dual = Kokkos::DualView<T**, Exec>;

constexpr bool two_sides =
    !std::is_same_v<Dual<double>::t_dev::memory_space, Dual<double>::t_host::memory_space>;

/// A DualView that was last modified on the host, where it is `A`; the device has the identity.
template <class T>
Dual<T> newest_on_the_host(HostMatrix<T> const& A) {
  auto const n = static_cast<std::size_t>(A.rows);
  Dual<T> dual("carroll_test::dual", n, n);
  auto const fill = [&](auto const& entry) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        dual.view_host()(i, j) = entry(static_cast<int>(i), static_cast<int>(j));
    dual.modify_host();
  };
  if constexpr (two_sides) {
    fill([](int i, int j) { return i == j ? T(1) : T(0); });
    dual.sync_device();
  }
  fill(A);
  return dual;
}

template <class T>
Dual<T> newest_on_the_device(HostMatrix<T> const& A) {
  auto dual = newest_on_the_host(A);
  dual.sync_device();
  if constexpr (two_sides) {
    carroll::test::deep_copy(dual.view_host(), T(0));
    dual.modify_device();
  }
  return dual;
}

template <class T>
class DeterminantDual : public ::testing::Test {};
using DualScalars = ::testing::Types<float, Kokkos::complex<double>>;
TYPED_TEST_SUITE(DeterminantDual, DualScalars);

TYPED_TEST(DeterminantDual, IsThatOfTheSideModifiedLast) {
  using T = TypeParam;
  Exec const exec;
  for (int const n : {0, 3, 20, 140}) {
    auto const matrix = random_square<T>(n, 2);
    auto const expected = run_determinant(matrix);
    auto const on_host = newest_on_the_host(matrix);
    bool const host_is_newest = on_host.need_sync_device();
    EXPECT_EQ(host_is_newest, two_sides);
    auto workspace =
        carroll::determinant_dual_workspace<T>(exec, {.batch = 1, .n = n, .keep = true});
    auto const check_host = [&](DeterminantInfo<T> const& info) {
      if constexpr (two_sides) {
        EXPECT_EQ(info.status, expected.status);
      } else {
        EXPECT_TRUE(same_bits(info, expected)) << n;
      }
      EXPECT_LT(relative_error(info, quad_determinant_of(matrix)),
                20.0 * (n * n + 1) * epsilon<RealOf<T>>);
    };
    check_host(carroll::determinant_of(exec, on_host));
    check_host(carroll::determinant_of(exec, on_host, workspace));
    EXPECT_EQ(on_host.need_sync_device(), host_is_newest);
    EXPECT_FALSE(on_host.need_sync_host());
    check_host(carroll::determinant(exec, on_host));
    EXPECT_EQ(on_host.need_sync_device(), host_is_newest);
    check_host(carroll::determinant(exec, newest_on_the_host(matrix), workspace));

    auto const on_device = newest_on_the_device(matrix);
    EXPECT_TRUE(same_bits(carroll::determinant_of(exec, on_device), expected)) << n;
    EXPECT_TRUE(same_bits(carroll::determinant_of(exec, on_device, workspace), expected)) << n;
    EXPECT_EQ(on_device.need_sync_host(), two_sides);
    EXPECT_TRUE(same_bits(carroll::determinant(exec, on_device, workspace), expected)) << n;
    EXPECT_EQ(on_device.need_sync_host(), two_sides);
    EXPECT_FALSE(on_device.need_sync_device());
  }
}

TYPED_TEST(DeterminantDual, InStepIsDoneOnTheDeviceAndThenTheHostIsOutOfDate) {
  using T = TypeParam;
  Exec const exec;
  auto const matrix = random_square<T>(30, 4);
  auto dual = newest_on_the_host(matrix);
  dual.sync_device();
  EXPECT_TRUE(same_bits(carroll::determinant_of(exec, dual), run_determinant(matrix)));
  EXPECT_FALSE(dual.need_sync_host());
  EXPECT_TRUE(same_bits(carroll::determinant(exec, dual), run_determinant(matrix)));
  EXPECT_EQ(dual.need_sync_host(), two_sides);
}

TYPED_TEST(DeterminantDual, OfABatch) {
  using T = TypeParam;
  Exec const exec;
  Kokkos::DualView<T***, Kokkos::LayoutRight, Exec> dual("carroll_test::dual", 3, 7, 7);
  for (std::size_t b = 0; b < 3; ++b) {
    auto const matrix = random_square<T>(7, b);
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < 7; ++j) dual.view_host()(b, i, j) = matrix(i, j);
  }
  dual.modify_host();
  EXPECT_EQ(carroll::determinant_of(exec, dual).size(), 3U);
  dual.sync_device();
  auto const infos = carroll::determinant(exec, dual);
  ASSERT_EQ(infos.size(), 3U);
  for (std::size_t b = 0; b < 3; ++b)
    EXPECT_TRUE(same_bits(infos[b], run_determinant(random_square<T>(7, b)))) << b;
  EXPECT_EQ(dual.need_sync_host(), two_sides);
}

TYPED_TEST(DeterminantDual, OfARaggedBatch) {
  using T = TypeParam;
  Exec const exec;
  RaggedMatrices<T> const ragged({0, 3, 20, 70, 7}, 8);
  Kokkos::DualView<T*, Exec> dual("carroll_test::dual", ragged.A.view().extent(0));
  ragged.for_each_entry([&](auto index, T const& entry) { dual.view_host()(index[0]) = entry; });
  dual.modify_host();
  auto const check = [&](auto const& infos, bool device) {
    ASSERT_EQ(infos.size(), ragged.matrices.size());
    for (std::size_t b = 0; b < infos.size(); ++b) {
      auto const expected = run_determinant(ragged.matrices[b]);
      EXPECT_EQ(infos[b].status, expected.status) << b;
      if (device || !two_sides) {
        EXPECT_TRUE(same_bits(infos[b], expected)) << b;
      }
    }
  };
  check(carroll::determinant_of_ragged(exec, ragged.members, dual), false);
  EXPECT_EQ(dual.need_sync_device(), two_sides);
  EXPECT_FALSE(dual.need_sync_host());
  dual.sync_device();
  check(carroll::determinant_of_ragged(exec, ragged.members, dual), true);
  EXPECT_FALSE(dual.need_sync_host());
  check(carroll::determinant_ragged(exec, ragged.members, dual), true);
  EXPECT_EQ(dual.need_sync_host(), two_sides);
}

}  // namespace
