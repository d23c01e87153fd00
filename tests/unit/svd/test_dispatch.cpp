// SPDX-License-Identifier: BSD-3-Clause
// The table that chooses the kernels of an SVD, for all backends.
#include <gtest/gtest.h>

#include <carroll/svd.hpp>
#include <limits>

#include "support/host_matrix.hpp"
#include "svd_instances.hpp"

namespace {

using carroll::SvdMethod;
using carroll::SvdOptions;
using carroll::SvdPath;
using carroll::detail::svd_family;
using carroll::detail::SvdBackend;
using carroll::detail::SvdFamily;

template <class Real>
SvdFamily on(SvdBackend backend, int rows, int cols, SvdPath path = SvdPath::automatic) {
  return svd_family<Real>(backend, {.path = path}, rows, cols);
}

TEST(SvdDispatch, FamiliesBySize) {
  using enum SvdFamily;
  constexpr auto device = SvdBackend::warps, host = SvdBackend::host;
  EXPECT_EQ(on<double>(device, 32, 32), warp);
  EXPECT_EQ(on<double>(device, 32, 3), warp);
  EXPECT_EQ(on<double>(device, 33, 3), slim);
  EXPECT_EQ(on<double>(device, 512, 4), slim);
  EXPECT_EQ(on<double>(device, 513, 4), tiled);
  EXPECT_EQ(on<double>(device, 256, 8), slim);
  EXPECT_EQ(on<double>(device, 257, 5), tiled);
  EXPECT_EQ(on<double>(device, 128, 16), slim);
  EXPECT_EQ(on<double>(device, 129, 9), tiled);
  EXPECT_EQ(on<double>(device, 33, 17), fused);
  EXPECT_EQ(on<float>(device, 128, 128), fused);
  EXPECT_EQ(on<double>(device, 129, 128), tiled);
  EXPECT_EQ(on<double>(device, 129, 129), gram);
  EXPECT_EQ(on<float>(device, 160, 160), tiled);
  EXPECT_EQ(on<float>(device, 161, 161), gram);
  EXPECT_EQ(on<double>(device, 8192, 8192), gram);
  EXPECT_EQ(on<double>(device, 8193, 1), team);
  EXPECT_EQ(on<double>(device, 5, 0), team);
  EXPECT_EQ(on<double>(host, 1024, 32), host_batch);
  EXPECT_EQ(on<double>(host, 1025, 32), team);
  EXPECT_EQ(on<double>(host, 33, 33), host_block);
  EXPECT_EQ(on<double>(host, 0, 0), team);
  EXPECT_EQ(on<double>(SvdBackend::other, 32, 32), team);
  EXPECT_EQ(svd_family<double>(device, {.method = SvdMethod::cyclic}, 32, 32), study);
}

TEST(SvdDispatch, EveryFamilyCanBeAskedForWhereItFits) {
  using enum SvdFamily;
  constexpr auto device = SvdBackend::warps, host = SvdBackend::host;
  for (SvdPath const path : {SvdPath::warp, SvdPath::fused, SvdPath::tiled, SvdPath::team})
    EXPECT_EQ(carroll::detail::svd_path(on<double>(device, 32, 32, path)), path);
  for (SvdPath const path : {SvdPath::fused, SvdPath::tiled, SvdPath::gram, SvdPath::team})
    EXPECT_EQ(carroll::detail::svd_path(on<double>(device, 80, 65, path)), path);
  EXPECT_EQ(on<double>(device, 80, 64, SvdPath::gram), team);
  EXPECT_EQ(on<double>(device, 200, 129, SvdPath::tiled), team);
  for (SvdPath const path : {SvdPath::slim, SvdPath::fused, SvdPath::tiled, SvdPath::team})
    EXPECT_EQ(carroll::detail::svd_path(on<double>(device, 64, 8, path)), path);
  EXPECT_EQ(on<double>(device, 64, 8, SvdPath::registers), slim);
  EXPECT_EQ(on<double>(device, 64, 8, SvdPath::tiles), fused);
  EXPECT_EQ(on<double>(device, 32, 3, SvdPath::slim), team);
  EXPECT_EQ(on<double>(device, 129, 16, SvdPath::slim), team);
  EXPECT_EQ(on<double>(device, 32, 32, SvdPath::tiles), fused);
  EXPECT_EQ(on<double>(device, 64, 64, SvdPath::registers), team);
  EXPECT_EQ(on<double>(device, 32, 32, SvdPath::host_batch), team);
  EXPECT_EQ(on<double>(host, 32, 32, SvdPath::registers), host_batch);
  EXPECT_EQ(on<double>(host, 32, 32, SvdPath::host_block), team);
  EXPECT_EQ(on<double>(host, 40, 40, SvdPath::tiles), host_block);
  EXPECT_EQ(on<double>(host, 40, 40, SvdPath::fused), team);
}

TEST(SvdDispatch, LibrariesBeginLargeMatrices) {
  using enum SvdFamily;
  constexpr auto with = SvdBackend::library, without = SvdBackend::warps;
  EXPECT_EQ(on<float>(with, 1023, 1023), gram);
  EXPECT_EQ(on<double>(with, 1023, 1023), gram);
  EXPECT_EQ(on<double>(with, 1024, 1024), spectral);
  EXPECT_EQ(on<float>(with, 1024, 1024), spectral);
  EXPECT_EQ(on<double>(with, 8192, 1024, SvdPath::tiles), spectral);
  EXPECT_EQ(on<double>(with, 8193, 1024), team);
  EXPECT_EQ(on<double>(with, 2048, 2048, SvdPath::gram), gram);
  EXPECT_EQ(on<double>(with, 80, 65, SvdPath::spectral), spectral);
  EXPECT_EQ(on<double>(with, 80, 64, SvdPath::spectral), team);
  EXPECT_EQ(on<double>(with, 32, 32), warp);
  EXPECT_EQ(on<double>(without, 2048, 2048), gram);
  EXPECT_EQ(on<double>(without, 2048, 2048, SvdPath::spectral), team);
  SvdOptions const loose{.tolerance = 1e-3};
  EXPECT_EQ(svd_family<double>(with, loose, 2048, 2048), team);
}

TEST(SvdDispatch, EigenvectorsBeginMatricesOfMiddleSize) {
  using enum SvdFamily;
  constexpr auto tensors = SvdBackend::tensors, both = SvdBackend::both;
  EXPECT_EQ(on<float>(tensors, 128, 96), fused);
  EXPECT_EQ(on<double>(tensors, 129, 96), tiled);
  EXPECT_EQ(on<float>(tensors, 97, 97), eigenbasis);
  EXPECT_EQ(on<double>(tensors, 128, 128, SvdPath::tiles), eigenbasis);
  EXPECT_EQ(on<double>(tensors, 128, 128, SvdPath::fused), fused);
  for (auto const backend : {tensors, both}) {
    EXPECT_EQ(on<float>(backend, 129, 97), eigenbasis);
    EXPECT_EQ(on<double>(backend, 8192, 1024, SvdPath::tiles), eigenbasis);
    EXPECT_EQ(on<double>(backend, 300, 200, SvdPath::gram), gram);
    EXPECT_EQ(on<float>(backend, 150, 150, SvdPath::tiled), tiled);
    EXPECT_EQ(on<double>(backend, 80, 65, SvdPath::eigenbasis), eigenbasis);
    EXPECT_EQ(on<double>(backend, 80, 64, SvdPath::eigenbasis), team);
    EXPECT_EQ(on<double>(backend, 8193, 200), team);
  }
  EXPECT_EQ(on<double>(tensors, 1024, 1024), eigenbasis);
  EXPECT_EQ(on<double>(tensors, 1025, 1025), gram);
  EXPECT_EQ(on<float>(both, 1024, 1024), eigenbasis);
  EXPECT_EQ(on<double>(both, 1025, 1025), spectral);
  EXPECT_EQ(on<double>(both, 1024, 1024, SvdPath::spectral), spectral);
  for (auto const backend : {SvdBackend::warps, SvdBackend::library})
    EXPECT_EQ(on<double>(backend, 300, 300, SvdPath::eigenbasis), team);
  SvdOptions const loose{.tolerance = 1e-3};
  EXPECT_EQ(svd_family<double>(both, loose, 300, 300), team);
}

TEST(SvdDispatch, LooseTolerancesNeedTheRotationsThemselves) {
  SvdOptions const loose{.tolerance = 1e-3};
  EXPECT_EQ(svd_family<double>(SvdBackend::warps, loose, 32, 32), SvdFamily::team);
  EXPECT_EQ(svd_family<double>(SvdBackend::warps, loose, 64, 8), SvdFamily::team);
  EXPECT_EQ(svd_family<double>(SvdBackend::host, loose, 40, 40), SvdFamily::team);
  EXPECT_EQ(svd_family<double>(SvdBackend::host, loose, 32, 32), SvdFamily::host_batch);
  SvdOptions const tight{.tolerance = 8 * std::numeric_limits<double>::epsilon()};
  EXPECT_EQ(svd_family<double>(SvdBackend::warps, tight, 32, 32), SvdFamily::warp);
}

TEST(SvdDispatch, WorkspacesTell) {
  using Exec = Kokkos::DefaultExecutionSpace;
  auto const path = [](SvdOptions const& options) {
    return carroll::svd_workspace<double>(Exec{}, {.rows = 40, .cols = 34}, options).path();
  };
  EXPECT_EQ(path({}), carroll::detail::svd_path(
                          carroll::detail::svd_family<Exec, double>(SvdOptions{}, 40, 34)));
  EXPECT_EQ(path({.path = SvdPath::team}), SvdPath::team);
  EXPECT_EQ(path({.method = SvdMethod::cyclic}), SvdPath::automatic);
}

}  // namespace
