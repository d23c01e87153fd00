// SPDX-License-Identifier: BSD-3-Clause
// What a caller with several instances relies on, for matrices in 16 bits: how often a call fences,
// where it launches, when it allocates, how its work is labelled.
#include <gtest/gtest.h>

#include <carroll/narrow/determinant.hpp>
#include <carroll/narrow/eigh.hpp>
#include <carroll/narrow/svd.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "contract/documented_calls.hpp"
#include "contract/new_instance.hpp"
#include "support/guarded_view.hpp"

namespace {

using namespace carroll::test;
using carroll::float16;
using carroll::none;
using Rows = Kokkos::LayoutRight;

constexpr std::size_t narrow_order = 40, narrow_members = 5, narrow_few = 7;

/// One matrix, a batch and a ragged one, with all that calls need.
struct NarrowCalls {
  Exec exec = new_instance_of<Exec>();
  GuardedView<float16, 2, Rows> A{{narrow_order, narrow_order}}, V{{narrow_order, narrow_order}};
  GuardedView<float, 2, Rows> U{{narrow_order, narrow_order}};
  GuardedView<float, 1, Rows> S{{narrow_order}};
  GuardedView<float16, 3, Rows> A3{{narrow_members, narrow_few, narrow_few}},
      V3{{narrow_members, narrow_few, narrow_few}};
  GuardedView<float, 2, Rows> S2{{narrow_members, narrow_few}};
  GuardedView<float16, 1, Rows> packed_A{{2000}}, packed_V{{2000}};
  GuardedView<float, 1, Rows> packed_S{{60}};
  std::vector<std::int64_t> orders{20, 40};
  std::vector<carroll::SvdMember> svd_list =
      carroll::svd_members(std::vector<std::pair<std::int64_t, std::int64_t>>{{20, 20}, {40, 40}},
                           carroll::SvdVectors::none);
  std::vector<carroll::EighMember> eigh_list = carroll::eigh_members(orders);
  std::vector<carroll::DeterminantMember> determinant_list = carroll::determinant_members(orders);
  template <class Info>
  using Infos = Kokkos::View<Info*, Memory>;
  Kokkos::View<carroll::SvdInfo<float>, Memory> svd_info{"carroll_test::info"};
  Kokkos::View<carroll::EighInfo<float>, Memory> eigh_info{"carroll_test::info"};
  Kokkos::View<carroll::DeterminantInfo<float>, Memory> det_info{"carroll_test::info"};
  Infos<carroll::SvdInfo<float>> svd_infos{"carroll_test::infos", 2};
  Infos<carroll::EighInfo<float>> eigh_infos{"carroll_test::infos", 2};
  Infos<carroll::DeterminantInfo<float>> det_infos{"carroll_test::infos", 2};
  carroll::SvdWorkspace<Exec, float16> svd_one, svd_many, svd_packed;
  carroll::EighWorkspace<Exec, float16> eigh_one, eigh_packed;
  carroll::DeterminantWorkspace<Exec, float16> det_one, det_many;
  carroll::DeterminantRaggedWorkspace<Exec, float16> det_packed;

  NarrowCalls() {
    double value = 0;
    auto const set = [&](auto& view) {
      view.for_each_index([&](auto index) { view(index) = float16(std::sin(value += 1.7)); });
      view.to_device();
    };
    set(A);
    set(A3);
    set(packed_A);
    svd_one = carroll::svd_workspace<float16>(exec, {.rows = narrow_order, .cols = narrow_order});
    svd_many = carroll::svd_workspace<float16>(exec, {.batch = narrow_members,
                                                      .rows = narrow_few,
                                                      .cols = narrow_few,
                                                      .u = carroll::SvdVectors::none});
    svd_packed = carroll::svd_ragged_workspace<float16>(exec, svd_list, carroll::SvdVectors::none);
    eigh_one = carroll::eigh_workspace<float16>(exec, {.n = narrow_order});
    eigh_packed = carroll::eigh_ragged_workspace<float16>(exec, eigh_list);
    det_one = carroll::determinant_workspace<float16>(exec, {.n = narrow_order});
    det_many =
        carroll::determinant_workspace<float16>(exec, {.batch = narrow_members, .n = narrow_few});
    det_packed = carroll::determinant_ragged_workspace<float16>(exec, determinant_list);
    Kokkos::fence();
  }

  void svd() { (void)carroll::svd(exec, A.view(), U.view(), S.view(), V.view(), svd_one); }
  void svd_batch() { (void)carroll::svd(exec, A3.view(), none, S2.view(), V3.view(), svd_many); }
  void svd_async() {
    carroll::svd_async(exec, A.view(), U.view(), S.view(), V.view(), svd_info, svd_one);
  }
  void svd_ragged_async() {
    carroll::svd_ragged_async(exec, packed_A.view(), none, packed_S.view(), packed_V.view(),
                              svd_infos, svd_packed);
  }
  void svd_plain() { (void)carroll::svd(exec, A.view(), none, S.view(), V.view()); }
  void svd_ragged_plain() {
    (void)carroll::svd_ragged(exec, svd_list, packed_A.view(), none, packed_S.view(),
                              packed_V.view());
  }
  void values_plain() { (void)carroll::singular_values(exec, A3.view(), S2.view()); }
  void eigh() { (void)carroll::eigh(exec, A.view(), S.view(), V.view(), eigh_one); }
  void eigh_async() {
    carroll::eigh_async(exec, A.view(), S.view(), V.view(), eigh_info, eigh_one);
  }
  void eigh_ragged_async() {
    carroll::eigh_ragged_async(exec, packed_A.view(), packed_S.view(), packed_V.view(), eigh_infos,
                               eigh_packed);
  }
  void eigh_plain() { (void)carroll::eigh(exec, A.view(), S.view(), V.view()); }
  void determinant() { (void)carroll::determinant_of(exec, A.view(), det_one); }
  void determinant_batch() { (void)carroll::determinant_of(exec, A3.view(), det_many); }
  void determinant_async() { carroll::determinant_of_async(exec, A.view(), det_info, det_one); }
  void determinant_ragged() {
    (void)carroll::determinant_of_ragged(exec, packed_A.view(), det_packed);
  }
  void determinant_ragged_async() {
    carroll::determinant_of_ragged_async(exec, packed_A.view(), det_infos, det_packed);
  }
  void determinant_plain() { (void)carroll::determinant_of(exec, A.view()); }
  void determinant_ragged_plain() {
    (void)carroll::determinant_of_ragged(exec, determinant_list, packed_A.view());
  }
};

constexpr DocumentedCall<NarrowCalls> narrow_calls[] = {
    {"svd with a workspace", &NarrowCalls::svd, 1, false},
    {"svd of a batch with a workspace", &NarrowCalls::svd_batch, 1, false},
    {"svd_async", &NarrowCalls::svd_async, 0, false},
    {"svd_ragged_async", &NarrowCalls::svd_ragged_async, 0, false},
    {"svd", &NarrowCalls::svd_plain, 1, true},
    {"svd_ragged", &NarrowCalls::svd_ragged_plain, 3, true},
    {"singular_values of a batch", &NarrowCalls::values_plain, 1, true},
    {"eigh with a workspace", &NarrowCalls::eigh, 1, false},
    {"eigh_async", &NarrowCalls::eigh_async, 0, false},
    {"eigh_ragged_async", &NarrowCalls::eigh_ragged_async, 0, false},
    {"eigh", &NarrowCalls::eigh_plain, 1, true},
    {"determinant_of with a workspace", &NarrowCalls::determinant, 1, false},
    {"determinant_of of a batch with a workspace", &NarrowCalls::determinant_batch, 1, false},
    {"determinant_of_async", &NarrowCalls::determinant_async, 0, false},
    {"determinant_of_ragged with a workspace", &NarrowCalls::determinant_ragged, 1, false},
    {"determinant_of_ragged_async", &NarrowCalls::determinant_ragged_async, 0, false},
    {"determinant_of", &NarrowCalls::determinant_plain, 1, true},
    {"determinant_of_ragged", &NarrowCalls::determinant_ragged_plain, 3, true},
};

/// Every call widens A, at least, and runs a solver.
TEST(NarrowContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  NarrowCalls problem;
  expect_documented(problem, narrow_calls, "carroll::", 2);
}

TEST(NarrowContract, WorkspacesTellWhatTheyHold) {
  Exec const exec;
  auto const narrow = carroll::svd_workspace<float16>(
      exec, {.batch = 10, .rows = 6, .cols = 5, .v = carroll::SvdVectors::none});
  auto const wide = carroll::svd_workspace<float>(
      exec, {.batch = 10, .rows = 6, .cols = 5, .v = carroll::SvdVectors::none});
  EXPECT_EQ(narrow.path(), wide.path());
  EXPECT_EQ(narrow.extents().rows, 6);
  EXPECT_GE(narrow.bytes(), wide.bytes() + 10 * (30 + 30) * sizeof(float));
  EXPECT_FALSE(narrow.is_ragged());
}

}  // namespace
