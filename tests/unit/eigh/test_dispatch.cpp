// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <carroll/detail/eigh/dispatch.hpp>
#include <cstdint>

/// The table that chooses kernels of `eigh`, on every backend.
namespace {

using carroll::EighMethod;
using carroll::EighOptions;
using carroll::EighPath;
using carroll::detail::eigh_family;
using carroll::detail::eigh_path;
using carroll::detail::EighBackend;
using carroll::detail::EighFamily;

EighOptions asked(EighPath path) {
  EighOptions options;
  options.path = path;
  return options;
}

/// In both precisions.
void expect_family(EighFamily family, EighBackend backend, EighOptions const& options,
                   std::int64_t n) {
  EXPECT_EQ(eigh_family<float>(backend, options, n), family) << n;
  EXPECT_EQ(eigh_family<double>(backend, options, n), family) << n;
}

TEST(EighDispatch, Hosts) {
  expect_family(EighFamily::host_batch, EighBackend::host, {}, 0);
  expect_family(EighFamily::host_batch, EighBackend::host, {}, 128);
  expect_family(EighFamily::team, EighBackend::host, {}, 129);
  expect_family(EighFamily::team, EighBackend::host, {}, 256);
  expect_family(EighFamily::shifted, EighBackend::host, {}, 257);
  expect_family(EighFamily::shifted, EighBackend::host, {}, 5000);
}

TEST(EighDispatch, DevicesWithoutWarps) {
  expect_family(EighFamily::team, EighBackend::device, {}, 4);
  expect_family(EighFamily::team, EighBackend::device, {}, 32);
  expect_family(EighFamily::shifted, EighBackend::device, {}, 33);
}

TEST(EighDispatch, Warps) {
  for (EighBackend const backend : {EighBackend::warps, EighBackend::vendor}) {
    expect_family(EighFamily::warp, backend, {}, 0);
    expect_family(EighFamily::warp, backend, {}, 32);
    expect_family(EighFamily::shifted, backend, {}, 33);
    expect_family(EighFamily::shifted, backend, {}, 96);
    expect_family(EighFamily::shifted, backend, {}, 257);
    expect_family(EighFamily::shifted, backend, {}, 767);
  }
  for (int const n : {97, 128, 129, 256, 768, 5000})
    expect_family(EighFamily::shifted, EighBackend::warps, {}, n);
}

TEST(EighDispatch, WhereTheVendorIsFaster) {
  struct Case {
    int n;
    bool in_single, in_double;
  };
  for (auto const& [n, in_single, in_double] :
       {Case{96, false, false}, Case{97, false, true}, Case{128, false, true},
        Case{129, true, false}, Case{256, true, false}, Case{257, false, false},
        Case{767, false, false}, Case{768, true, true}, Case{100000, true, true}}) {
    auto const family = [](bool by_vendor) {
      return by_vendor ? EighFamily::vendor : EighFamily::shifted;
    };
    EXPECT_EQ(eigh_family<float>(EighBackend::vendor, {}, n), family(in_single)) << n;
    EXPECT_EQ(eigh_family<double>(EighBackend::vendor, {}, n), family(in_double)) << n;
  }
}

TEST(EighDispatch, ByName) {
  for (EighBackend const backend :
       {EighBackend::host, EighBackend::device, EighBackend::warps, EighBackend::vendor}) {
    expect_family(EighFamily::team, backend, asked(EighPath::team), 4);
    expect_family(EighFamily::team, backend, asked(EighPath::team), 400);
    expect_family(EighFamily::shifted, backend, asked(EighPath::shifted), 4);
    expect_family(EighFamily::shifted, backend, asked(EighPath::shifted), 1000);
    bool const has_warps = backend == EighBackend::warps || backend == EighBackend::vendor;
    expect_family(has_warps ? EighFamily::warp : EighFamily::team, backend, asked(EighPath::warp),
                  4);
    expect_family(EighFamily::team, backend, asked(EighPath::warp), 33);
    expect_family(backend == EighBackend::host ? EighFamily::host_batch : EighFamily::team, backend,
                  asked(EighPath::host_batch), 4);
    bool const has_vendor = backend == EighBackend::vendor;
    for (int const n : {33, 64, 128, 129, 256, 257, 500, 768})
      expect_family(has_vendor ? EighFamily::vendor : EighFamily::team, backend,
                    asked(EighPath::vendor), n);
    expect_family(EighFamily::team, backend, asked(EighPath::vendor), 32);
    EighOptions definite = asked(EighPath::vendor);
    definite.method = EighMethod::cholesky_jacobi;
    expect_family(EighFamily::cholesky, backend, definite, 100);
  }
}

TEST(EighDispatch, PathOfAFamily) {
  EXPECT_EQ(eigh_path(EighFamily::vendor), EighPath::vendor);
  EXPECT_EQ(eigh_path(EighFamily::shifted), EighPath::shifted);
  EXPECT_EQ(eigh_path(EighFamily::cholesky), EighPath::automatic);
}

}  // namespace
