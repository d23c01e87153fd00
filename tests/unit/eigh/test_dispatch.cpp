// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <carroll/eigh.hpp>
#include <cstdint>
#include <vector>

#include "eigh_instances.hpp"

/// Which kernels `eigh` takes, what its workspaces say, and where members of ragged batches lie.
namespace {

using carroll::EighMethod;
using carroll::EighPath;

TEST(EighMembers, FollowEachOther) {
  std::vector<std::int64_t> const orders{3, 0, 100000, 1};
  auto const members = carroll::eigh_members(orders);
  ASSERT_EQ(members.size(), 4U);
  EXPECT_EQ(members[2].a, 9);
  EXPECT_EQ(members[2].w, 3);
  EXPECT_EQ(members[3].v, 9 + 10000000000);
}

TEST(EighDispatch, TableDecides) {
  using carroll::detail::eigh_family;
  using carroll::detail::EighBackend;
  using carroll::detail::EighFamily;
  EXPECT_EQ(eigh_family(EighBackend::host, {}, 128), EighFamily::host_batch);
  EXPECT_EQ(eigh_family(EighBackend::host, {}, 129), EighFamily::team);
  EXPECT_EQ(eigh_family(EighBackend::host, {}, 257), EighFamily::shifted);
  EXPECT_EQ(eigh_family(EighBackend::device, {}, 33), EighFamily::shifted);
  EXPECT_EQ(eigh_family(EighBackend::device, {}, 4), EighFamily::team);
  EXPECT_EQ(eigh_family(EighBackend::device, {}, 65), EighFamily::divided);
  EXPECT_EQ(eigh_family(EighBackend::device, {}, 1025), EighFamily::shifted);
  EXPECT_EQ(eigh_family(EighBackend::warps, {}, 0), EighFamily::warp);
  EXPECT_EQ(eigh_family(EighBackend::warps, {}, 32), EighFamily::warp);
  EXPECT_EQ(eigh_family(EighBackend::warps, {}, 33), EighFamily::shifted);
  EXPECT_EQ(eigh_family(EighBackend::warps, {}, 64), EighFamily::shifted);
  EXPECT_EQ(eigh_family(EighBackend::warps, {}, 65), EighFamily::divided);
  EXPECT_EQ(eigh_family(EighBackend::device, {}, 16, true), EighFamily::shifted);
  EXPECT_EQ(eigh_family(EighBackend::device, {}, 17, true), EighFamily::divided);
  EXPECT_EQ(eigh_family(EighBackend::library, {}, 32, true), EighFamily::warp);
  for (EighBackend const backend : {EighBackend::device, EighBackend::library})
    for (int const n : {33, 1025, 4000})
      EXPECT_EQ(eigh_family(backend, {}, n, true), EighFamily::divided);
  EXPECT_EQ(eigh_family(EighBackend::warps, {}, 1025), EighFamily::shifted);
  EXPECT_EQ(eigh_family(EighBackend::library, {}, 32), EighFamily::warp);
  EXPECT_EQ(eigh_family(EighBackend::library, {}, 1024), EighFamily::divided);
  EXPECT_EQ(eigh_family(EighBackend::library, {}, 1025), EighFamily::vendor);
  carroll::EighOptions options;
  options.path = EighPath::divided;
  for (EighBackend const backend : {EighBackend::host, EighBackend::device, EighBackend::library}) {
    EXPECT_EQ(eigh_family(backend, options, 0), EighFamily::team);
    EXPECT_EQ(eigh_family(backend, options, 1), EighFamily::divided);
    EXPECT_EQ(eigh_family(backend, options, 4000), EighFamily::divided);
    EXPECT_EQ(eigh_family(backend, options, 0, true), EighFamily::shifted);
    EXPECT_EQ(eigh_family(backend, options, 500, true), EighFamily::divided);
  }
  options.path = EighPath::team;
  EXPECT_EQ(eigh_family(EighBackend::host, options, 4), EighFamily::team);
  EXPECT_EQ(eigh_family(EighBackend::host, options, 400), EighFamily::team);
  options.path = EighPath::shifted;
  EXPECT_EQ(eigh_family(EighBackend::warps, options, 4), EighFamily::shifted);
  options.path = EighPath::host_batch;
  EXPECT_EQ(eigh_family(EighBackend::device, options, 4), EighFamily::team);
  options.path = EighPath::warp;
  EXPECT_EQ(eigh_family(EighBackend::warps, options, 4), EighFamily::warp);
  EXPECT_EQ(eigh_family(EighBackend::host, options, 4), EighFamily::team);
  options.path = EighPath::vendor;
  EXPECT_EQ(eigh_family(EighBackend::library, options, 4), EighFamily::vendor);
  EXPECT_EQ(eigh_family(EighBackend::library, options, 0), EighFamily::team);
  EXPECT_EQ(eigh_family(EighBackend::warps, options, 4), EighFamily::team);
  options.method = EighMethod::cholesky_jacobi;
  EXPECT_EQ(eigh_family(EighBackend::host, options, 4), EighFamily::cholesky);
}

TEST(EighWorkspace, SaysWhatItIs) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const workspace = carroll::eigh_workspace<double>(exec, {.batch = 3, .n = 300});
  constexpr bool on_host = carroll::detail::lanes<Kokkos::DefaultExecutionSpace> == 1;
  EXPECT_EQ(workspace.path(), on_host ? EighPath::shifted : EighPath::divided);
  EXPECT_FALSE(workspace.is_ragged());
  EXPECT_GE(workspace.bytes(), 3U * 300 * 300 * sizeof(double));
}

}  // namespace
