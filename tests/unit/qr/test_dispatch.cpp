// SPDX-License-Identifier: BSD-3-Clause
// The table that chooses the kernels of a QR, for all backends; members and workspaces.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/qr.hpp>
#include <cstdint>
#include <vector>

#include "decompositions/qr_instances.hpp"

namespace {

using carroll::QrMode;
using carroll::QrPath;

TEST(QrMembers, FollowEachOther) {
  std::vector<std::array<std::int64_t, 2>> const extents{{3, 2}, {0, 5}, {100000, 200000}, {1, 1}};
  auto const members = carroll::qr_members(extents, QrMode::full);
  ASSERT_EQ(members.size(), 4U);
  EXPECT_EQ(members[2].a, 6);
  EXPECT_EQ(members[2].q, 9);
  EXPECT_EQ(members[2].r, 6);
  EXPECT_EQ(members[2].p, 7);
  EXPECT_EQ(members[3].a, 6 + 20'000'000'000);
  EXPECT_EQ(members[3].q, 9 + 10'000'000'000);
}

TEST(QrDispatch, TableDecides) {
  using carroll::detail::qr_family;
  using carroll::detail::QrBackend;
  using carroll::detail::QrFamily;
  EXPECT_EQ(qr_family(QrBackend::host, {}, 85, 48), QrFamily::host_batch);
  EXPECT_EQ(qr_family(QrBackend::host, {}, 86, 48), QrFamily::host_block);
  EXPECT_EQ(qr_family(QrBackend::host, {}, 4, 49), QrFamily::host_block);
  EXPECT_EQ(qr_family(QrBackend::host, {}, 4096, 0), QrFamily::host_batch);
  EXPECT_EQ(qr_family(QrBackend::device, {}, 4, 4), QrFamily::team);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 32, 32), QrFamily::warp);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 33, 4), QrFamily::slim);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 512, 4), QrFamily::slim);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 513, 4), QrFamily::tiled);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 256, 8), QrFamily::slim);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 257, 5), QrFamily::tiled);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 128, 16), QrFamily::slim);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 129, 9), QrFamily::tiled);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 33, 17), QrFamily::tiled);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 4, 33), QrFamily::tiled);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 8192, 100'000), QrFamily::tiled);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 8193, 16), QrFamily::tall);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 8193, 17), QrFamily::team);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 524'288, 1), QrFamily::tall);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 524'289, 1), QrFamily::team);
  EXPECT_EQ(qr_family(QrBackend::device, {}, 33, 33), QrFamily::team);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 32, 32, true), QrFamily::warp);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 33, 4, true), QrFamily::slim);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 33, 17, true), QrFamily::team);
  EXPECT_EQ(qr_family(QrBackend::host, {}, 64, 64, true, true), QrFamily::host_batch);
  EXPECT_EQ(qr_family(QrBackend::host, {}, 65, 64, true, true), QrFamily::team);
  EXPECT_EQ(qr_family(QrBackend::host, {}, 4, 65, false, true), QrFamily::team);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 32, 32, false, true), QrFamily::warp);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 33, 4, false, true), QrFamily::team);
  EXPECT_EQ(qr_family(QrBackend::warps, {}, 8193, 16, false, true), QrFamily::team);
  carroll::QrOptions options;
  options.path = QrPath::tiled;
  EXPECT_EQ(qr_family(QrBackend::warps, options, 4, 4), QrFamily::tiled);
  EXPECT_EQ(qr_family(QrBackend::warps, options, 4, 4, true), QrFamily::team);
  options.path = QrPath::slim;
  EXPECT_EQ(qr_family(QrBackend::warps, options, 3, 16), QrFamily::slim);
  EXPECT_EQ(qr_family(QrBackend::warps, options, 16, 17), QrFamily::team);
  EXPECT_EQ(qr_family(QrBackend::warps, options, 40, 4, false, true), QrFamily::team);
  EXPECT_EQ(qr_family(QrBackend::host, options, 40, 4), QrFamily::team);
  options.path = QrPath::tall;
  EXPECT_EQ(qr_family(QrBackend::warps, options, 1024, 4), QrFamily::team);
  EXPECT_EQ(qr_family(QrBackend::warps, options, 1025, 4), QrFamily::tall);
  EXPECT_EQ(qr_family(QrBackend::warps, options, 1025, 4, true), QrFamily::team);
  EXPECT_EQ(qr_family(QrBackend::host, options, 4, 4), QrFamily::team);
  options.path = QrPath::team;
  EXPECT_EQ(qr_family(QrBackend::host, options, 4, 4), QrFamily::team);
  options.path = QrPath::host_block;
  EXPECT_EQ(qr_family(QrBackend::host, options, 4, 4), QrFamily::host_block);
}

TEST(QrWorkspace, OfComplexMatrices) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const workspace = carroll::qr_workspace<Kokkos::complex<float>>(
      exec, {.batch = 3, .rows = 200, .cols = 100}, {.path = QrPath::host_block});
  EXPECT_EQ(workspace.path(), QrPath::team);
  EXPECT_GE(workspace.bytes(), 3U * 200 * 100 * sizeof(Kokkos::complex<float>));
}

TEST(QrWorkspace, SaysWhatItIs) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const workspace = carroll::qr_workspace<double>(exec, {.batch = 3, .rows = 200, .cols = 100},
                                                       {.path = QrPath::team});
  EXPECT_EQ(workspace.path(), QrPath::team);
  EXPECT_FALSE(workspace.is_ragged());
  EXPECT_GE(workspace.bytes(), 3U * 200 * 100 * sizeof(double));
}

}  // namespace
