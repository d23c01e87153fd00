// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <carroll/detail/determinant/dispatch.hpp>
#include <carroll/determinant_ragged.hpp>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "support/copy.hpp"
#include "support/determinant/drivers.hpp"
#include "support/tolerance.hpp"
#include "unit/determinant/orders_and_scalars.hpp"

/// What detail/determinant/dispatch.hpp decides, for devices as well, and every family of this one.
namespace {

using namespace carroll::test;
using carroll::DeterminantMethod;
using carroll::DeterminantOptions;
using carroll::DeterminantPath;
using carroll::Status;
using carroll::detail::DeterminantBackend;
using carroll::detail::DeterminantDevice;

constexpr int paths = static_cast<int>(DeterminantPath::launches) + 1;

/// An H200, some device without warps, a host.
constexpr DeterminantDevice large_gpu{DeterminantBackend::warps, 132, 150};
constexpr DeterminantDevice other_device{DeterminantBackend::other, 1, 70};
constexpr DeterminantDevice any_host{DeterminantBackend::host, 1, 128};

template <class T>
constexpr DeterminantPath path_of(std::int64_t n, std::int64_t batch,
                                  DeterminantDevice const& device) {
  auto const plan = carroll::detail::determinant_plan<T>({}, n, batch, device);
  return plan ? plan->path : DeterminantPath::automatic;
}

TEST(DeterminantDispatch, ChoosesByOrderAndBatch) {
  using P = DeterminantPath;
  using Complex = Kokkos::complex<double>;
  EXPECT_EQ(path_of<double>(0, 1, large_gpu), P::closed_form);
  EXPECT_EQ(path_of<double>(1, 1, large_gpu), P::closed_form);
  EXPECT_EQ(path_of<double>(2, 1, large_gpu), P::thread_per_matrix);
  EXPECT_EQ(path_of<double>(8, 1, large_gpu), P::thread_stream);
  EXPECT_EQ(path_of<double>(9, 1, large_gpu), P::lanes_per_matrix);
  EXPECT_EQ(path_of<float>(12, 1, large_gpu), P::thread_per_matrix);
  EXPECT_EQ(path_of<double>(200, 1, large_gpu), P::leader);
  EXPECT_EQ(path_of<double>(200, 17, large_gpu), P::per_panel);
  EXPECT_EQ(path_of<double>(200, 65, large_gpu), P::one_team);
  EXPECT_EQ(path_of<double>(100, 16, large_gpu), P::leader);
  EXPECT_EQ(path_of<double>(100, 17, large_gpu), P::one_team_tiles);
  EXPECT_EQ(path_of<float>(100, 17, large_gpu), P::one_team);
  EXPECT_EQ(path_of<float>(1024, 7, large_gpu), P::leader);
  EXPECT_EQ(path_of<float>(1024, 8, large_gpu), P::per_panel);
  EXPECT_EQ(path_of<float>(1025, 100, large_gpu), P::leader);
  EXPECT_EQ(path_of<double>(2303, 1, large_gpu), P::leader);
  EXPECT_EQ(path_of<double>(2304, 1, large_gpu), P::outer_blocks);
  EXPECT_EQ(path_of<Complex>(3, 1, large_gpu), P::closed_form);
  EXPECT_EQ(path_of<Complex>(150, 1, large_gpu), P::scratch);
  EXPECT_EQ(path_of<Complex>(151, 1, large_gpu), P::in_place);
  EXPECT_EQ(path_of<double>(3, 1, other_device), P::closed_form);
  EXPECT_EQ(path_of<double>(70, 1, other_device), P::scratch);
  EXPECT_EQ(path_of<double>(71, 1, other_device), P::panels);
  EXPECT_EQ(path_of<double>(3, 1, any_host), P::host_closed_form);
  EXPECT_EQ(path_of<double>(32, 1, any_host), P::host_batch);
  EXPECT_EQ(path_of<double>(256, 1, any_host), P::host_scratch);
  EXPECT_EQ(path_of<double>(257, 1, any_host), P::host_panels);
  EXPECT_EQ(path_of<Complex>(128, 1, any_host), P::scratch);
  EXPECT_EQ(path_of<Complex>(129, 1, any_host), P::panels);
}

TEST(DeterminantDispatch, LeavesRowPanelsWhereTheirTeamsFindNoRoom) {
  DeterminantDevice device = large_gpu;
  device.teams_at_once = 1;
  EXPECT_EQ(path_of<double>(100, 1, device), DeterminantPath::scratch);
  EXPECT_EQ(path_of<double>(200, 1, device), DeterminantPath::panels);
  device.teams_at_once = 4;
  EXPECT_EQ(path_of<double>(768, 1, device), DeterminantPath::leader);
  EXPECT_EQ(path_of<double>(769, 1, device), DeterminantPath::panels);
  EXPECT_EQ(path_of<double>(769, 100, device), DeterminantPath::panels);
}

template <class T>
void expect_a_shape_for_all() {
  for (std::int64_t n = 1; n < 3000; ++n)
    for (std::int64_t const batch : {1, 17, 65}) {
      auto const plan = carroll::detail::determinant_plan<T>({}, n, batch, large_gpu);
      ASSERT_TRUE(plan);
      bool const has_shapes = plan->path == DeterminantPath::lanes_per_matrix ||
                              plan->path == DeterminantPath::one_team ||
                              plan->path == DeterminantPath::leader;
      EXPECT_EQ(plan->shape != 0, has_shapes) << n << ' ' << batch;
    }
}

TEST(DeterminantDispatch, HasAShapeForEveryOrder) {
  expect_a_shape_for_all<float>();
  expect_a_shape_for_all<double>();
}

template <class T>
class DeterminantFamilies : public ::testing::Test {};
TYPED_TEST_SUITE(DeterminantFamilies, Scalars);

TYPED_TEST(DeterminantFamilies, AreRightWhereverTheyCanBeAskedFor) {
  using T = TypeParam;
  Exec const exec;
  auto const device = DeterminantDevice::of<Exec, T>(carroll::detail::processors(Exec()));
  int asked = 0;
  // Several panels at the end; the reference of a complex one takes four times as long.
  int const panels = carroll::detail::is_complex<T> ? 161 : 257;
  std::vector<int> orders{1, 2, 3, 4, 8, 9, 13, 32, 33, 64, 65, 100, 129, panels};
  // More than one team's columns, for numbers whose reference does not take minutes.
  if (carroll::detail::has_warps<Exec>) orders.push_back(200);
  if (carroll::detail::has_warps<Exec> && sizeof(T) <= sizeof(double)) orders.push_back(530);
  for (int const n : orders) {
    // Of one determinant, but for a sign: its reference takes longer than all that it is for.
    std::vector<HostMatrix<T>> matrices(3, random_square<T>(n, 7));
    matrices[1] = transposed(matrices[0]);
    for (int j = 0; j < n; ++j) std::swap(matrices[2](0, j), matrices[2](n - 1, j));
    std::vector<carroll::test::LongNumber> expected;
    for (int p = 1; p < paths; ++p) {
      DeterminantOptions const options{DeterminantMethod::blocked, static_cast<DeterminantPath>(p)};
      if (!carroll::detail::determinant_plan<T>(options, n, 3, device)) continue;
      if (expected.empty()) {
        expected.assign(3, quad_determinant_of(matrices[0]));
        if (n > 1) expected[2].multiply(-1);
      }
      SCOPED_TRACE(std::string(to_string(options.path)) + ", order " + std::to_string(n));
      auto const A = guarded_batch<T, Kokkos::LayoutRight>(matrices, n);
      auto workspace = carroll::determinant_workspace<T>(exec, {3, n, true}, options);
      EXPECT_EQ(workspace.path(), options.path);
      std::vector<carroll::DeterminantInfo<T>> kept;
      for (auto const& info : carroll::determinant_of(exec, A.view(), workspace))
        kept.push_back(info);
      auto const overwritten = carroll::determinant(exec, A.view(), options);
      for (std::size_t b = 0; b < 3; ++b) {
        EXPECT_EQ(kept[b].status, Status::success);
        EXPECT_TRUE(same_bits(kept[b], overwritten[b])) << b;
        EXPECT_LT(relative_error(kept[b], expected[b]), 200.0 * n * n * epsilon<RealOf<T>>) << b;
      }
      ++asked;
    }
  }
  EXPECT_GT(asked, 20);
}

TYPED_TEST(DeterminantFamilies, TakeWhatIsRagged) {
  using T = TypeParam;
  Exec const exec;
  std::vector<std::int64_t> const orders{5, 0, 40, 17, 5};
  auto const members = carroll::determinant_members(orders);
  std::vector<T> entries;
  std::vector<HostMatrix<T>> matrices;
  for (auto const n : orders) {
    matrices.push_back(random_square<T>(static_cast<int>(n), 3));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) entries.push_back(matrices.back()(i, j));
  }
  Kokkos::View<T*, Memory> const A("carroll_test::A", entries.size());
  carroll::test::deep_copy(A, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                  entries.data(), entries.size()));
  for (auto const path : {DeterminantPath::scratch, DeterminantPath::in_place}) {
    DeterminantOptions const options{DeterminantMethod::blocked, path};
    auto const infos = carroll::determinant_of_ragged(exec, members, A, options);
    for (std::size_t b = 0; b < orders.size(); ++b)
      EXPECT_TRUE(same_bits(infos[b], run_determinant(matrices[b], options))) << b;
  }
}

}  // namespace
